package retrieve

import (
	"slices"
	"strings"
	"testing"
)

func TestReadQuestions(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	want := []string{"person00 rel0 ?", "? rel0 person01", "person00 ? person01", "person00 > rel0 minus person01 < rel0"}
	for name, text := range map[string]string{
		"q.tsv": "person00\trel0\t?\n\n?\trel0\tperson01\nperson00\t?\tperson01\nperson00 > rel0 minus person01 < rel0\n",
		"q.txt": "\ufeffhead\trelation\ttail\r\nperson00\trel0\t?\r\n? \t rel0\tperson01\nperson00\t?\tperson01\n" +
			"person00 > rel0 minus person01 < rel0\t\t",
		"q.csv": "Head,Relation,Tail\n\"person00\",rel0,?\n?,rel0,person01\nperson00,?,person01\n" +
			"person00 > rel0 minus person01 < rel0,,\n",
		"q2.CSV": "\ufeffperson00,rel0,?,\n?,rel0,person01\nperson00,?,person01\n" +
			`"person00 > rel0 minus person01 < rel0"`,
		"q3.csv": "\ufeff\"person00\",\"rel0\",\"?\"\n?,rel0,person01\nperson00,?,person01\n" +
			`"person00 > rel0 minus person01 < rel0"`,
		"standard input": "query\nperson00\trel0\t?\n?\trel0\tperson01\nperson00\t?\tperson01\n" +
			" person00 > rel0 minus person01 < rel0",
	} {
		questions, err := ReadQuestions(g, name, strings.NewReader(text))
		var got []string
		for _, q := range questions {
			got = append(got, q.String())
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, c := range [][]string{
		{"q.tsv", "person00\trel0\t?\nperson00\trel0\n", "q.tsv:2: a question is HEAD RELATION ?, ",
			"got 2 fields; a tab separates fields"},
		{"q.csv", "person00,rel0,?\nperson00 rel0 ?\n", "q.csv:2: ", `got the one field "person00 rel0 ?"; a comma separates`},
		{"q.tsv", "person00\trel0\t?\n\nperson00\trel9\t?\nperson00\trel0\tperson01\n", `q.tsv:3: `, `"rel9"`,
			"further wrong lines: 1"},
		{"q.tsv", "person00\trel0\tperson01\n", "q.tsv:1: a question needs exactly one '?'; a question is"},
		{"q.tsv", "?\t?\tperson01\n", "q.tsv:1: a question needs exactly one '?'"},
		{"q.tsv", "person00\t\t?\n", "q.tsv:1: ", "empty field"},
		{"q.tsv", "person00\t?\tperson99\n", "q.tsv:1: ", `"person99"`},
		{"q.tsv", "person00 > rel0 > rel7\n", "q.tsv:1: character 19: ", `"rel7"`},
		{"q.tsv", "person00 > rel0 and\n", "q.tsv:1: character 20: ", "the end"},
		{"q.tsv", "person00\tx\t?\nb\tx\t?\nc\tx\t?\n", "(further wrong lines: 2)"},
		{"q.csv", "person00,rel0,?\n\"person00,rel0,?\nperson01,rel0,?\n", "q.csv:2: ", "a quote inside it is written twice"},
		{"q.csv", "person00,rel0,?\n\"person00\" > rel0\n", "q.csv:2: ", "a quote inside it is written twice"},
		{"q.tsv", "person00\trel0\t?\n" + strings.Repeat("x", longestLine), "q.tsv:2: the line has 1048576 bytes or more"},
		{"q.csv", "head,relation,tail\n", "q.csv has no question; ", "a comma separates fields"},
	} {
		_, err := ReadQuestions(g, c[0], strings.NewReader(c[1]))
		for _, word := range c[2:] {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%q: error %v, want %s", c[1], err, word)
			}
		}
	}
}
