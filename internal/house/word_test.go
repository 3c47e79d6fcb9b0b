package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// wrongWord is a phrase that readers stumble over, and what to write.
type wrongWord struct {
	phrase *regexp.Regexp
	right  string
	except *regexp.Regexp // of what phrase matches; nil: nothing
	doc    bool           // only where a doc comment begins
}

// wrongWords are words of comments, texts in quotes and documents. CONTRIBUTING.md's glossary has the words for things.
var wrongWords = []wrongWord{
	{phrase: regexp.MustCompile(`^[\w.]+ gives?\b`), doc: true,
		right: "returns; or assigns, adds, passes where it gives something to something"},
	{phrase: regexp.MustCompile(`\b[Bb]eside\b`), right: "next to; or besides, where it means as well"},
	{phrase: regexp.MustCompile(`\b(tells|looks?|sees|says) whether\b`), right: "reports whether; or checks whether"},
	{phrase: regexp.MustCompile(`\b(go(es)? on with|goes on)\b`), right: "resumes, continues"},
	{phrase: regexp.MustCompile(`\bg(ives?|iven|ave) ((it|them|(the|its|their) \w+) )?back\b`), right: "returns"},
	{phrase: regexp.MustCompile(`\bonce more\b`), right: "again"},
	{phrase: regexp.MustCompile(`\b(come|comes|came) to an end\b`), right: "ends"},
	{phrase: regexp.MustCompile(`\bfor good\b`), right: "permanently"},
	{phrase: regexp.MustCompile(`\bin vain\b`), right: "without result; or not in time"},
	{phrase: regexp.MustCompile(`\bnothing but\b`), right: "only"},
	{phrase: regexp.MustCompile(`\b(all|nil|same|equal|rounding|one|ones|\w+,) but for\b`), right: "except for"},
	{phrase: regexp.MustCompile(`\b(is|are) to be \w+`), right: "must be"},
	{phrase: regexp.MustCompile(`\bin the place of\b`), right: "in place of, instead of"},
	{phrase: regexp.MustCompile(`\b(begins|contains|ends|lacks) not\b`), right: "does not begin, contain, end"},
	{phrase: regexp.MustCompile(`\b(\w+ )?(is|are|was|were) no \w+`), right: "is not, is not a",
		except: regexp.MustCompile(`(?i)^there |no (longer|more|less|fewer|other|such|better|worse|larger|smaller|faster)$`)},
	{phrase: regexp.MustCompile(`\b(tells?|told)( [\w'-]+){0,5} apart\b`), right: "distinguish"},
	{phrase: regexp.MustCompile(`\banew\b`), right: "again; or starts over"},
	{phrase: regexp.MustCompile(`\bfor ever\b`), right: "forever"},
	{phrase: regexp.MustCompile(`\bwhich none\b`), right: "none of which"},
	{phrase: regexp.MustCompile(`\bnext to nothing\b`), right: "almost nothing"},
	{phrase: regexp.MustCompile(`\b(does|do) not go with\b`), right: "cannot be used with"},
	{phrase: regexp.MustCompile(`\b[Gg]ive one of\b`), right: "use one of"},
	{phrase: regexp.MustCompile(`\bend(s|ed)? (a set|it) by itself\b`), right: "marks the end of a set"},
	{phrase: regexp.MustCompile(`\bwhat (came|comes|becomes) of\b`), right: "how well ... was kept; or the result of"},
	{phrase: regexp.MustCompile(`\b(is|are) told of\b`), right: "is called with"},
	{phrase: regexp.MustCompile(`\bat most so many\b`), right: "at most n, the name of the number"},
	{phrase: regexp.MustCompile(`\bhand(s|ed) on\b`), right: "passes on"},
}

// wordExceptions are phrases that stay, by their file: names of things, and what is quoted.
var wordExceptions = map[string][]string{
	"_tool/benchtable/goal.go":                                  {"Beside"},           // a benchmark
	"_tool/benchtable/table.go":                                 {"beside", "Beside"}, // a function and a benchmark
	"docs/benchmarks.md":                                        {"beside", "Beside"}, // a file and a benchmark
	"experiments/lab/session/graph_test.go":                     {"beside"},           // a relation
	"experiments/results/table_result_grid.go":                  {"beside"},           // a field
	"experiments/split_test.go":                                 {"beside"},           // a relation
	"kernel/golang/difference/testdata/scope_shadowed_names.go": {"anew"},             // a recorded program
	"spherE/beside_bench_test.go":                               {"beside"},           // a function
	"spherE/kg/division_test.go":                                {"beside"},           // a relation
	"tracker/web/run.go":                                        {"Beside"},           // a field
}

