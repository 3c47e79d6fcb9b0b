package cell_test

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// TestLateReceivers declares methods of types that earlier cells declare, by names that cannot have any.
func TestLateReceivers(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	run1(t, s, "import \"time\"\ntype T struct{ A int }\ntype Alias = T\ntype Pointer = *T\ntype L[V any] struct{ v V }\n"+
		"type Instance = L[int]\ntype Time = time.Time\ntype F = func()")
	const (
		generic  = "methods of the generic type L must be in one cell with it: declare it again there"
		ownName  = "declare methods of an earlier cell's type with its own name, T"
		nonLocal = "cannot define new methods on non-local type "
	)
	for code, want := range map[string]string{
		"func (l *L[V]) Len() int { return 1 }":             generic,
		"func (l L[V]) Len() int { return 1 }":              generic,
		"func (l Instance) Len() int { return 1 }":          generic,
		"func (a Alias) M() int { return 1 }":               ownName,
		"func (a *Alias) M() int { return 1 }":              ownName,
		"type B = T\nfunc (b *B) M() int { return 1 }":      ownName,
		"type C = (Alias)\nfunc (c C) M() int { return 1 }": ownName,
		"func (p Pointer) M() int { return 1 }":             nonLocal + "*main.T",
		"func (t Time) M() int { return 1 }":                nonLocal + "time.Time",
		"func (f F) M() int { return 1 }":                   nonLocal + "func()",
	} {
		if _, err := s.Run("cell", code, run.NewExecution(nil)); err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s\ngave %v, want %s", code, err, want)
		}
	}
	for _, c := range [][2]string{
		{"func (t T) M() int { return 3 }\nT{}.M()", "[3]"},
		{"type D = E\ntype E struct{}\nfunc (D) M() int { return 4 }\nE{}.M()", "[4]"},
		{"type L[V any] struct{ v V; n int }\nfunc (l *L[V]) Len() int { return l.n }\n(&L[string]{\"\", 5}).Len()", "[5]"},
	} {
		if got := run1(t, s, c[0]); got != c[1] {
			t.Errorf("%s\ngave %s, want %s", c[0], got, c[1])
		}
	}
}
