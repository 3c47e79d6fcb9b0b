package notebook_test

import (
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spherelab/spherelab/kernel/assist"
)

// TestCompleteLiteral: Words is asked with the call, the place and the literals before; what it says is offered as it
// is in the literal.
func TestCompleteLiteral(t *testing.T) {
	var asked []assist.Argument
	options := lab()
	options.Words = func(a assist.Argument) ([]string, int) {
		asked = append(asked, a)
		if strings.HasPrefix(a.Typed, "a > ") {
			return []string{"after"}, 4
		}
		return []string{"plain word", `with "quotes"`, "größe", "`back`"}, 0
	}
	s := start(t, options)
	s.ok("m := lab.NewModel(1)\nname := \"x\"")
	model := reflect.TypeFor[labModel]().PkgPath() + ".labModel.Fit"
	words := []string{"plain word", `with \"quotes\"`, "größe", "`back`"}
	for _, c := range []struct {
		code   string // | is the cursor
		want   assist.Argument
		from   int
		offers []string
	}{
		{`lab.Train("|`, assist.Argument{Function: "example.com/lab.Train"}, 11, words},
		{`x := lab.Train("ma|")`, assist.Argument{Function: "example.com/lab.Train", Typed: "ma"}, 16, words},
		{`lab.Train("a", 1, "b|`, assist.Argument{Function: "example.com/lab.Train", Index: 2, Before: []string{"a", ""},
			Typed: "b"}, 19, words},
		{"lab.Train(`x|", assist.Argument{Function: "example.com/lab.Train", Typed: "x"}, 11,
			[]string{"plain word", `with "quotes"`, "größe"}},
		{`m.Fit("|`, assist.Argument{Function: model, Operand: "m"}, 7, words},
		{"n := lab.NewModel(2)\nn.Fit(\"|", assist.Argument{Function: model, Operand: "lab.NewModel(2)"}, 28, words},
		{`lab.NewModel(2).Fit("q|`, assist.Argument{Function: model, Operand: "lab.NewModel(2)", Typed: "q"}, 21, words},
		{`/* "größe" */ m.Fit("|`, assist.Argument{Function: model, Operand: "m"}, 21, words},
		{"// it's\nm.Fit(\"|", assist.Argument{Function: model, Operand: "m"}, 15, words},
		{`m.Fit("\"q|`, assist.Argument{Function: model, Operand: "m", Typed: `"q`}, 7, words},
		{`m.Fit("a > b|`, assist.Argument{Function: model, Operand: "m", Typed: "a > b"}, 11, []string{"after"}},
		{`m.Fit([][]string{{"a", "b|`, assist.Argument{Function: model, Operand: "m", Index: 1, Before: []string{"a"},
			Nested: true, Typed: "b"}, 24, words},
		{`lab.Train("a" + "b|`, assist.Argument{}, 18, nil},
		{`name + "str|`, assist.Argument{}, 11, nil},
		{`nothing.Fit("|`, assist.Argument{}, 13, nil},
		{`m.Fit("\|`, assist.Argument{}, 8, nil},
		{`local("|`, assist.Argument{}, 7, nil},
	} {
		asked = nil
		cursor := len([]rune(c.code[:strings.Index(c.code, "|")]))
		got := s.Complete(strings.Replace(c.code, "|", "", 1), cursor)
		if c.offers == nil {
			if len(asked) != 0 || len(got.Matches) != 0 {
				t.Errorf("%s: asked %+v, offers %q", c.code, asked, got.Matches)
			}
			continue
		}
		if len(asked) != 1 {
			t.Errorf("%s: asked %d times", c.code, len(asked))
			continue
		}
		a := asked[0]
		if value, ok := a.Value.(*labModel); (c.want.Operand == "m") != ok || ok && value.Size != 1 {
			t.Errorf("%s: the value is %v", c.code, a.Value)
		}
		if a.Value = nil; len(a.Before) == 0 {
			a.Before = nil
		}
		if !reflect.DeepEqual(a, c.want) {
			t.Errorf("%s: asked for %+v, want %+v", c.code, a, c.want)
		}
		if !slices.Equal(got.Matches, c.offers) || got.Start != c.from || got.End != cursor ||
			len(got.Types) != len(got.Matches) {
			t.Errorf("%s: offers %q from %d to %d, want %q from %d", c.code, got.Matches, got.Start, got.End, c.offers, c.from)
		}
	}
	if got := s.Complete("%%echo\nlab.Train(\"", 18); len(got.Matches) != 0 {
		t.Errorf("in a cell of another language: %q", got.Matches)
	}
}

// TestCompleteLiteralPatience: a front end does not wait for long, and is offered nothing of a call that fails. The
// next
// call begins after the end of the last one.
func TestCompleteLiteralPatience(t *testing.T) {
	options := lab()
	var calls atomic.Int32
	slow := make(chan struct{})
	options.Words = func(a assist.Argument) ([]string, int) {
		calls.Add(1)
		switch a.Typed {
		case "slow":
			<-slow
		case "panic":
			panic("a fault")
		}
		return []string{a.Typed + "er"}, 0
	}
	s := start(t, options)
	complete := func(typed string) []string {
		code := `lab.Train("` + typed
		return s.Complete(code, len(code)).Matches
	}
	if got := complete("slow"); len(got) != 0 {
		t.Errorf("a slow call offers %q", got)
	}
	if got := complete("fast"); len(got) != 0 || calls.Load() != 1 {
		t.Errorf("next to a slow call: %q, %d calls", got, calls.Load())
	}
	close(slow)
	for _, c := range [][]string{{"fast", "faster"}, {"panic"}, {"slow", "slower"}} {
		if got := complete(c[0]); !slices.Equal(got, append([]string{}, c[1:]...)) {
			t.Errorf("%s offers %q", c[0], got)
		}
	}
}
