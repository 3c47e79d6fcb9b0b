package kg

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
)

// cites are facts of a small graph, heads and tails of which are the same kind of entities.
func cites() (rows [][3]string) {
	for i := range 12 {
		relation := "cites"
		if i%3 == 0 {
			relation = "extends"
		}
		rows = append(rows, [3]string{fmt.Sprint("p", i), relation, fmt.Sprint("p", (i*i+3)%13)})
	}
	return rows
}

// causes are facts whose heads and tails are different kinds, with one relation.
func causes(n int) (rows [][3]string) {
	for i := range n {
		rows = append(rows, [3]string{fmt.Sprint("gene", i/2), "causes", fmt.Sprint("illness", i)})
	}
	return rows
}

// lines writes rows with the columns of an order: h, r, t for the names, n for the number of the line, w for a weight.
func lines(rows [][3]string, order, sep string) string {
	var b strings.Builder
	for i, row := range rows {
		var fields []string
		for _, c := range order {
			fields = append(fields, map[rune]string{'h': row[0], 'r': row[1], 't': row[2], 'n': fmt.Sprint(i),
				'1': fmt.Sprint(i + 1), 'w': fmt.Sprintf("%.2f", float64(i)/7+.1)}[c])
		}
		b.WriteString(strings.Join(fields, sep) + "\n")
	}
	return b.String()
}

func wanted(rows [][3]string) (list []string) {
	for _, row := range rows {
		list = append(list, fmt.Sprintf("%s|%s|%s train", row[0], row[1], row[2]))
	}
	slices.Sort(list)
	return list
}

func one(rows [][3]string, relation string) (out [][3]string) {
	for _, row := range rows {
		out = append(out, [3]string{row[0], relation, row[2]})
	}
	return out
}

// shape is a file as people write it, and what it is read as.
type shape struct {
	name, content string
	r             Reading
	want          [][3]string // nil for an error
	words         string      // of the error, or of the note
	action        hint.Action
	subject       string
}

