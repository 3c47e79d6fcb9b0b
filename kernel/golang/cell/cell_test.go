package cell_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

func newSession(t testing.TB) *cell.Session {
	t.Helper()
	library, err := bindings.New(bindings.All()...).Linked()
	expect.NoError(t, err)
	s, err := cell.New(library)
	expect.NoError(t, err)
	return s
}

// TestCells runs the cells of a session one after the other. A cell gives the values of its last expression, or its
// error.
func TestCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		cells []string // code, wanted, code, wanted ...
	}{
		{"expression", []string{"1 + 1", "[2]", "x := 3", "[]", "x * x", "[9]"}},
		{"function", []string{"func f(n int) int { if n < 2 { return n }; return f(n-1) + f(n-2) }\nf(20)", "[6765]"}},
		{"loop", []string{"s := 0\nfor i := 0; i < 10; i++ { s += i }\ns", "[45]"}},
		{"slice", []string{"a := []int{1, 2}\na = append(a, 3)\nlen(a), a[2]", "syntax error"}},
		{"map", []string{`m := map[string]int{"a": 1}`, "[]", `m["b"] = 2` + "\nlen(m)", "[2]", `m["b"]`, "[2]"}},
		{"closure", []string{"c := 0\ninc := func() int { c++; return c }\ninc()\ninc()", "[2]", "c", "[2]"}},
		{"old y", []string{"y := 1", "[]", "y := y + 1", "[]", "y", "[2]"}},
		{"no new variable", []string{"x := 1; x := x + 1", "cell[1]:1:11: no new variables on left side of :="}},
		{"mismatch", []string{`var s string = 1`, `cell[1]:1:16: cannot use 1 (untyped int constant) as string value in ` +
			`variable declaration`}},
		{"undefined", []string{"\nfoo()", "cell[1]:2:1: undefined: foo"}},
		{"embed", []string{"x := `\n//go:embed a`\nlen(x)", "[13]", "import \"embed\"\n //go:embed a.txt\nvar files embed.FS",
			"cell[2]:2:2: a cell cannot embed files: read them with os.ReadFile or os.DirFS"}},
		{"index", []string{"a := []int{1}\ni := 5\na[i]", "panic: runtime error: index out of range [5] with length 1"}},
		{"method", []string{"type P struct{ x, y int }\nfunc (p P) sum() int { return p.x + p.y }", "[]", "P{1, 2}.sum()",
			"[3]"}},
		{"interface", []string{"type S interface{ Area() float64 }\ntype Q struct{ a float64 }\n" +
			"func (q Q) Area() float64 { return q.a * q.a }\nvar s S = Q{3}\ns.Area()", "[9]"}},
		{"strings", []string{"import \"strings\"\nstrings.ToUpper(\"abc\")", "[ABC]", "strings.Repeat(\"x\", 3)", "[xxx]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			for i := 0; i < len(c.cells); i += 2 {
				values, err := s.Run(fmt.Sprintf("cell[%d]", i/2+1), c.cells[i], run.NewExecution(nil))
				got := fmt.Sprint(values)
				if err != nil {
					got = err.Error()
				}
				if got != c.cells[i+1] && !(err != nil && strings.Contains(got, c.cells[i+1])) {
					t.Errorf("%s\ngave %s, want %s", c.cells[i], got, c.cells[i+1])
				}
			}
		})
	}
}
