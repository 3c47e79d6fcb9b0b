package kg

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// badFile is a folder with exactly one fault.
type badFile struct {
	name  string
	files map[string]string // added to the good files, or instead of them
	drop  string            // a good file that is removed
	at    string            // file and line of the error; "" is the folder
	want  string            // part of the message
}

func (c badFile) check(t *testing.T, good map[string]string) {
	t.Helper()
	files := map[string]string{}
	for n, s := range good {
		if n != c.drop {
			files[n] = s
		}
	}
	for n, s := range c.files {
		files[n] = s
	}
	dir := folder(t, files)
	_, err := Load(dir)
	fe, ok := errors.AsType[*FileError](err)
	if !ok {
		t.Fatalf("error %v, want %s: %s", err, c.at, c.want)
	}
	at := strings.TrimPrefix(strings.TrimPrefix(fe.File, dir), string(filepath.Separator))
	if fe.Line > 0 {
		at += fmt.Sprintf(":%d", fe.Line)
	}
	if at != c.at || !strings.Contains(fe.Message, c.want) {
		t.Errorf("error at %q: %s\nwant   at %q: %s", at, fe.Message, c.at, c.want)
	}
	if !strings.HasPrefix(err.Error(), fe.File) || strings.Contains(err.Error(), "\n") {
		t.Errorf("text %q", err)
	}
}

func TestBadTSV(t *testing.T) {
	t.Parallel()
	good := map[string]string{"train.txt": "a\tr\tb\nb\tr\tc\n", "valid.txt": "a\tr\tc\n", "test.txt": "c\tr\ta\n"}
	for _, c := range []badFile{
		{"two columns", map[string]string{"train.txt": "a\tr\n"}, "", "train.txt:1", "2 columns, expected 3"},
		{"two columns later", map[string]string{"train.txt": "a\tr\tb\na\tr\tc\nb\tr\n"}, "", "train.txt:3",
			"2 columns, but the lines before have 3"},
		{"five columns", map[string]string{"valid.txt": "a\tr\tb\tx\ty\n"}, "", "valid.txt:1", "5 columns, expected 3"},
		{"a fourth column later", map[string]string{"test.txt": "a\tr\tb\na\tr\tc\tsource\n"}, "", "test.txt:2",
			"4 columns, but the lines before have 3"},
		{"no fourth column later", map[string]string{"test.txt": "a\tr\tb\tsource\r\na\tr\tc\r\n"}, "", "test.txt:2",
			"3 columns, but the lines before have 4"},
		{"spaces", map[string]string{"train.txt": "a r b\n"}, "", "train.txt:1", "replace the spaces"},
		{"commas", map[string]string{"train.txt": "a,r,b\n"}, "", "train.txt:1", "replace the commas"},
		{"empty head", map[string]string{"train.txt": "a\tr\tb\n\tr\tb\n"}, "", "train.txt:2", "the head is empty"},
		{"blank relation", map[string]string{"train.txt": "a\t \tb\n"}, "", "train.txt:1", "the relation is empty"},
		{"empty tail", map[string]string{"train.txt": "a\tr\t\r\n"}, "", "train.txt:1", "the tail is empty"},
		{"empty tail before a source", map[string]string{"train.txt": "a\tr\t\tsource\n"}, "", "train.txt:1",
			"the tail is empty"},
		{"blank line", map[string]string{"train.txt": "a\tr\tb\n\n\nb\tr\ta\n"}, "", "train.txt:2", "blank"},
		{"bad UTF-8", map[string]string{"valid.txt": "a\tr\tc\na\tr\tb\xfc\n"}, "", "valid.txt:2",
			"not valid UTF-8 at byte 6"},
		{"UTF-16", map[string]string{"valid.txt": "\xff\xfea\x00\t\x00r\x00"}, "", "valid.txt:1", "UTF-16"},
		{"zero byte", map[string]string{"valid.txt": "a\tr\t\x00\n"}, "", "valid.txt:1", "zero byte at byte 5"},
		{"empty file", map[string]string{"train.txt": ""}, "", "train.txt", "the file is empty"},
		{"only blank lines", map[string]string{"train.txt": "\n\r\n"}, "", "train.txt", "the file is empty"},
		{"only a BOM", map[string]string{"train.txt": "\ufeff"}, "", "train.txt", "the file is empty"},
		{"a huge line", map[string]string{"test.txt": "a\tr\tb\n" + strings.Repeat("x", maxLine+1)}, "", "test.txt:2",
			"longer than"},
		{"no train", nil, "train.txt", "", "the train split is missing: no train.txt, no train.txt.gz, no train.tsv"},
		{"two train files", map[string]string{"train.tsv.gz": "a\tr\tb\n"}, "", "", "both train.txt and train.tsv.gz"},
		{"plain and gz", map[string]string{"valid.txt.gz": "a\tr\tb\n"}, "", "", "both valid.txt and valid.txt.gz"},
		{"another format", map[string]string{"train.nt": "<a> <r> <b> .\n"}, "", "",
			"mixes formats: train.txt is tab-separated names, train.nt is N-Triples"},
		{"ids instead of valid", map[string]string{"valid2id.txt": "1\n0 1 0\n"}, "valid.txt", "", "mixes formats"},
		{"labels: one column", map[string]string{"entity_labels.tsv": "a\tA\nb\n"}, "", "entity_labels.tsv:2",
			"1 column, expected 2"},
		{"labels: three columns", map[string]string{"entity_labels.tsv": "a\tA\tx\n"}, "", "entity_labels.tsv:1",
			"3 columns, expected 2"},
		{"labels: no entity", map[string]string{"entity_labels.tsv": "\tA\n"}, "", "entity_labels.tsv:1",
			"the entity is empty"},
		{"labels: two for one", map[string]string{"entity_labels.tsv": "a\tA\nb\tB\na\tC\n"}, "", "entity_labels.tsv:3",
			`a second label "C"`},
		{"labels of relations: two for one", map[string]string{"relation_labels.tsv": "r\tA\nr\tC\n"}, "",
			"relation_labels.tsv:2", `relation "r" has a second label "C"`},
		{"labels: bad UTF-8", map[string]string{"entity_labels.tsv": "a\t\xff\n"}, "", "entity_labels.tsv:1", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t, good) })
	}
}

