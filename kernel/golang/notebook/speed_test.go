package notebook_test

import (
	"syscall"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// processor is the time in ns that the processors spent on this process.
func processor(b *testing.B) int64 {
	var u syscall.Rusage
	expect.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkLanguage runs what cells do most: one operation is one cell. The
// time of the processors is less disturbed by other work than that of the clock.
func BenchmarkLanguage(b *testing.B) {
	s := start(b, notebook.Options{})
	s.ok(`import ("math"; "slices"; "sort"; "strings")
type Point struct{ X, Y int }
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }
type Shape interface{ Area() int }
type Square struct{ a int }
func (s *Square) Area() int { return s.a * s.a }
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func sum(n int) (t int) { for i := 0; i < n; i++ { t += i }; return }
func counts(n int) int { m := map[int]int{}; for i := 0; i < n; i++ { m[i&1023]++ }; return len(m) }
func points(n int) (p Point) { for i := 0; i < n; i++ { p = p.Add(Point{1, 2}) }; return }
func areas(s Shape, n int) (t int) { for i := 0; i < n; i++ { t += s.Area() }; return }
func closures(n int) int { t := 0; add := func(k int) { t += k }; for i := 0; i < n; i++ { add(i) }; return t }
func roots(n int) (t float64) { for i := 0; i < n; i++ { t += math.Sqrt(float64(i)) }; return }
func sorted(n int) int { a := make([]int, n); for i := range a { a[i] = i * 7919 % n }
sort.Slice(a, func(i, j int) bool { return a[i] < a[j] }); return a[1] }
func ordered(n int) int { a := make([]int, n); for i := range a { a[i] = i * 7919 % n }; slices.Sort(a); return a[1] }
func runes(text string) (n int) { for _, r := range text { n += int(r) }; return }
func bytes(data []byte) (n int) { for _, c := range data { n += int(c) }; return }
func joined(n int) int { s := ""; for i := 0; i < n; i++ { s += "x" }; return len(s) }
func built(n int) int { var b strings.Builder; for i := 0; i < n; i++ { b.WriteByte('x') }; return b.Len() }
text := strings.Repeat("spheré ", 1000)
data := []byte(text)`)
	for _, c := range []struct{ name, code string }{
		{"1+1", "1 + 1"},
		{"fib(22)", "fib(22)"},
		{"100,000 additions", "sum(100000)"},
		{"100,000 additions at top level", "total := 0\nfor i := 0; i < 100000; i++ { total += i }"},
		{"100,000 map updates", "counts(100000)"},
		{"10,000 calls of a struct's method", "points(10000)"},
		{"10,000 calls through an interface", "areas(&Square{3}, 10000)"},
		{"10,000 calls of a closure", "closures(10000)"},
		{"10,000 calls of math.Sqrt", "roots(10000)"},
		{"sort.Slice of 10,000", "sorted(10000)"},
		{"slices.Sort of 100,000", "ordered(100000)"},
		{"10,000 calls of strings.Builder", "built(10000)"},
		{"range over 7,000 characters", "runes(text)"},
		{"range over 8,000 bytes", "bytes(data)"},
		{"1,000 additions to a string", "joined(1000)"},
		{"range over 7,000 characters at top level", "n := 0\nfor _, r := range text { n += int(r) }"},
		{"range over 8,000 bytes at top level", "n := 0\nfor _, c := range data { n += int(c) }"},
		{"1,000 additions to a string at top level", "s := \"\"\nfor i := 0; i < 1000; i++ { s += \"x\" }"},
	} {
		b.Run(c.name, func(b *testing.B) {
			begin := processor(b)
			for b.Loop() {
				s.ok(c.code)
			}
			b.ReportMetric(float64(processor(b)-begin)/float64(b.N), "cpu-ns/op")
		})
	}
}
