package assist

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// words is a language whose names are fixed.
type words struct{ asked []string }

func (w *words) Packages() []string { return []string{"fmt", "math", "math/big", "os"} }

func (w *words) Package(name string) (string, bool) {
	path, ok := map[string]string{"lab": "example.com/lab", "fmt": "fmt"}[name]
	return path, ok
}

func (w *words) Scope(string) map[string]string {
	return map[string]string{"alpha": Variable, "alphabet": Function, "beta": Type, "hidden·1": Variable, "größe": Variable}
}

func (w *words) Members(operand, before string) map[string]string {
	w.asked = append(w.asked, operand)
	switch operand {
	case "fmt":
		return map[string]string{"Print": Function, "Printf": Function, "Stringer": Type}
	case "alpha", "f(a, b)[1]":
		return map[string]string{"Len": Function, "Name": Variable}
	}
	return nil
}

func (w *words) TypeOf(expr string) (string, bool) {
	typ, ok := map[string]string{`lab.Open("g")`: "example.com/lab.Graph", "model": "example.com/lab.Model"}[expr]
	return typ, ok
}

func (w *words) Value(name string) any {
	if name == "model" {
		return 7
	}
	return nil
}

// at splits a cell at the bar, which is the cursor.
func at(t *testing.T, code string) (string, int) {
	t.Helper()
	before, after, ok := strings.Cut(code, "|")
	if !ok {
		t.Fatalf("no cursor in %q", code)
	}
	return before + after, len([]rune(before))
}

// TestCompleteNames: what is offered, what it replaces, and of which kind it is.
func TestCompleteNames(t *testing.T) {
	for code, want := range map[string]struct {
		matches, types string
		start          int
	}{
		"al|":                               {"alpha alphabet", "variable function", 0},
		"x := 1 + alphab|":                  {"alphabet", "function", 9},
		"größ|":                             {"größe", "variable", 0}, // offsets count characters
		"hid|":                              {"", "", 0},
		"fal|lthrough":                      {"fallthrough", "keyword", 0},
		"|":                                 {"", "", 0},
		"fmt.Pr|":                           {"Print Printf", "function function", 4},
		"fmt.|":                             {"Print Printf Stringer", "function function class", 4},
		"fmt.Println(alpha.L|)":             {"Len", "function", 18},
		"f(a, b)[1].|":                      {"Len Name", "function variable", 11},
		"unknown.|":                         {"", "", 8},
		"var delta int\nde|":                {"default defer delta", "keyword keyword variable", 14},
		"eta, zeta := 1, 2\nzet|":           {"zeta", "variable", 18},
		"import \"ma|":                      {"math math/big", "module module", 8},
		"import (\n\t\"fmt\"\n\tm \"math/|": {"math/big", "module", 20},
		"%ti|":                              {"%time %timeit", "magic magic", 0},
		"%%own|":                            {"%%own", "magic", 0},
	} {
		text, cursor := at(t, code)
		got := New(&words{}, []string{"%%own"}, nil).Complete(text, cursor)
		if m, k := strings.Join(got.Matches, " "), strings.Join(got.Types, " "); m != want.matches || k != want.types ||
			got.Start != want.start || got.End != cursor {
			t.Errorf("%q: %q %q from %d to %d, want %q %q from %d to %d", code, m, k, got.Start, got.End, want.matches,
				want.types, want.start, cursor)
		}
	}
	for _, cursor := range []int{-5, 99} { // a front end may be wrong
		if got := New(&words{}, nil, nil).Complete("al", cursor); got.Start < 0 || got.End > 2 {
			t.Errorf("cursor %d: %+v", cursor, got)
		}
	}
}

