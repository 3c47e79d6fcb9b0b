package notebook_test

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel"

	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

func TestComplete(t *testing.T) {
	s := start(t, lab())
	s.ok(`import ("strings"; str "strconv")
type Point struct { X, Y int; name string }
func (p Point) Norm() int { return p.X }
func (p *Point) Move() {}
type Outer struct { Point; Extra string }
pt := Point{1, 2, "n"}
ptr := &Outer{}
points := []Point{pt}
func makePoint() (Point, error) { return pt, nil }
größe := 3
m := lab.NewModel(1)`)
	for _, tt := range []struct {
		code string // | is the cursor
		want string // matches that must be there, - before those that must not
		from int    // code point at which matches begin
	}{
		{"strings.ToU|", "ToUpper -ToLower", 8},
		{"strings.|", "Builder Contains -main", 8},
		{"str.Ato|", "Atoi", 4},
		{"lab.|", "Train Model NewModel", 4},
		{"pt.|", "X Y name Norm Move", 3},
		{"pt.N|", "Norm -X", 3},
		{"ptr.|", "X Point Extra Norm", 4},
		{"ptr.Point.|", "X Norm", 10},
		{"points[0].|", "X Norm", 10},
		{"m.|", "Size Fit -note", 2},
		{"Point{}.|", "X Norm", 8},
		{"fmt.Println(pt.|", "X Norm", 15},
		{"x := Point{}\nx.|", "X Norm", 15},
		{"a, err := makePoint()\na.N|", "Norm", 24},
		{"poi|", "points -pt", 0},
		{"for i := ra|", "range", 9},
		{"mak|", "make makePoint", 0},
		{"grö|", "größe", 0},
		{"größe + p|", "pt ptr points panic", 8},
		{"/* ä€𝄞 */ strings.ToL|", "ToLower", 18},
		{"import \"math/r|", "math/rand", 8},
		{"import (\n\t\"encoding/j|", "encoding/json", 11},
		{"import \"example|", "example.com/lab", 8},
		{"%wri|", "%writefile", 0},
		{"%%e|", "%%echo", 0},
		{"local := 1\nloc|", "local", 11},
		{"for _, p := range points {\n\tp.|", "X Norm", 30},
		{"for _, p := range points { p.| }\np.X", "X Norm", 29},
		{"func f(p *Point) {\n\tif p.X > 1 {\n\t\tp.No|", "Norm", 37},
		{"if p := points[0]; p.|", "X Norm", 21},
		{"if p, err := makePoint(); err == nil {\n\tp.|", "X Norm", 42},
		{"type Local struct{ Deep, X int }\nfunc (Local) Far() {}\nl := &Local{}\nl.|", "Deep Far", 71},
		{"var b strings.Builder\nb.|", "WriteString", 24},
		{"import \"bytes\"\nvar b bytes.Buffer\nb.Wr|", "WriteTo", 36},
		{"a := pt\nb := a\n\nb.|", "X Norm", 18},
		{"%time 1\nx := pt; x.|", "X Norm", 19},
		{"var v any = pt\nswitch v := v.(type) {\ncase Point:\n\tv.|", "X Norm", 53},
		{"each := func(f func(p Point)) {}\neach(func(p Point) { p.|", "X Norm", 56},
		{"strings.Map(func(r rune) rune { return r }, pt.|", "X Norm", 47},
		{"m := map[string]Point{\"a\": {}}\nm[\"a\"].|", "X Norm", 38},
		{"points[:2][0].|", "X Norm", 14},
		{"[]Point{pt, ptr.|", "X Extra", 16},
		{"func f(angle int) {\n\tif an|", "angle", 24},
		{"func helper() {}\nhel|", "helper", 17},
		{"func f(angle int) {}\nan|", "any -angle", 21},
		{"for i, elem := range points {\n\tel|", "elem else", 31},
		{"type Local struct{}\nconst limit = 3\nfunc (Local) F(x int) int { return li|", "limit", 71},
		{"ptr := Point{}\nptr.|", "X -Extra", 19},
		{"nothing.|", "", 8},
		{"url.Pars|", "Parse", 4},
		{"rand.|", "-Intn", 5}, // two packages
		{"|", "", 0},
		{"\"str|", "", 1},
	} {
		cursor := len([]rune(tt.code[:strings.Index(tt.code, "|")]))
		code := strings.Replace(tt.code, "|", "", 1)
		c := s.Complete(code, cursor)
		have := make(map[string]bool)
		for _, m := range c.Matches {
			have[m] = true
		}
		for _, w := range strings.Fields(tt.want) {
			if w[0] == '-' && have[w[1:]] || w[0] != '-' && !have[w] {
				t.Errorf("%q: %s in %v", tt.code, w, c.Matches)
			}
		}
		if c.Start != tt.from || c.End != cursor || len(c.Types) != len(c.Matches) {
			t.Errorf("%q: %d to %d, want %d to %d; %d types for %d matches", tt.code, c.Start, c.End, tt.from, cursor, len(c.Types),
				len(c.Matches))
		}
	}
	for _, cursor := range []int{-5, 1000} {
		s.Complete("strings.", cursor)
	}
}

