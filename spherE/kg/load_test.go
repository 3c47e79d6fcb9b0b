package kg

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// folder writes files. It compresses the content of names that end in .gz.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		data := []byte(content)
		if strings.HasSuffix(name, ".gz") {
			data = zipped(t, content)
		}
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	return dir
}

func zipped(t *testing.T, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, z.Close())
	return b.Bytes()
}

// sample is a small graph in every format. Its names are IRIs, blank nodes and literals, because N-Triples has no
// others.
var sample = [3][][3]string{
	{{"http://x/Max_Born", "http://x/advised", "http://x/Jordan"}, {"http://x/Jordan", "http://x/field", "_:physics"},
		{"http://x/Max_Born", "http://x/name", `"Max Börn"@de`}, {"http://x/Max_Born", "http://x/field", "_:physics"}},
	{{"http://x/Jordan", "http://x/name", `"plain"^^<http://x/t>`}},
	{{"http://x/Jordan", "http://x/advised", "http://x/Max_Born"}},
}

func tsv(rows [][3]string, end, fourth string) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r[0] + "\t" + r[1] + "\t" + r[2] + fourth + end)
	}
	return b.String()
}

func ntriples(rows [][3]string) string {
	term := func(s string) string {
		if strings.HasPrefix(s, "_:") || strings.HasPrefix(s, `"`) {
			return s
		}
		return "<" + s + ">"
	}
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(term(r[0]) + " " + term(r[1]) + "\t" + term(r[2]) + " .\n")
	}
	return b.String()
}

func openke(rows [3][][3]string) map[string]string {
	entities, relations := map[string]int{}, map[string]int{}
	id := func(m map[string]int, name string) int {
		if _, ok := m[name]; !ok {
			m[name] = len(m)
		}
		return m[name]
	}
	files := map[string]string{}
	for i, part := range rows {
		var b strings.Builder
		fmt.Fprintln(&b, len(part))
		for _, r := range part {
			fmt.Fprintln(&b, id(entities, r[0]), id(entities, r[2]), id(relations, r[1]))
		}
		files[Split(i).String()+"2id.txt"] = b.String()
	}
	for name, m := range map[string]map[string]int{"entity2id.txt": entities, "relation2id.txt": relations} {
		var b strings.Builder
		fmt.Fprintln(&b, len(m))
		for n, i := range m {
			fmt.Fprintf(&b, "%s\t%d\n", n, i)
		}
		files[name] = b.String()
	}
	return files
}

func changed(files map[string]string, change func(name, content string) (string, string)) map[string]string {
	out := map[string]string{}
	for name, content := range files {
		n, c := change(name, content)
		out[n] = c
	}
	return out
}

// All formats of one graph give the same graph.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	rows := sample
	three := func(extension string, write func([][3]string) string) map[string]string {
		files := map[string]string{}
		for i, part := range rows {
			files[Split(i).String()+extension] = write(part)
		}
		return files
	}
	gz := func(name, content string) (string, string) { return name + ".gz", content }
	crlf := func(name, content string) (string, string) {
		return name, "\ufeff" + strings.ReplaceAll(content, "\n", "\r\n")
	}
	txt := three(".txt", func(p [][3]string) string { return tsv(p, "\n", "") })
	nt := three(".nt", ntriples)
	ids := openke(rows)
	mixedZip := map[string]string{}
	for name, content := range txt {
		mixedZip[name] = content
	}
	mixedZip["test.txt.gz"] = mixedZip["test.txt"]
	delete(mixedZip, "test.txt")
	want := mustNew(t, rows[0], rows[1], rows[2])
	for name, files := range map[string]map[string]string{
		"txt":              txt,
		"tsv":              three(".tsv", func(p [][3]string) string { return tsv(p, "\n", "") }),
		"txt.gz":           changed(txt, gz),
		"partly gz":        mixedZip,
		"CRLF and BOM":     changed(txt, crlf),
		"no last line end": changed(txt, func(n, c string) (string, string) { return n, strings.TrimSuffix(c, "\n") }),
		"blank at the end": changed(txt, func(n, c string) (string, string) { return n, c + "\n \n" }),
		"source column": three(".tsv",
			func(p [][3]string) string { return tsv(p, "\n", "\thttps://example.org/a b") }),
		"empty source":    three(".tsv", func(p [][3]string) string { return tsv(p, "\n", "\t") }),
		"nt":              nt,
		"nt.gz":           changed(nt, gz),
		"nt CRLF and BOM": changed(nt, crlf),
		"nt comments": changed(nt, func(n, c string) (string, string) {
			return n, "# a graph\n\n" + strings.ReplaceAll(c, " .\n", " . # so\n\n")
		}),
		"openke":          ids,
		"openke gz":       changed(ids, gz),
		"openke CRLF BOM": changed(ids, crlf),
		"openke tabs": changed(ids, func(n, c string) (string, string) {
			if strings.HasPrefix(n, "entity") || strings.HasPrefix(n, "relation") {
				return n, c
			}
			return n, strings.ReplaceAll(c, " ", "\t")
		}),
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, files)
			g, err := Load(dir)
			expect.NoError(t, err)
			if g.Digest() != want.Digest() {
				t.Errorf("another graph: %q %q %v", g.Entities.names, g.Relations.names, g.Train)
			}
			if g.Name != filepath.Base(dir) || g.Source != dir || g.Labels != nil {
				t.Errorf("name %q, source %q", g.Name, g.Source)
			}
			for _, w := range g.Warnings {
				if w.Kind != UnseenEntity {
					t.Errorf("warning %v", w)
				}
			}
			if !IsGraph(dir) {
				t.Error("IsGraph says no")
			}
		})
	}
}