// TestCompleteLiteral: which call and argument a literal is in, what stays of it, and how words are quoted there.
func TestCompleteLiteral(t *testing.T) {
	for code, want := range map[string]struct {
		arg     Argument
		matches []string
		start   int
	}{
		`lab.Train("ab|`:                  {Argument{Function: "example.com/lab.Train", Typed: "ab"}, []string{`ab"c`}, 11},
		"lab.Train(`ab|":                  {Argument{Function: "example.com/lab.Train", Typed: "ab"}, []string{`ab"c`}, 11},
		`lab.Train("x", 3, "|")`:          {Argument{Function: "example.com/lab.Train", Index: 2, Before: []string{"x", ""}}, []string{`ab"c`}, 19},
		`lab.Train([]string{"x", "|`:      {Argument{Function: "example.com/lab.Train", Index: 1, Before: []string{"x"}, Nested: true}, []string{`ab"c`}, 25},
		`model.Ask("|`:                    {Argument{Function: "example.com/lab.Model.Ask", Operand: "model", Value: 7}, []string{`ab"c`}, 11},
		"g := lab.Open(\"g\")\ng.See(\"|": {Argument{Function: "example.com/lab.Graph.See", Operand: `lab.Open("g")`}, []string{`ab"c`}, 26},
		`lab.Train("a\"b|`:                {Argument{Function: "example.com/lab.Train", Typed: `a"b`}, []string{`ab"c`}, 11},
		`lab.Train("a\\", "b|`: {Argument{Function: "example.com/lab.Train", Index: 1, Before: []string{`a\`}, Typed: "b"},
			[]string{`ab"c`}, 18},
		`lab.Train("x" + "|`:      {},
		`other("|`:                {},
		`unknown.Ask("|`:          {},
		`x := "|`:                 {},
		`// lab.Train("|`:         {},
		`lab.Train('|`:            {},
		`lab.Train("\|`:           {},
		`lab.Train(/* "x", */ "|`: {},
	} {
		text, cursor := at(t, code)
		var got Argument
		asked := false
		answer := New(&words{}, nil, func(a Argument) ([]string, int) {
			got, asked = a, true
			return []string{`ab"c`}, 0
		}).Complete(text, cursor)
		if asked != (want.arg.Function != "") || asked && !reflect.DeepEqual(got, want.arg) {
			t.Errorf("%q: asked %v for %+v, want %+v", code, asked, got, want.arg)
			continue
		}
		if !asked {
			continue
		}
		offered := want.matches
		if !strings.Contains(code, "`") {
			offered = []string{`ab\"c`}
		}
		if !slices.Equal(answer.Matches, offered) || answer.Start != want.start || answer.End != cursor {
			t.Errorf("%q: %q from %d to %d, want %q from %d", code, answer.Matches, answer.Start, answer.End, offered,
				want.start)
		}
	}
}

// TestWordsKeepTheBeginning: a word replaces what is behind the part that stays, also behind escapes.
func TestWordsKeepTheBeginning(t *testing.T) {
	for code, start := range map[string]int{`lab.Train("ö, ab|`: 14, `lab.Train("\t, ab|`: 15} {
		text, cursor := at(t, code)
		answer := New(&words{}, nil, func(Argument) ([]string, int) { return []string{"abc"}, 3 }).Complete(text, cursor)
		if answer.Start != start {
			t.Errorf("%q: from %d, want %d", code, answer.Start, start)
		}
	}
}

// TestWordsThatFail: a panic and a call that does not end offer nothing, and the next completion waits for neither.
func TestWordsThatFail(t *testing.T) {
	fail := New(&words{}, nil, func(Argument) ([]string, int) { panic("words") })
	for range 2 {
		if got := fail.Complete(`lab.Train("`, 11); len(got.Matches) != 0 {
			t.Errorf("%v", got)
		}
	}
	release := make(chan struct{})
	slow := New(&words{}, nil, func(Argument) ([]string, int) { <-release; return []string{"late"}, 0 })
	begun := time.Now()
	for range 2 {
		if got := slow.Complete(`lab.Train("`, 11); len(got.Matches) != 0 {
			t.Errorf("%v", got)
		}
	}
	if took := time.Since(begun); took < wordsTimeout || took > 20*wordsTimeout {
		t.Errorf("two completions took %v", took)
	}
	close(release)
	for end := time.Now().Add(time.Minute); ; {
		if got := slow.Complete(`lab.Train("`, 11); slices.Equal(got.Matches, []string{"late"}) {
			break
		} else if time.Now().After(end) {
			t.Fatalf("%v", got)
		}
	}
}

// TestPathAt: the dotted name at the cursor, and behind an open bracket that of the call.
func TestPathAt(t *testing.T) {
	for code, want := range map[string]string{
		"fmt.Pri|ntln(x)": "fmt.Println", "f|mt.Println(x)": "fmt", "fmt.Println(|x)": "x", "fmt.Println(|": "fmt.Println",
		"fmt.Println(f(1), |": "fmt.Println", "a + |": "", "|": "", "x.y.z|": "x.y.z", "f()\n|": "", "größe.Le|n": "größe.Len",
		"outer(inner(1, 2), |": "outer",
	} {
		text, cursor := at(t, code)
		if got, _ := PathAt([]rune(text), cursor); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

// TestFindDeclaration: the last declaration of a name before the cursor counts.
func TestFindDeclaration(t *testing.T) {
	for _, c := range []struct {
		name, before, right, rest string
		index                     int
		ok                        bool
	}{
		{"b", "a, b := f(1)\nx", "f(1)", "\nx", 1, true},
		{"a", "a, b := f(1)", "f(1)", "", 0, true},
		{"a", "a := 1\na := g()", "g()", "a := 1\n", 0, true},
		{"a", "ab := 1", "", "", 0, false},
		{"a", "a = 1", "", "", 0, false},
	} {
		right, index, rest, ok := FindDeclaration(c.name, c.before)
		if right != c.right || index != c.index || rest != c.rest || ok != c.ok {
			t.Errorf("%s in %q: %q %d %q %v", c.name, c.before, right, index, rest, ok)
		}
	}
	for operand, want := range map[string]string{"a.b": "a", "größe()": "größe", "(a).b": "", "": ""} {
		if got := Root(operand); got != want {
			t.Errorf("root of %q: %q", operand, got)
		}
	}
}

// TestLanguageDoc: every predeclared function and keyword is documented, and nothing else.
func TestLanguageDoc(t *testing.T) {
	for name, want := range map[string]string{"append": "func append(", "ctx": "var ctx context.Context", "defer": "keyword defer",
		"Display": "func Display("} {
		if doc, ok := LanguageDoc(name); !ok || !strings.HasPrefix(doc, want) {
			t.Errorf("%s: %q", name, doc)
		}
	}
	for _, name := range []string{"", "alpha", "Append"} {
		if doc, ok := LanguageDoc(name); ok {
			t.Errorf("%s: %q", name, doc)
		}
	}
	for name := range maps.Keys(builtinDocs) {
		if doc, _ := LanguageDoc(name); !strings.Contains(doc, name) || !strings.Contains(doc, "\n\n") {
			t.Errorf("%s: %q", name, doc)
		}
	}
}