// TestWords reads comments and texts in quotes of Go files, and the documents.
func TestWords(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, name := range clonedFiles(t, "*.go") {
		if name == "internal/house/word_test.go" || strings.HasSuffix(name, "_binding.go") {
			continue
		}
		source, err := os.ReadFile(inRoot(name))
		expect.NoError(t, err)
		checked++
		for _, fault := range checkWords(name, source, wordExceptions[name]) {
			t.Error(fault)
		}
	}
	for _, page := range pages(t) {
		source, err := os.ReadFile(page)
		expect.NoError(t, err)
		name := strings.TrimPrefix(filepath.ToSlash(page), root+"/")
		for _, fault := range findWords(string(source), 1, false, wordExceptions[name]) {
			t.Errorf("%s:%s", page, fault)
		}
	}
	if checked < 500 {
		t.Errorf("only %d files were checked", checked)
	}
	for name, words := range wordExceptions {
		source, err := os.ReadFile(inRoot(name))
		for _, word := range words {
			if err != nil || !strings.Contains(string(source), word) {
				t.Errorf("%s is excepted for %q, which it does not have", name, word)
			}
		}
	}
}

// checkWords finds the wrong words of a Go file.
func checkWords(name string, source []byte, exceptions []string) (faults []string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	docs := map[*ast.CommentGroup]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			docs[n.Doc] = true
		case *ast.Field:
			docs[n.Doc] = true
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				at := set.Position(n.Pos())
				for _, fault := range findWords(n.Value, at.Line, false, exceptions) {
					faults = append(faults, name+":"+fault)
				}
			}
		}
		return true
	})
	for _, group := range file.Comments {
		var text strings.Builder
		for _, c := range group.List {
			text.WriteString(strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), " ") + "\n")
		}
		for _, fault := range findWords(text.String(), set.Position(group.Pos()).Line, docs[group], exceptions) {
			faults = append(faults, name+":"+fault)
		}
	}
	return faults
}

// findWords finds the wrong words of a text whose first line has a number. A phrase may go over the end of a line.
func findWords(text string, line int, doc bool, exceptions []string) (faults []string) {
	joined := strings.ReplaceAll(text, "\n", " ")
	for _, w := range wrongWords {
		if w.doc && !doc {
			continue
		}
		for _, at := range w.phrase.FindAllStringIndex(joined, -1) {
			phrase := joined[at[0]:at[1]]
			if w.except != nil && w.except.MatchString(phrase) || slices.Contains(exceptions, phrase) {
				continue
			}
			faults = append(faults, fmt.Sprintf("%d: %q; write: %s", line+strings.Count(text[:at[0]], "\n"), phrase, w.right))
		}
	}
	return faults
}

func TestWordsFindsFaults(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"// F gives a number.\nfunc F() {}":                          "3: \"F gives\"",
		"// F returns what G gives.\nfunc F() {}":                    "",
		"func F() {\n\t// the file lies\n\t// beside it\n}":          "5: \"beside\"",
		"// F tells\n// whether it is so.\nfunc F() {}":              "whether\"; write: reports whether",
		"var a = \"run %s is no model\"":                             "is no model",
		"// There are no rows, and there is no more.\nvar a = 1":     "",
		"// It is no longer so.\nvar a = `is no longer`":             "",
		"// Nothing tells the two runs apart.\nvar a = 1":            "distinguish",
		"type T struct {\n\t// F gives a number.\n\tF func() int\n}": "F gives",
	} {
		got := strings.Join(checkWords("x.go", []byte("package x\n\n"+source+"\n"), nil), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
	if got := findWords("a name beside it", 1, false, []string{"beside"}); len(got) > 0 {
		t.Errorf("an exception is refused: %q", got)
	}
}
