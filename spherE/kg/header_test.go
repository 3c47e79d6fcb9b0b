package kg

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestHeaderLines(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"h,r,t", "H,R,T", "head,relation,tail", "s,p,o", "Subject,Predicate,Object",
		"from,rel,to", "source,edge,target", "src,type,dst", "head_id,relation_id,tail_id",
		"Head Name,relation,Tail Name",
		"#start,type,end", ":START_ID,:TYPE,:END_ID", "subj,pred,obj", "node1,label,node2",
		`"from","relationship","to"`} {
		g, err := LoadFile(fileNamed(t, "g.csv", header+"\na,likes,b\nb,likes,c\nc,likes,a\n"))
		if err != nil {
			t.Errorf("%s: %v", header, err)
			continue
		}
		want := []string{"a|likes|b train", "b|likes|c train", "c|likes|a train"}
		if got := factsOf(g); !slices.Equal(got, want) || len(g.Warnings) > 0 {
			t.Errorf("%s: %q, warnings %v", header, got, g.Warnings)
		}
	}
	// Columns in another order, among others; the plainest word of two wins.
	for header, line := range map[string]string{"source,to,rel,head": "page 7,b,likes,a", "id,o,s,p": "1,b,a,likes",
		"type,relation,subject,object,split": "x,likes,a,b,train"} {
		g, err := LoadFile(fileNamed(t, "g.csv", header+"\n"+line+"\n"))
		if err != nil || !slices.Equal(factsOf(g), []string{"a|likes|b train"}) {
			t.Errorf("%s: %v", header, err)
		}
	}
	// In a folder, too: each file may have one, and other columns.
	for _, header := range []string{"h\tr\tt", "From\tRel\tTo", "s\tp\to"} {
		g, err := Load(folder(t, map[string]string{"train.txt": header + "\na\tlikes\tb\n",
			"valid.txt": "b\tlikes\ta\n", "test.txt": "\tt\tr\tscore\th\n0\tc\tlikes\t.5\ta\n"}))
		if err != nil {
			t.Errorf("%s: %v", header, err)
			continue
		}
		want := []string{"a|likes|b train", "b|likes|a valid", "a|likes|c test"}
		if got := factsOf(g); !slices.Equal(got, want) {
			t.Errorf("%s: %q", header, got)
		}
	}
}

func TestSuspectHeader(t *testing.T) {
	t.Parallel()
	rest := "a,likes,b\nb,likes,c\nc,owns,a\n"
	for content, want := range map[string]string{
		"von,kante,nach\n" + rest: `g.csv:1: "von", "kante", "nach" may be a header line: its names occur nowhere else; ` +
			`it is read as a triple; remove it, or name its columns head, relation, tail`,
		"a,kante,nach\n" + rest:   "", // a is an entity
		"x,likes,y\n" + rest:      "", // likes is a relation
		rest + "von,kante,nach\n": "", // not the first line
		"s,p,o\n" + rest:          "",
		"x,y,z\n":                 "", // nothing to compare with
	} {
		g, err := LoadFile(fileNamed(t, "g.csv", content))
		expect.NoError(t, err)
		got := ""
		for _, w := range g.Warnings {
			if w.Kind == SuspectHeader {
				got += w.String()
			}
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: warning %q, want %q", content, got, want)
		}
	}
	tabs := strings.ReplaceAll(rest, ",", "\t")
	headed := "von\tkante\tnach\n" + tabs
	g, err := Load(folder(t, map[string]string{"train.txt": headed, "valid.txt": headed, "test.txt": tabs}))
	expect.NoError(t, err)
	count := 0
	for _, w := range g.Warnings {
		if w.Kind == SuspectHeader {
			count++
		}
	}
	if count != 2 {
		t.Errorf("warnings of a folder: %v", g.Warnings)
	}
}

func TestLoadFileOtherEndings(t *testing.T) {
	t.Parallel()
	want := []string{"a b|likes|c train", "c|likes|a b train"}
	for name, content := range map[string]string{
		"g.txt":    "a b\tlikes\tc\nc\tlikes\ta b\n",
		"h.txt":    "a b;likes;c\r\nc;likes;a b\r\n",
		"i.txt":    "\ufeffh,r,t\n\"a b\",likes,c\nc,likes,a b\n",
		"j.txt.gz": "a b\tlikes\tc\na b\tlikes\tc\nc\tlikes\ta b\n",
		"k.csv":    "a b\tlikes\tc\nc\tlikes\ta b\n",
		"l.tsv":    "a b,likes,c\nc,likes,a b\n",
	} {
		g, err := LoadFile(fileNamed(t, name, content))
		if err != nil || !slices.Equal(factsOf(g), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	fact := "<a> <likes> \"b \\u00e9\\t\\\"q\\\"\"@en .\n"
	nt := "# facts\n" + fact + "\n" + fact + "_:n <likes> <a> .\n"
	for _, name := range []string{"g.nt", "g.nt.gz"} {
		g, err := LoadFile(fileNamed(t, name, nt))
		expect.NoError(t, err)
		want := []string{"_:n|likes|a train", "a|likes|\"b é\t\"q\"\"@en train"}
		got := factsOf(g)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
		if w := g.Warnings; len(w) != 1 || w[0].Kind != DuplicateTriple || w[0].Line != 4 {
			t.Errorf("%s: %v", name, w)
		}
	}
	for _, test := range []struct {
		name, content string
		line          int
		word          string
	}{
		{"spaces.txt", "a likes b\na likes c d\n", 1, "1 column, expected 3"},
		{"short.csv", "a,likes,b\na,likes\n", 2, "2 columns, but the lines before have 3; a field is missing"},
		{"long.csv", "a,likes,b\na,likes,b,c\n", 2, "have 3; put a field that holds a comma in double quotes"},
		{"named.csv", "name,kind,to whom,since\na,likes,b,1990\n", 1, "need a header line that names head, relation"},
		{"split.csv", "head,relation,tail,split\na,likes,b,later\n", 2, "without a split column the triples are divided"},
		{"bad.nt", "<a> <r> <b> .\n<a> <r> \"\\q\" .\n", 2, "an unknown escape"},
		{"empty.nt", "# nothing\n", 0, "it holds no triple"},
	} {
		_, err := LoadFile(fileNamed(t, test.name, test.content))
		var file *FileError
		if !errors.As(err, &file) || file.Line != test.line || !strings.Contains(file.Message, test.word) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