func TestSourceColumnNeedNotBeInAllFiles(t *testing.T) {
	t.Parallel()
	g, err := Load(folder(t, map[string]string{"train.txt": "a\tr\tb\tpage 1\n", "valid.txt": "a\tr\ta\n",
		"test.tsv": "b\tr\ta\n"}))
	if err != nil || len(g.Train) != 1 || g.Entities.Len() != 2 {
		t.Fatalf("%+v, %v", g, err)
	}
}

func TestNTriplesTerms(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][3]string{
		`<a> <r> <b> .`:                         {"a", "r", "b"},
		"<a>\t<r><b>.":                          {"a", "r", "b"},
		`_:x <r> _:y.`:                          {"_:x", "r", "_:y"},
		`_:x.y <r> _:ü-1 . # end`:               {"_:x.y", "r", "_:ü-1"},
		`<http://x/\u00e9\U0001F600> <r> <b> .`: {"http://x/é😀", "r", "b"},
		`<a> <r> "x" .`:                         {"a", "r", `"x"`},
		`<a> <r> "x"^^<` + xsdString + `> .`:    {"a", "r", `"x"`},
		`<a> <r> "4"^^<http://x/int> .`:         {"a", "r", `"4"^^<http://x/int>`},
		`<a> <r> "x"@de-AT .`:                   {"a", "r", `"x"@de-AT`},
		`<a> <r> "" .`:                          {"a", "r", `""`},
		`<a> <r> "\t\b\n\r\f\"\'\\\u00e9" .`:    {"a", "r", "\"\t\b\n\r\f\"'\\é\""},
		`<a> <r> "é # . > <" .`:                 {"a", "r", `"é # . > <"`},
	} {
		b := newBuilder()
		p, err := readNTriples(newLineReader(strings.NewReader(line), "f"), Train, b)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		x := p.triples[0]
		if got := [3]string{b.entities.list[x.Head], b.relations.list[x.Relation],
			b.entities.list[x.Tail]}; got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// Comments and blank lines must not shift the lines of warnings.
func TestNTriplesLines(t *testing.T) {
	t.Parallel()
	g, err := Load(folder(t, map[string]string{
		"train.nt": "<a> <r> <b> .\n\n# x\n<b> <r> <a> .\n\n<a> <r> <b> .\n",
		"valid.nt": "#\n<a> <r> <new> .\n",
		"test.nt":  "<a> <r> <a> .\n",
	}))
	expect.NoError(t, err)
	if len(g.Warnings) != 2 || g.Warnings[0].Line != 6 || g.Warnings[1].Line != 2 {
		t.Errorf("warnings %v", g.Warnings)
	}
}

// TestEntityWords: what is offered for an entity finds that entity, and is its label where that can be.
func TestEntityWords(t *testing.T) {
	t.Parallel()
	g, err := New("g", [][3]string{{"a", "r", "b"}, {"c", "r", "d"}, {"e", "r", "f"}}, nil, nil)
	expect.NoError(t, err)
	want := g.Entities.names
	for _, c := range []struct{ labels, want []string }{
		{nil, []string{"a", "b", "c", "d", "e", "f"}},
		{[]string{"Twin", "Twin", "", "a", "e", "Alone"}, []string{"a", "b", "c", "d", "e", "Alone"}},
	} {
		g.Labels = c.labels
		words := g.EntityWords()
		if !slices.Equal(words, c.want) {
			t.Errorf("labels %q: words %q, want %q", c.labels, words, c.want)
		}
		for id, word := range words {
			if found, err := g.FindEntity(word); err != nil || found != int32(id) {
				t.Errorf("word %q of entity %d finds %d, %v", word, id, found, err)
			}
		}
	}
	if !slices.Equal(want, []string{"a", "b", "c", "d", "e", "f"}) {
		t.Errorf("the graph's own names became %q", want)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"train.txt": "a\tr\tb\nb\tr\tc\n", "valid.txt": "a\tr\tc\n", "test.txt": "c\tr\ta\n",
		"entity_labels.tsv": "\ufeffa\tAnna\r\nx\tXaver\r\nb\t\r\ny\tYvonne\r\na\tAnna\r\n",
	}
	g, err := Load(folder(t, files))
	expect.NoError(t, err)
	if !slices.Equal(g.Labels, []string{"Anna", "", ""}) || g.Label(1) != "b" {
		t.Errorf("labels %q", g.Labels)
	}
	if len(g.Warnings) != 1 || g.Warnings[0].Kind != UnknownLabel || g.Warnings[0].Line != 2 ||
		g.Warnings[0].Count != 2 {
		t.Errorf("warnings %v", g.Warnings)
	}
	if g.RelationLabels != nil || g.RelationLabel(0) != "r" {
		t.Errorf("relations without a file have the labels %q", g.RelationLabels)
	}
	files["relation_labels.tsv"] = "r\tlikes\nq\tnone\n"
	if g, err := Load(folder(t, files)); err != nil || !slices.Equal(g.RelationLabels, []string{"likes"}) ||
		g.RelationLabel(0) != "likes" {
		t.Errorf("labels of relations: %v", err)
	} else if w := g.Warnings[len(g.Warnings)-1]; w.Line != 2 || filepath.Base(w.File) != "relation_labels.tsv" ||
		w.Message != "1 label is for a relation in no triple; the first is in this line; left out" {
		t.Errorf("warning %v", w)
	}
	files["entity_labels.tsv.gz"] = "a\tAnna\n"
	delete(files, "entity_labels.tsv")
	if g, err := Load(folder(t, files)); err != nil || g.Label(0) != "Anna" {
		t.Errorf("labels in gz: %v", err)
	}
}

func TestOpenKEUnusedNames(t *testing.T) {
	t.Parallel()
	g, err := Load(folder(t, map[string]string{
		"entity2id.txt":   "5\nspare two\t4\na\t0\nspare\t3\nb with space 1\nc\t2\n",
		"relation2id.txt": "2\nq 1\nr 0\n",
		"train2id.txt":    "2\n0 1 0\n1 2 0\n", "valid2id.txt": "1\n0\t2\t0\n", "test2id.txt": "1\n 2  0  0 \n",
	}))
	expect.NoError(t, err)
	if !slices.Equal(g.Entities.names, []string{"a", "b with space", "c"}) {
		t.Errorf("entities %q", g.Entities.names)
	}
	if len(g.Warnings) != 2 || g.Warnings[0].Kind != UnusedName || g.Warnings[0].Count != 2 ||
		g.Warnings[0].Line != 2 ||
		g.Warnings[1].Count != 1 || g.Warnings[1].Line != 2 {
		t.Errorf("warnings %v", g.Warnings)
	}
}

// Warnings of files name file and line; ids start at 0 but lines after the count.
func TestWarningLines(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"entity2id.txt": "3\na 0\nb 1\nc 2\n", "relation2id.txt": "1\nr 0\n",
		"train2id.txt": "3\n0 1 0\n1 0 0\n0 1 0\n", "valid2id.txt": "2\n0 0 0\n0 1 0\n", "test2id.txt": "1\n2 0 0\n",
	})
	g, err := Load(dir)
	expect.NoError(t, err)
	var got []string
	for _, w := range g.Warnings {
		got = append(got, fmt.Sprintf("%s %s:%d %d", w.Kind, filepath.Base(w.File), w.Line, w.Count))
	}
	want := []string{"duplicate-triple train2id.txt:4 1", "unseen-entity test2id.txt:2 1",
		"split-overlap valid2id.txt:3 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 200_000) // beyond the read buffer
	g, err := Load(folder(t, map[string]string{"train.txt": "a\tr\t" + long + "\nb\tr\ta\n", "valid.txt": "a\tr\tb\n",
		"test.txt": "a\tr\tb\n"}))
	if err != nil || g.Entities.Len() != 3 {
		t.Fatalf("%v", err)
	}
	if _, ok := g.Entities.ID(long); !ok {
		t.Error("the long name was cut")
	}
}

func TestMissingSplits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files []string
		want  []Split
	}{
		{nil, []Split{Train, Valid, Test}},
		{[]string{"train.tsv", "valid.tsv.gz"}, []Split{Test}},
		{[]string{"train2id.txt", "test2id.txt"}, []Split{Valid}},
		{[]string{"test.nt"}, []Split{Train, Valid}},
		{[]string{"train.tsv", "valid.tsv", "test.tsv", "notes.txt"}, nil},
	} {
		files := map[string]string{}
		for _, name := range c.files {
			files[name] = ""
		}
		if got := MissingSplits(folder(t, files)); !slices.Equal(got, c.want) {
			t.Errorf("%q lacks %v, want %v", c.files, got, c.want)
		}
	}
}