func TestBadOpenKE(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"entity2id.txt": "3\na\t0\nb\t1\nc\t2\n", "relation2id.txt": "1\nr\t0\n",
		"train2id.txt": "2\n0 1 0\n1 2 0\n", "valid2id.txt": "1\n0 2 0\n", "test2id.txt": "1\n2 0 0\n",
	}
	if _, err := Load(folder(t, good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []badFile{
		{"count too high", map[string]string{"train2id.txt": "3\n0 1 0\n1 2 0\n"}, "", "train2id.txt:1",
			"the count is 3, but the file holds 2"},
		{"count too low", map[string]string{"train2id.txt": "1\n0 1 0\n1 2 0\n"}, "", "train2id.txt:1",
			"the count is 1, but the file holds 2"},
		{"count zero", map[string]string{"train2id.txt": "0\n"}, "", "train2id.txt:1", "the file is empty"},
		{"no count", map[string]string{"train2id.txt": "0 1 0\n1 2 0\n"}, "", "train2id.txt:1",
			`"0 1 0" is not a count`},
		{"negative count", map[string]string{"train2id.txt": "-1\n"}, "", "train2id.txt:1", "is not a count"},
		{"empty", map[string]string{"train2id.txt": ""}, "", "train2id.txt", "the file is empty"},
		{"two columns", map[string]string{"train2id.txt": "1\n0 1\n"}, "", "train2id.txt:2", "2 columns, expected 3"},
		{"four columns", map[string]string{"train2id.txt": "1\n0 1 0 0\n"}, "", "train2id.txt:2",
			"4 columns, expected 3"},
		{"no number", map[string]string{"train2id.txt": "1\n0 x 0\n"}, "", "train2id.txt:2",
			`the tail "x" is not an id`},
		{"unknown head", map[string]string{"train2id.txt": "1\n3 0 0\n"}, "", "train2id.txt:2",
			"the head id 3 is not in"},
		{"unknown relation", map[string]string{"train2id.txt": "2\n0 1 0\n0 1 1\n"}, "", "train2id.txt:3",
			"the relation id 1 is not in"},
		{"negative id", map[string]string{"train2id.txt": "1\n0 -1 0\n"}, "", "train2id.txt:2",
			"the tail id -1 is not in"},
		{"huge id", map[string]string{"train2id.txt": "1\n0 4294967296 0\n"}, "", "train2id.txt:2", "is not an id"},
		{"names: count", map[string]string{"entity2id.txt": "4\na\t0\nb\t1\nc\t2\n"}, "", "entity2id.txt:1",
			"the count is 4, but the file holds 3"},
		{"names: same id", map[string]string{"entity2id.txt": "3\na\t0\nb\t1\nc\t1\n"}, "", "entity2id.txt:4",
			"id 1 is already in line 3"},
		{"names: same name", map[string]string{"entity2id.txt": "3\na\t0\nb\t1\na\t2\n"}, "", "entity2id.txt:4",
			`entity "a" is already in line 2`},
		{"names: id too high", map[string]string{"relation2id.txt": "1\nr\t1\n"}, "", "relation2id.txt:2",
			"id 1 is not in the range 0 to 0"},
		{"names: no id", map[string]string{"relation2id.txt": "1\nr\n"}, "", "relation2id.txt:2",
			"1 column, expected 2"},
		{"names: swapped", map[string]string{"relation2id.txt": "1\n0\tr\n"}, "", "relation2id.txt:2",
			`"r" is not an id`},
		{"names: empty name", map[string]string{"relation2id.txt": "1\n\t0\n"}, "", "relation2id.txt:2",
			"the relation is empty"},
		{"names: bad UTF-8", map[string]string{"entity2id.txt": "3\na\t0\nb\xff\t1\nc\t2\n"}, "", "entity2id.txt:3",
			"UTF-8"},
		{"no entity2id", nil, "entity2id.txt", "", "entity2id.txt is missing"},
		{"no relation2id", nil, "relation2id.txt", "", "relation2id.txt is missing"},
		{"two entity2id", map[string]string{"entity2id.txt.gz": "1\n"}, "", "",
			"both entity2id.txt and entity2id.txt.gz"},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t, good) })
	}
}