// TestShapes: what pandas, networkx, Neo4j and people write is read as it was meant, or refused with what to type.
func TestShapes(t *testing.T) {
	t.Parallel()
	c, k := cites(), causes(30)
	pairs := one(c, "knows")
	ask := func(name, content, words string, action hint.Action, subject string) shape {
		return shape{name, content, Reading{}, nil, words, action, subject}
	}
	for i, s := range []shape{
		// networkx
		{"nx.tsv", lines(c, "htr", "\t"), Reading{}, c, "the third column holds the relation: it has 2 names", "", ""},
		{"nx.txt", lines(c, "htr", " "), Reading{}, c, "the third column holds the relation", "", ""},
		{"first.csv", lines(c, "rht", ","), Reading{}, c, "the first column holds the relation", "", ""},
		ask("bipartite.csv", lines(k, "htr", ","), "with 30 names in 30 lines, but the third has 1", hint.NameColumns,
			"head,tail,relation"),
		{"bipartite.csv", lines(k, "htr", ","), Reading{Columns: "head,tail,relation"}, k, "", "", ""},
		{"bipartite.csv", lines(k, "htr", ","), Reading{Columns: "1,3,2"}, k, "", "", ""},
		ask("weights.csv", lines(c, "htw", ","), "weights", hint.NameColumns, "head,tail,-"),
		{"weights.csv", lines(c, "htw", ","), Reading{Columns: "head,tail,-", Relation: "knows"}, pairs, "", "", ""},
		ask("braces.txt", "p0 p1 {'relation': 'cites'}\n", `data=["relation"]`, "", ""),
		ask("pairs.txt", lines(c, "ht", " "), "2 columns", hint.NameRelation, "NAME"),
		ask("pairs.csv", lines(c, "ht", ","), "2 columns", hint.NameRelation, "NAME"),
		ask("pairs.tsv", "source\ttarget\n"+lines(c, "ht", "\t"), "no relation", hint.NameRelation, "NAME"),
		{"pairs.txt", lines(c, "ht", " "), Reading{Relation: "knows"}, pairs, "", "", ""},
		{"pairs.tsv", lines(c, "ht", "\t"), Reading{Relation: "knows"}, pairs, "", "", ""},
		{"pairs.tsv", "source\ttarget\n" + lines(c, "ht", "\t"), Reading{Relation: "knows"}, pairs, "", "", ""},
		{"pairs.csv", "target,weight,source\n" + lines(c, "twh", ","), Reading{Relation: "knows"}, pairs, "", "", ""},
		{"frame.csv", "source,target,kind\n" + lines(c, "htr", ","), Reading{}, c, "", "", ""},
		ask("frame.csv", "source,target,weight\n"+lines(c, "htw", ","), `"weight" has only numbers`, hint.NameColumns,
			"head,tail,-"),
		// pandas
		{"index.csv", ",head,relation,tail\n" + lines(c, "nhrt", ","), Reading{}, c, "", "", ""},
		{"index.csv", ",who,what,whom\n" + lines(c, "nhrt", ","), Reading{}, c, "counts the lines", "", ""},
		{"index.csv", lines(c, "nhrt", ","), Reading{}, c, "counts the lines", "", ""},
		{"index.csv", lines(c, "1htr", ","), Reading{}, c, "the third column holds the relation", "", ""},
		ask("index.csv", lines(c, "nht", ","), "the first column counts the lines, which leaves two", hint.NameColumns,
			"-,head,tail"),
		{"index.csv", lines(c, "nht", ","), Reading{Columns: "-,head,tail", Relation: "knows"}, pairs, "", "", ""},
		// Neo4j
		{"neo.csv", ":START_ID(Gene),:END_ID(Illness),:TYPE\n" + lines(k, "htr", ","), Reading{}, k, "", "", ""},
		{"neo.csv", "gene:START_ID(Gene),score:float,:TYPE,:END_ID(Illness)\n" + lines(k, "hwrt", ","), Reading{}, k, "",
			"", ""},
		{"neo.csv", ":START_ID(Gene),:END_ID\n" + lines(c, "ht", ","), Reading{Relation: "knows"}, pairs, "", "", ""},
		ask("neo.csv", ":START_ID(Gene),:END_ID\n"+lines(c, "ht", ","), "no relation", hint.NameRelation, "NAME"),
		{"apoc.csv", "_start,_end,_type\n" + lines(c, "htr", ","), Reading{}, c, "", "", ""},
		{"typed.csv", "head:string;relation:string;tail:string\n" + lines(c, "hrt", ";"), Reading{}, c, "", "", ""},
		// a word relation
		{"middle.csv", "gene,relation,illness\n" + lines(k, "hrt", ","), Reading{}, k, "", "", ""},
		{"middle.tsv", "gene\tillness\trelation_type\n" + lines(k, "htr", "\t"), Reading{}, k, "", "", ""},
		ask("wide.csv", "x_name,relation,y_name,y_source\n"+lines(k, "hrtw", ","), "which of them are head, relation and tail",
			hint.NameColumns, "x_name,relation,y_name"),
		{"wide.csv", "x_name,relation,y_name,y_source\n" + lines(k, "hrtw", ","),
			Reading{Columns: "X_name, relation,y_name"}, k, "", "", ""},
		ask("wide.csv", lines(k, "hrtww", ","), "5 columns", hint.NameColumns, "head,relation,tail"),
		{"wide.csv", lines(k, "hrtww", ","), Reading{Columns: "head,relation,tail"}, k, "", "", ""},
		// what is right as it is
		{"right.csv", lines(c, "hrt", ","), Reading{}, c, "", "", ""},
		{"right.csv", lines(k, "hrt", ","), Reading{}, k, "", "", ""},
		{"data.csv", "a,relation,b\n" + lines(k, "hrt", ",") + "c,relation,d\n", Reading{},
			append([][3]string{{"a", "relation", "b"}, {"c", "relation", "d"}}, k...), "", "", ""},
		{"right.csv", lines(c, "htr", ","), Reading{Columns: "head,relation,tail"}, [][3]string{}, "", "", ""},
		// Errors of what is asked for.
		{"no.csv", "who,what,whom\na,r,b\n", Reading{Columns: "who,what,where"}, nil, `no column "where" in the first line`,
			"", ""},
		{"no.csv", "a,r,b\n", Reading{Columns: "1,2,4"}, nil, "3 columns, but column 4", "", ""},
		{"no.csv", "head,relation,tail\na,r,b\n", Reading{Relation: "r"}, nil, `"relation" holds relations`, "", ""},
		{"no.csv", "a,r,b\n", Reading{Relation: "r"}, nil, "3 columns, and one relation", hint.NameColumns, "head,tail,-"},
	} {
		t.Run(fmt.Sprint(i, s.name), func(t *testing.T) { checkShape(t, s) })
	}
}

