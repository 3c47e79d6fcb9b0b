package cell_test

import (
	"testing"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// BenchmarkCell measures cells of one kind of work each. The declarations are not measured.
func BenchmarkCell(b *testing.B) {
	for _, c := range []struct{ name, declare, code string }{
		{"fib30", "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }", "fib(30)"},
		{"add1e7", "func add() (s int) { for i := 0; i < 10_000_000; i++ { s += i }; return s }", "add()"},
		{"add1e7top", "", "s := 0; for i := 0; i < 10_000_000; i++ { s += i }"},
		{"mapint1e6", "func m() { m := map[int]int{}; for i := range 1_000_000 { m[i&1023] += i } }", "m()"},
		{"method1e6", "type P struct{ x, y int }\nfunc (p P) sum() int { return p.x + p.y }\n" +
			"func f() (s int) { p := P{1, 2}; for range 1_000_000 { s += p.sum() }; return s }", "f()"},
		{"interface1e6", "type S interface{ sum() int }\ntype P struct{ x, y int }\n" +
			"func (p P) sum() int { return p.x + p.y }\n" +
			"func f() (s int) { var p S = P{1, 2}; for range 1_000_000 { s += p.sum() }; return s }", "f()"},
		{"closure1e6", "func f() (s int) { g := func(x int) int { return x + s }\n" +
			"for i := range 1_000_000 { s = g(i) & 255 }; return s }", "f()"},
		{"sqrt1e6", "import \"math\"\nfunc f() (s float64) { for i := range 1_000_000 { s += math.Sqrt(float64(i)) }\n" +
			"return s }", "f()"},
		{"sortslice1e5", "import \"sort\"\nfunc f() { xs := make([]int, 100_000)\n" +
			"for i := range xs { xs[i] = i * 7919 % 100_003 }\n" +
			"sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] }) }", "f()"},
		{"one", "", "1 + 1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newSession(b)
			if _, err := s.Run("cell[0]", c.declare, run.NewExecution(nil)); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.Run("cell[1]", c.code, run.NewExecution(nil)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