// TestCompleteWhileRunning: completion does not wait for the cell.
func TestCompleteWhileRunning(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok(`import ("strings"; "time")`)
	done := make(chan outcome)
	go func() { done <- s.run("x := 0\nfor { x++; time.Sleep(time.Millisecond); y := x; _ = y }") }()
	time.Sleep(50 * time.Millisecond)
	for i := 0; i < 100; i++ {
		if c := s.Complete("strings.ToU", 11); len(c.Matches) == 0 {
			t.Fatal("no matches")
		}
		if _, ok := s.Inspect("strings.ToUpper", 9, 0); !ok {
			t.Fatal("nothing to inspect")
		}
		s.IsComplete("for {")
	}
	s.Interrupt()
	if o := <-done; o.failure == nil || o.failure.Name != kernel.NameInterrupted {
		t.Errorf("cell ended with %v", o.failure)
	}
}

func TestInspect(t *testing.T) {
	s := start(t, lab())
	s.ok("import \"strings\"\ntype Point struct { X int }\n// Norm is a length.\n" +
		"func (p Point) Norm() int { return p.X }\npt := Point{3}\ntype Outer struct { Point }\nouter := Outer{}\n" +
		"// add adds.\nfunc add(a, b int) int { return a + b }\nm := lab.NewModel(1)\nconst limit = 5")
	for _, tt := range []struct{ code, want string }{
		{"lab.Tr|ain", "func lab.Train(context.Context, func(int)) error\n\nTrain calls step until ctx ends."},
		{"lab.Train(|", "func lab.Train("},
		{"x := lab.Train(ctx, |", "func lab.Train("},
		{"l|ab", "Package lab is an example."},
		{"m.Fit|", "Fit(int) error\n\nFit fits."},
		{"m.Size|", "field"},
		{"pt|", "var pt Point"},
		{"pt.Norm|()", "Norm() int"},
		{"Point|", "type Point struct { X int }\nfunc (Point) Norm() int"},
		{"add|", "func add(a, b int) int\n\nadd adds."},
		{"[]Point{pt}[0].No|rm()", "func (p Point) Norm() int\n\nNorm is a length."},
		{"outer.Norm|", "Norm is a length."},
		{"local := Point{}\nlocal.No|rm()", "Norm is a length."},
		{"for _, p := range []Point{pt} {\n\tp.No|rm()", "Norm is a length."},
		{"func f(p Point) {\n\tq := p\n\tq|", "var q Point"},
		{"lab.In|c", "func Inc(x int) int\n\nInc adds 1."},
		{"url.Pars|e", "not imported yet: import \"net/url\""},
		{"limit|", "const limit = 5"},
		{"len|", "func len("},
		{"ctx|", "The context of the running cell"},
		{"range|", "keyword range"},
		{"strings.Builder|", "type strings.Builder"},
		{"nothing|", ""},
		{"|", ""},
		{"a + |", ""},
	} {
		cursor := strings.Index(tt.code, "|")
		d, ok := s.Inspect(strings.Replace(tt.code, "|", "", 1), cursor, 0)
		text, _ := d.Data["text/plain"].(string)
		if ok != (tt.want != "") || !strings.Contains(text, tt.want) ||
			strings.Count(text, "func ") > 1 && !strings.HasPrefix(text, "type ") {
			t.Errorf("%q: %v %q, want %q", tt.code, ok, text, tt.want)
		}
	}
}

func TestIsComplete(t *testing.T) {
	s := start(t, notebook.Options{})
	for _, tt := range []struct{ code, status, indent string }{
		{"", "complete", ""},
		{"x := 1", "complete", ""},
		{"1 + 1", "complete", ""},
		{"for i := range 3 { }", "complete", ""},
		{"func f() {", "incomplete", "\t"},
		{"func f() {\n\tif x {", "incomplete", "\t\t"},
		{"f(1,", "incomplete", "\t"},
		{"x := `abc", "incomplete", ""},
		{"/* abc", "incomplete", ""},
		{"x := 1 +", "incomplete", "\t"},
		{"x := )", "invalid", ""},
		{"if }", "invalid", ""},
		{"x = = 1", "invalid", ""},
		{"%help", "complete", ""},
		{"%%time\nx", "incomplete", ""},
		{"%%time\nx\n", "complete", ""},
		{"?fmt", "complete", ""},
		{"type A interface { B }", "complete", ""},
		{"// only a comment", "complete", ""},
		{"\"a string", "invalid", ""},
	} {
		if status, indent := s.IsComplete(tt.code); status != tt.status || indent != tt.indent {
			t.Errorf("%q: %s %q, want %s %q", tt.code, status, indent, tt.status, tt.indent)
		}
	}
}

// TestCompleteBehindComments: the memory that a completion takes grows as the comments before it do, and not as their
// square: no comment copies the cell.
func TestCompleteBehindComments(t *testing.T) {
	s := start(t, lab())
	took := func(comments int) uint64 {
		code := strings.Repeat("// A long cell explains itself in words.\nx++\n", comments) + "strings.ToU"
		least := uint64(math.MaxUint64) // others allocate too
		for range 3 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s.do(func() { s.Complete(code, len(code)) })
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		return least
	}
	if few, many := took(300), took(3000); many > 20*few+1<<20 {
		t.Errorf("behind 300 comments %d bytes, behind 3,000 %d", few, many)
	} else {
		t.Logf("behind 300 comments %d bytes, behind 3,000 %d", few, many)
	}
}