// checkShape reads a file and compares facts, notes, or error and hint.
func checkShape(t *testing.T, s shape) {
	t.Helper()
	path := fileNamed(t, s.name, s.content)
	g, err := LoadDivided(path, Division{Reading: s.r})
	if s.want == nil {
		var file *FileError
		if !errors.As(err, &file) || file.File != path || !strings.Contains(err.Error(), s.words) {
			t.Fatalf("%v, want %q", err, s.words)
		}
		hints := hint.Of(err)
		if s.action == "" && len(hints) > 0 || s.action != "" && (len(hints) == 0 ||
			hints[0] != hint.Hint{Action: s.action, Subject: s.subject}) {
			t.Errorf("hints %v of %v", hints, err)
		}
		return
	}
	expect.NoError(t, err)
	got := factsOf(g)
	slices.Sort(got)
	if len(s.want) > 0 && !slices.Equal(got, wanted(s.want)) {
		t.Errorf("%q, want %q", got, wanted(s.want))
	}
	if len(s.want) == 0 && g.Relations.Len() < 5 {
		t.Errorf("the order that is asked for is not kept: %q", got)
	}
	notes := ""
	for _, w := range g.Warnings {
		notes += w.String() + "\n"
	}
	if (s.words == "") != (notes == "") || !strings.Contains(notes, s.words) {
		t.Errorf("notes %q, want %q", notes, s.words)
	}
}

