package retrieve

import (
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/spherE/kg"
)

func TestReadQueries(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	want := []kg.Query{}
	for _, q := range [][3]string{{"person00", "rel0", "?"}, {"?", "rel0", "person01"}} {
		one, err := ParseQuery(g, q[0], q[1], q[2])
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, one)
	}
	for name, text := range map[string]string{
		"q.tsv":  "person00\trel0\t?\n\n?\trel0\tperson01\n",
		"q.txt":  "\ufeffhead\trelation\ttail\r\nperson00\trel0\t?\r\n? \t rel0\tperson01",
		"q.csv":  "Head,Relation,Tail\n\"person00\",rel0,?\n?,rel0,person01\n",
		"q2.CSV": "\ufeffperson00,rel0,?\n?,rel0,person01",
	} {
		got, err := ReadQueries(g, name, strings.NewReader(text))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, c := range [][3]string{
		{"q.tsv", "person00\trel0\t?\nperson00\trel0\n",
			"q.tsv:2: a line has 3 fields, HEAD, RELATION and TAIL, got 2"},
		{"q.tsv", "person00\trel0\t?\n\nperson00\trel9\t?\nperson00\trel0\tperson01\n", `q.tsv:3: parse query: `},
		{"q.tsv", "person00\tx\t?\nb\tx\t?\nc\tx\t?\n", "(and 2 more wrong lines)"},
		{"q.csv", "person00,rel0,?\n\"person00,rel0,?\n", "q.csv:"},
		{"q.csv", "head,relation,tail\n", "q.csv has no query"},
	} {
		if _, err := ReadQueries(g, c[0], strings.NewReader(c[1])); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q: error %v, want %s", c[1], err, c[2])
		}
	}
}
