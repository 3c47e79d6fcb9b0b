package kg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// fileNamed writes a file and returns its path.
func fileNamed(t *testing.T, name, content string) string {
	t.Helper()
	return filepath.Join(folder(t, map[string]string{name: content}), name)
}

// factsOf lists the triples of a graph by names, with their split.
func factsOf(g *Graph) []string {
	var list []string
	for _, s := range Splits() {
		for _, f := range g.Split(s) {
			list = append(list, fmt.Sprintf("%s|%s|%s %s", g.Entities.Name(f.Head), g.Relations.Name(f.Relation),
				g.Entities.Name(f.Tail), s))
		}
	}
	return list
}

func TestLoadFileForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"plain.csv", "a,likes,b\nb,likes,c\n", []string{"a|likes|b train", "b|likes|c train"}},
		{"header.csv", "head,relation,tail\na,likes,b\n", []string{"a|likes|b train"}},
		{"order.csv", "Tail,Head,Relation\nb,a,likes\n", []string{"a|likes|b train"}},
		{"subject.csv", "subject,predicate,object,source\na,likes,b,page 7\n", []string{"a|likes|b train"}},
		{"quotes.csv", "\"Born, Max\",said,\"\"\"no\"\"\"\n", []string{`Born, Max|said|"no" train`}},
		// a quoted field ends where the column ends
		{"spaces.csv", "a , likes, b\r\n\r\n\"b\" , likes , \"c\"\r\n", nil},
		{"tidy.csv", "a , likes, b\r\n\r\nb, likes , c\r\n", []string{"a|likes|b train", "b|likes|c train"}},
		{"breaks.csv", "a,says,\"one\ntwo\"\nb,says,c\n", []string{"a|says|one\ntwo train", "b|says|c train"}},
		{"semicolons.csv", "a;likes;b, the second\n", []string{"a|likes|b, the second train"}},
		{"tabs.tsv", "a b\tlikes, much\tc\n", []string{"a b|likes, much|c train"}},
		{"mark.csv", "\ufeffhead,relation,tail\na,likes,b\n", []string{"a|likes|b train"}},
		{"zipped.csv.gz", "a,likes,b\n", []string{"a|likes|b train"}},
		{"split.csv", "a,likes,b,train\nb,likes,c,Valid\nc,likes,a,TEST\n",
			[]string{"a|likes|b train", "b|likes|c valid", "c|likes|a test"}},
		{"named.csv", "split,head,relation,tail\ndev,a,likes,b\ntrain,b,likes,c\n",
			[]string{"b|likes|c train", "a|likes|b valid"}},
	} {
		g, err := LoadFile(fileNamed(t, c.name, c.content))
		if c.want == nil {
			if err == nil {
				t.Errorf("%s is accepted", c.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := factsOf(g); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if name, _, _ := strings.Cut(c.name, "."); g.Name != name || !filepath.IsAbs(g.Source) || g.Division == "" {
			t.Errorf("%s: name %q, source %q, division %q", c.name, g.Name, g.Source, g.Division)
		}
	}
}

func TestLoadFileErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content string
		line          int
		words         []string
	}{
		{"empty.csv", "", 0, []string{"no triple"}},
		{"onlyheader.csv", "head,relation,tail\n", 0, []string{"no triple"}},
		{"two.csv", "a,b\n", 1, []string{"2 columns", "head, relation, tail"}},
		{"five.csv", "a,b,c,d,e\n", 1, []string{"5 columns", "header"}},
		{"uneven.csv", "a,likes,b\nc,likes\n", 2, []string{"2 columns", "a field is missing"}},
		{"comma.csv", "a,likes,b\nBorn, Max,likes,b\n", 2, []string{"4 columns", "the lines before have 3"}},
		{"blank.csv", "a,likes,b\nc,,b\n", 2, []string{"relation is empty"}},
		{"quote.csv", "a,likes,b\nc,\"likes,b\n", 2, []string{"double quote"}},
		{"bare.csv", "a,li\"kes,b\n", 1, []string{"double quote inside a field"}},
		{"split.csv", "a,likes,b,train\nc,likes,b,page 7\n", 2, []string{`"page 7"`, "train, valid or test"}},
		{"untrained.csv", "a,likes,b,test\n", 0, []string{"no train"}},
		{"latin1.csv", "a,likes,b\nG\xf6ttingen,likes,b\n", 2, []string{"UTF-8"}},
		{"utf16.csv", "\xff\xfea\x00", 1, []string{"UTF-16"}},
		{"zero.csv", "a,likes,b\nc,li\x00kes,b\n", 2, []string{"zero byte"}},
		{"graph.dat", "a\tlikes\tb\n", 0, []string{".csv, .tsv, .txt, .nt"}},
	} {
		path := fileNamed(t, c.name, c.content)
		_, err := LoadFile(path)
		var file *FileError
		if !errors.As(err, &file) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if file.File != path || file.Line != c.line {
			t.Errorf("%s: the error names %s, line %d, want line %d: %v", c.name, file.File, file.Line, c.line, err)
		}
		for _, word := range c.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: the error lacks %q: %v", c.name, word, err)
			}
		}
	}
	if _, err := LoadFile(filepath.Join(t.TempDir(), "none.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestLoadFileDivides checks that tenths are drawn, that no triple is lost or doubled, that every name is in training,
// and that the order of lines does not matter.
func TestLoadFileDivides(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 40 {
		for step := 1; step <= 5; step++ {
			lines = append(lines, fmt.Sprintf("e%02d,plus%d,e%02d", i, step, (i+step)%40))
		}
	}
	lines = append(lines, "e01,rare,e02", "lonely,plus1,e03", "loop,self,loop", lines[7], lines[9])
	g, err := LoadFile(fileNamed(t, "g.csv", strings.Join(lines, "\n")))
	expect.NoError(t, err)
	if len(g.Train) != 203-40 || len(g.Valid) != 20 || len(g.Test) != 20 {
		t.Errorf("%d, %d and %d triples", len(g.Train), len(g.Valid), len(g.Test))
	}
	if len(g.Warnings) != 1 || g.Warnings[0].Kind != DuplicateTriple || g.Warnings[0].Count != 2 ||
		g.Warnings[0].Line != 204 {
		t.Errorf("warnings %v", g.Warnings)
	}
	seen := seenIn(g, g.Train)
	if slices.Contains(seen.entities, false) || slices.Contains(seen.relations, false) {
		t.Error("a name is not in training")
	}
	if !strings.Contains(g.Division, "163 train, 20 valid and 20 test") {
		t.Errorf("division: %s", g.Division)
	}
	slices.Reverse(lines)
	again, err := LoadFile(fileNamed(t, "g.csv", strings.Join(lines, "\n")))
	expect.NoError(t, err)
	if again.Digest() != g.Digest() {
		t.Error("the order of lines changes the graph")
	}
	// Golden: if the draw changes, logged graphs cannot be loaded again.
	if got, want := factsOf(g)[163:166], []string{"e04|plus2|e06 valid", "e05|plus2|e07 valid",
		"e06|plus4|e10 valid"}; !slices.Equal(got, want) {
		t.Errorf("the first validation triples are %q", got)
	}
	small := lines[:minDivided-1]
	all, err := LoadFile(fileNamed(t, "g.csv", strings.Join(small, "\n")))
	expect.NoError(t, err)
	if len(all.Valid)+len(all.Test) != 0 || !strings.Contains(all.Division, "train") {
		t.Errorf("a small file is divided: %s", all.Division)
	}
}

func FuzzLoadFile(f *testing.F) {
	for _, s := range []string{"a,likes,b\n", "h;r;t\na;b;c\n", "s\tp\to\na\tb\tc\n",
		":START_ID,:TYPE,:END_ID\n1,t,2\n", "head,relation,tail,split\na,b,c,test\n", "\"a\"\"\",b,\"c\nd\"\n",
		"a;b;c\n", "\ufeff,,\n", "a,b,c,train\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		path := filepath.Join(t.TempDir(), "f.csv")
		expect.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		g, err := LoadFile(path)
		var file *FileError
		if err != nil {
			if !errors.As(err, &file) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if len(g.Train) == 0 || g.Entities.Len() == 0 || g.Relations.Len() == 0 {
			t.Fatal("an empty graph")
		}
	})
}

// TestNameOf: the name is that of the loaded graph, whatever the file is compressed with or the folder is called.
func TestNameOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"a/hpo.csv.gz": "hpo", "b.c/Genes.v2.TSV": "Genes.v2", "x/family.nt": "family",
		"data/wn18rr": "wn18rr", "data/of.people/": "of.people"} {
		if got := NameOf(path); got != want {
			t.Errorf("%s is named %s, want %s", path, got, want)
		}
	}
}