// TestShapesOfFolders: the files of a folder are read as a file is.
func TestShapesOfFolders(t *testing.T) {
	t.Parallel()
	c := cites()
	want := append(wanted(c[:8]), "p8|cites|p2 valid", "p9|extends|p6 test", "p10|cites|p12 test", "p11|cites|p7 test")
	slices.Sort(want)
	for name, files := range map[string]map[string]string{
		"networkx": {"train.txt": lines(c[:8], "htr", "\t"), "valid.txt": lines(c[8:9], "htr", "\t"),
			"test.txt": lines(c[9:], "htr", "\t")},
		"header": {"train.tsv": "h\tt\tr\n" + lines(c[:8], "htr", "\t"), "valid.txt": lines(c[8:9], "hrt", "\t"),
			"test.txt": lines(c[9:], "hrt", "\t")},
		"csv": {"train.csv": lines(c[:8], "hrt", ","), "valid.csv.gz": "o,s,p\n" + lines(c[8:9], "thr", ","),
			"test.csv": lines(c[9:], "hrt", ",")},
		"words": {"training.txt": lines(c[:8], "hrt", "\t"), "dev.txt": lines(c[8:9], "hrt", "\t"),
			"test.txt": lines(c[9:], "hrt", "\t")},
	} {
		dir := folder(t, files)
		g, err := Load(dir)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := factsOf(g)
		slices.Sort(got)
		if !slices.Equal(got, want) || !IsGraph(dir) || len(MissingSplits(dir)) > 0 || g.Division != "" {
			t.Errorf("%s: %q, want %q; %s", name, got, want, g.Division)
		}
	}
	k := causes(30)
	dir := folder(t, map[string]string{"train.txt": lines(k[:28], "htr", "\t"), "valid.txt": lines(k[28:29], "htr", "\t"),
		"test.txt": lines(k[29:], "htr", "\t")})
	if _, err := Load(dir); !slices.Equal(hint.Of(err), []hint.Hint{{Action: hint.NameColumns,
		Subject: "head,tail,relation"}, {Action: hint.NameColumns, Subject: "head,relation,tail"}}) {
		t.Errorf("two ways to read: %v", err)
	}
	g, err := LoadDivided(dir, Division{Reading: Reading{Columns: "head,tail,relation"}})
	if err != nil || g.Relations.Len() != 1 || len(g.Train) != 28 || len(g.Test) != 1 {
		t.Errorf("columns of a folder: %v", err)
	}
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	inside := "12\" disc\tplays\tSong \"A\"\n\"B\tplays\t\"C\" and D\n"
	g, err := LoadFile(fileNamed(t, "g.tsv", inside))
	if err != nil || len(g.Warnings) > 0 {
		t.Fatalf("%v, %v", err, g.Warnings)
	}
	want := []string{`"B|plays|"C" and D train`, `12" disc|plays|Song "A" train`}
	if got := factsOf(g); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	whole := "\"a \"\"x\"\"\"\tlikes\t\"b\tc\"\n"
	for quotes, want := range map[string]string{QuotesCSV: "a \"x\"|likes|b\tc train", QuotesNone: ""} {
		g, err := LoadDivided(fileNamed(t, "g.tsv", whole), Division{Reading: Reading{Quotes: quotes}})
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), `the split is "c\""`) {
				t.Errorf("quotes that are none: %v", err)
			}
		} else if err != nil || factsOf(g)[0] != want {
			t.Errorf("%s: %v", quotes, err)
		}
	}
	_, err = LoadFile(fileNamed(t, "g.tsv", "x\tlikes\ty\n"+whole))
	if !slices.Equal(hint.Of(err), []hint.Hint{{Action: hint.ChooseQuotes, Subject: QuotesCSV}}) {
		t.Errorf("quotes between tabs: %v, %v", err, hint.Of(err))
	}
	// Names in quotes may be meant without.
	quoted := "\"a\"\t\"likes\"\tb\nc\tlikes\t\"d\"\n"
	for name, load := range map[string]func() (*Graph, error){
		"file": func() (*Graph, error) { return LoadFile(fileNamed(t, "g.tsv", "x\tlikes\ty\n"+quoted)) },
		"folder": func() (*Graph, error) {
			return Load(folder(t, map[string]string{"train.txt": "x\tlikes\ty\n" + quoted, "valid.txt": "x\tlikes\ty\n",
				"test.txt": "x\tlikes\ty\n"}))
		},
	} {
		g, err := load()
		expect.NoError(t, err)
		at := slices.IndexFunc(g.Warnings, func(w Warning) bool { return w.Kind == QuotedName })
		if at < 0 || g.Warnings[at].Count != 3 || g.Warnings[at].Line != 2 ||
			!strings.Contains(g.Warnings[at].Message, `the first is "a"; file.quotes=csv`) {
			t.Errorf("%s: %v", name, g.Warnings)
		}
	}
	_, err = LoadFile(fileNamed(t, "g.csv", "a,li\"kes,b\n"))
	if !slices.Equal(hint.Of(err), []hint.Hint{{Action: hint.ChooseQuotes, Subject: QuotesNone}}) {
		t.Errorf("a quote in CSV: %v, %v", err, hint.Of(err))
	}
	g, err = LoadDivided(fileNamed(t, "g.csv", "a,li\"kes,b\n"), Division{Reading: Reading{Quotes: QuotesNone}})
	if err != nil || factsOf(g)[0] != "a|li\"kes|b train" {
		t.Errorf("CSV without quotes: %v", err)
	}
}

func TestReadingFault(t *testing.T) {
	t.Parallel()
	for r, want := range map[Reading]string{
		{}: "", {Columns: "head,tail,relation"}: "", {Columns: "-, head,relation,tail,split"}: "", {Columns: "1,3,2"}: "",
		{Columns: "a,b,c,d"}: "", {Columns: "head,tail", Relation: "r"}: "", {Columns: "a,b", Relation: "r"}: "",
		{Quotes: "csv"}: "", {Quotes: "CSV"}: "Quotes", {Relation: " r"}: "Relation", {Relation: "r\n"}: "Relation",
		{Columns: "head,tail"}: "Columns", {Columns: "head,,tail"}: "Columns", {Columns: "a,b"}: "Columns",
		{Columns: "head,head,relation"}: "Columns", {Columns: "0,1,2"}: "Columns", {Columns: "1,1,2"}: "Columns",
		{Columns: "head,tail,relation", Relation: "r"}: "Columns", {Columns: "a,b,c,d,e"}: "Columns",
	} {
		if field, message := r.Fault(); field != want || (message == "") != (want == "") {
			t.Errorf("%+v: %s %s, want %q", r, field, message, want)
		}
	}
}