func TestBadNTriples(t *testing.T) {
	t.Parallel()
	good := map[string]string{"train.nt": "<a> <r> <b> .\n", "valid.nt": "<a> <r> <a> .\n",
		"test.nt": "<b> <r> <a> .\n"}
	for _, c := range []struct{ line, want string }{
		{`<a> <r> <b>`, "byte 12: the full stop"},
		{`<a> <r> <b> <g> .`, "byte 13: a fourth term"},
		{`<a> <r> .`, "byte 9: the object is neither"},
		{`<a> <r>`, "byte 8: the object is missing"},
		{`<a <r> <b> .`, "an IRI cannot hold ' '"},
		{`<a> <r> <b`, "no closing >"},
		{`<> <r> <b> .`, "the IRI is empty"},
		{`<a> <r> <_:b> .`, "byte 9: an IRI cannot begin with _:"},
		{`<\u005f:b> <r> <b> .`, "byte 1: an IRI cannot begin with _:"},
		{`<a\n> <r> <b> .`, "only \\u and \\U"},
		{`<a\u0020> <r> <b> .`, "an IRI cannot hold ' '"},
		{`<a\u00e> <r> <b> .`, "4 hexadecimal digits"},
		{`<a\uD800> <r> <b> .`, "not a Unicode character"},
		{`<a\U00110000> <r> <b> .`, "not a Unicode character"},
		{`<a\u0000> <r> <b> .`, "U+0000"},
		{`"a" <r> <b> .`, "byte 1: the subject is a literal"},
		{`<a> _:r <b> .`, "byte 5: the predicate is a blank node"},
		{`<a> "r" <b> .`, "byte 5: the predicate is a literal"},
		{`<a> <r> "b .`, "byte 9: the literal has no closing quote"},
		{`<a> <r> "b\` + `x" .`, "unknown escape"},
		{`<a> <r> "b\`, "lone"},
		{`<a> <r> "b"@ .`, "language tag"},
		{`<a> <r> "b"@en- .`, "language tag"},
		{`<a> <r> "b"^^xsd:int .`, "must be an IRI"},
		{`<a> <r> _: .`, "a blank node's label"},
		{`<a> <r> _b .`, "_:label"},
		{`<a> <r> <b> . <c>`, "text after the full stop"},
		{`a r b .`, "the subject is neither"},
		{"a\tr\tb", "the subject is neither"},
	} {
		t.Run(c.line, func(t *testing.T) {
			badFile{files: map[string]string{"train.nt": "<a> <r> <b> .\n# comment\n" + c.line + "\n"},
				at: "train.nt:3", want: c.want}.check(t, good)
		})
	}
	badFile{files: map[string]string{"train.nt": "# nothing\n\n"}, at: "train.nt", want: "holds no triple"}.check(t,
		good)
}

func TestBadFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	expect.NoError(t, os.WriteFile(file, []byte("x"), 0o644))
	for path, want := range map[string]string{
		filepath.Join(dir, "absent"): "no such graph folder",
		file:                         "this is a file; a graph is a folder with a train file, and",
		dir:                          "no graph here",
	} {
		_, err := Load(path)
		if fe, ok := errors.AsType[*FileError](err); !ok || fe.File != path || !strings.Contains(fe.Message, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	sub := folder(t, map[string]string{"valid.txt": "a\tr\tb\n", "test.txt": "a\tr\tb\n"})
	expect.NoError(t, os.Mkdir(filepath.Join(sub, "train.txt"), 0o755))
	// without a line or a system call
	want := filepath.Join(sub, "train.txt") + ": is a folder; a file is expected here"
	if _, err := Load(sub); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("a folder in place of a file: %v, want %s", err, want)
	}
}

func TestBadGzip(t *testing.T) {
	t.Parallel()
	whole := zipped(t, strings.Repeat("a\tr\tb\n", 1000)+"c\tr\td\n")
	broken := bytes.Clone(whole)
	broken[len(broken)-6] ^= 1 // the checksum
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut":          {whole[:len(whole)-10], "ends too early"},
		"cut at once":  {whole[:5], "ends too early"},
		"empty":        {nil, "the file is empty"},
		"bad checksum": {broken, "checksum"},
		"not gzip":     {[]byte("a\tr\tb\n and more text"), "not gzip data"},
		"empty inside": {zipped(t, ""), "the file is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"valid.txt": "a\tr\tb\n", "test.txt": "a\tr\tb\n"})
			path := filepath.Join(dir, "train.txt.gz")
			expect.NoError(t, os.WriteFile(path, c.data, 0o644))
			_, err := Load(dir)
			if fe, ok := errors.AsType[*FileError](err); !ok || fe.File != path ||
				!strings.Contains(fe.Message, c.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}
