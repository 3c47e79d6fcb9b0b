package prelude

import (
	"cmp"
	"context"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cosmos72/gomacro/imports"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// silent is a front end that discards everything.
type silent struct{}

func (silent) Stdout() io.Writer          { return io.Discard }
func (silent) Stderr() io.Writer          { return io.Discard }
func (silent) Display(display.Data) error { return nil }
func (silent) Update(display.Data) error  { return nil }
func (silent) ClearOutput(bool) error     { return nil }
func (silent) ReadLine(context.Context, string, bool) (string, error) {
	return "", kernel.ErrNoStdin
}

// TestEveryPackage imports every package in a cell and looks for what cannot be said without its bindings.
func TestEveryPackage(t *testing.T) {
	e := engine(Options{}, &database{})
	if err := e.Start(silent{}); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	number := 0
	run := func(code string) string {
		number++
		r, err := e.Execute(context.Background(), kernel.Cell{Code: code, Number: number})
		if err != nil {
			t.Errorf("%s: %v", code, err)
		}
		text, _ := r.Data.Data[display.MIMETypeText].(string)
		return text
	}
	for _, path := range bindings.New(bindings.All()...).Paths() {
		run("import _ \"" + path + "\"")
	}
	for _, c := range [][2]string{
		{`len(kg.Splits())`, "3"},
		{`sphere.NumericsVersion`, "1"},
		{`import "math"; math.MaxUint32`, "4294967295"},
		{`uint64(math.MaxUint64)`, "18446744073709551615"},
		{`import "errors"; errors.Is(errors.Join(errors.ErrUnsupported), errors.ErrUnsupported)`, "true"},
		{`import "sync/atomic"; var b atomic.Bool; b.Store(true); b.Load()`, "true"},
		{`import "context"; c, cancel := context.WithCancelCause(context.Background()); cancel(errors.New("why")); context.Cause(c)`, "why"},
		{`import "strings"; after, found := strings.CutPrefix("abc", "ab"); after`, "c"},
		{`import "time"; time.DateOnly`, "2006-01-02"},
		{`import "sort"; type byLength []string; func (s byLength) Len() int { return len(s) }; func (s byLength) Less(i, j int) bool { return len(s[i]) < len(s[j]) }; ` +
			`func (s byLength) Swap(i, j int) { s[i], s[j] = s[j], s[i] }; words := byLength{"ccc", "a", "bb"}; sort.Sort(words); words[0]`, "a"},
	} {
		if got := run(c[0]); got != c[1] {
			t.Errorf("%s gives %q, want %q", c[0], got, c[1])
		}
	}
}

// TestDocs: what cells can use has documentation, with its declaration.
func TestDocs(t *testing.T) {
	set := bindings.New(bindings.All()...)
	packages := set.Packages()
	undocumented := 0
	for path, p := range packages {
		if text, ok := set.Doc(path, ""); !ok || !strings.HasPrefix(text, "package "+p.Name+" ") {
			t.Errorf("%s has no documentation of the package: %q", path, text)
		}
		for _, names := range [][]string{slices.Collect(maps.Keys(p.Binds)), slices.Collect(maps.Keys(p.Types))} {
			for _, name := range names {
				if text, ok := set.Doc(path, name); !ok || text == "" {
					undocumented++
					t.Logf("%s.%s is not documented", path, name)
				}
			}
		}
	}
	if undocumented > 0 {
		t.Errorf("%d names are not documented", undocumented)
	}
	text, _ := set.Doc("github.com/spherelab/spherelab/spherE/kg", "Graph.Digest")
	if !strings.HasPrefix(text, "func (g *Graph) Digest() string\n\nDigest is") {
		t.Errorf("method: %q", text)
	}
	if _, ok := set.Doc("strings", "NoSuchName"); ok {
		t.Error("a name that does not exist is documented")
	}
	if _, ok := set.Doc("no/such/package", ""); ok {
		t.Error("a package that does not exist is documented")
	}
}

// packages are all bound packages; making their tables takes a millisecond.
var packages = sync.OnceValue(func() imports.PackageMap { return bindings.New(bindings.All()...).Packages() })

// twin calls a twin.
func twin(t *testing.T, path, name string, args ...any) []any {
	t.Helper()
	f := packages()[path].Binds[name]
	if !f.IsValid() {
		t.Fatalf("%s.%s is missing", path, name)
	}
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		in[i] = reflect.ValueOf(arg)
		if arg == nil {
			in[i] = reflect.Zero(reflect.TypeFor[any]())
		}
	}
	var results []any
	for _, out := range f.Call(in) {
		results = append(results, out.Interface())
	}
	return results
}

// TestTwins compares the twins with the functions that they stand for.
func TestTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		xs := make([]float64, 1+r.IntN(12))
		for i := range xs {
			xs[i] = float64(r.IntN(5))
			if r.IntN(20) == 0 {
				xs[i] = math.NaN()
			}
		}
		ys := slices.Clone(xs)
		slices.Reverse(ys)
		x := float64(r.IntN(5))
		i := r.IntN(len(xs))
		sorted := slices.Sorted(slices.Values(xs))
		place, found := slices.BinarySearch(sorted, x)
		byValue := func(a, b float64) int { return cmp.Compare(b, a) }
		descending := slices.SortedStableFunc(slices.Values(xs), byValue)
		for _, c := range []struct {
			name string
			args []any
			want []any
		}{
			{"BinarySearch", []any{sorted, x}, []any{place, found}},
			{"BinarySearchFunc", []any{sorted, x, cmp.Compare[float64]}, []any{place, found}},
			{"Clone", []any{xs}, []any{xs}},
			{"Compact", []any{slices.Clone(xs)}, []any{slices.Compact(slices.Clone(xs))}},
			{"Compare", []any{xs, ys}, []any{slices.Compare(xs, ys)}},
			{"Concat", []any{xs, ys}, []any{slices.Concat(xs, ys)}},
			{"Contains", []any{xs, x}, []any{slices.Contains(xs, x)}},
			{"Contains", []any{xs, int(x)}, []any{slices.Contains(xs, x)}}, // 1 for 1.0, as a constant
			{"ContainsFunc", []any{xs, func(v float64) bool { return v > x }},
				[]any{slices.ContainsFunc(xs, func(v float64) bool { return v > x })}},
			{"Delete", []any{slices.Clone(xs), i, len(xs)}, []any{slices.Delete(slices.Clone(xs), i, len(xs))}},
			{"Equal", []any{xs, ys}, []any{slices.Equal(xs, ys)}},
			{"Index", []any{xs, x}, []any{slices.Index(xs, x)}},
			{"IndexFunc", []any{xs, func(v float64) bool { return v > x }},
				[]any{slices.IndexFunc(xs, func(v float64) bool { return v > x })}},
			{"Insert", []any{xs, i, x, x}, []any{slices.Insert(slices.Clone(xs), i, x, x)}},
			{"IsSorted", []any{sorted}, []any{true}},
			{"IsSorted", []any{xs}, []any{slices.IsSorted(xs)}},
			{"IsSortedFunc", []any{descending, byValue}, []any{true}},
			{"Max", []any{xs}, []any{slices.Max(xs)}},
			{"Min", []any{xs}, []any{slices.Min(xs)}},
			{"MaxFunc", []any{xs, cmp.Compare[float64]}, []any{slices.MaxFunc(xs, cmp.Compare[float64])}},
			{"MinFunc", []any{xs, byValue}, []any{slices.MinFunc(xs, byValue)}},
			{"Repeat", []any{xs, 3}, []any{slices.Repeat(xs, 3)}},
			{"Sorted", twin(t, "slices", "Values", xs), []any{sorted}},
			{"Collect", twin(t, "slices", "Values", xs), []any{xs}},
		} {
			if got := twin(t, "slices", c.name, c.args...); !same(got, c.want) {
				t.Errorf("slices.%s%v gives %v, want %v", c.name, c.args, got, c.want)
			}
		}
		for name, want := range map[string][]float64{"Sort": sorted, "Reverse": ys} {
			mine := slices.Clone(xs)
			twin(t, "slices", name, mine)
			if !same([]any{mine}, []any{want}) {
				t.Errorf("slices.%s of %v gives %v, want %v", name, xs, mine, want)
			}
		}
		for _, name := range []string{"SortFunc", "SortStableFunc"} {
			mine := slices.Clone(xs)
			twin(t, "slices", name, mine, byValue)
			if !same([]any{mine}, []any{descending}) {
				t.Errorf("slices.%s of %v gives %v, want %v", name, xs, mine, descending)
			}
		}
		if got := twin(t, "cmp", "Compare", xs[0], x); got[0] != cmp.Compare(xs[0], x) {
			t.Errorf("cmp.Compare(%v, %v) gives %v", xs[0], x, got)
		}
		if got := twin(t, "cmp", "Less", xs[0], x); got[0] != cmp.Less(xs[0], x) {
			t.Errorf("cmp.Less(%v, %v) gives %v", xs[0], x, got)
		}
	}
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	if got := twin(t, "slices", "Sorted", twin(t, "maps", "Keys", m)...); !same(got, []any{[]string{"a", "b", "c"}}) {
		t.Errorf("sorted keys: %v", got)
	}
	if got := twin(t, "slices", "Sorted", twin(t, "maps", "Values", m)...); !same(got, []any{[]int{1, 2, 3}}) {
		t.Errorf("sorted values: %v", got)
	}
	copied := twin(t, "maps", "Clone", m)[0].(map[string]int)
	twin(t, "maps", "DeleteFunc", copied, func(_ string, v int) bool { return v > 1 })
	if len(copied) != 1 || len(m) != 3 {
		t.Errorf("after DeleteFunc on a clone: %v, %v", copied, m)
	}
	if twin(t, "maps", "Equal", m, copied)[0] != false {
		t.Error("maps.Equal finds different maps equal")
	}
	twin(t, "maps", "Copy", copied, m)
	if twin(t, "maps", "Equal", m, copied)[0] != true {
		t.Errorf("after Copy: %v, %v", copied, m)
	}
}

// same compares values; NaN is the same as NaN.
func same(a, b []any) bool {
	return slices.EqualFunc(a, b, func(x, y any) bool {
		xs, ok := x.([]float64)
		if !ok {
			if f, isFloat := x.(float64); isFloat && math.IsNaN(f) {
				g, _ := y.(float64)
				return math.IsNaN(g)
			}
			return reflect.DeepEqual(x, y)
		}
		ys, ok := y.([]float64)
		return ok && slices.EqualFunc(xs, ys, func(v, w float64) bool {
			return v == w ||
				math.IsNaN(v) && math.IsNaN(w)
		})
	})
}

// TestTwinsRefuse: what does not fit is refused with the function's name.
func TestTwinsRefuse(t *testing.T) {
	for _, c := range []struct {
		path, name string
		args       []any
	}{
		{"slices", "Sort", []any{5}},
		{"slices", "Sort", []any{[]any{1, "a"}}},
		{"slices", "Contains", []any{[]int{1}, "a"}},
		{"slices", "Contains", []any{[]int{1}, 1.5}},
		{"slices", "Max", []any{[]int{}}},
		{"slices", "SortFunc", []any{[]int{1, 2}, "a"}},
		{"slices", "Sorted", []any{[]int{1}}},
		{"slices", "Repeat", []any{[]int{1}, -1}},
		{"maps", "Keys", []any{[]int{1}}},
		{"maps", "Clone", []any{nil}},
		{"cmp", "Compare", []any{1, "a"}},
	} {
		func() {
			defer func() {
				err, ok := recover().(error)
				if !ok || !strings.HasPrefix(err.Error(), c.path+"."+c.name+": ") {
					t.Errorf("%s.%s%v: panic %v", c.path, c.name, c.args, err)
				}
			}()
			twin(t, c.path, c.name, c.args...)
		}()
	}
}

func TestRender(t *testing.T) {
	rows := make([][]any, 205)
	for i := range rows {
		rows[i] = []any{int64(i), "<b>&"}
	}
	long := &tracker.Table{Columns: []string{"n", "text"}, Rows: rows}
	report := &eval.Report{Graph: "toy", Split: "test",
		Cuts: []eval.Result{{Name: "margin", Head: eval.Scores{F1: 0.5}}}}
	for _, c := range []struct {
		value      any
		html, text string
	}{
		{&tracker.Table{Columns: []string{"a"}, Rows: [][]any{{nil}}}, "<th", "1 row"},
		{tracker.Table{Columns: []string{"a"}}, "<th", "0 rows"},
		{long, "&lt;b&gt;&amp;", "the first 200 of 205 rows"},
		{report, "0.5000", "toy, test"},
		{*report, "margin", "margin"},
		{&results.Grid{Columns: []results.Column{{Key: "k"}}, Rows: [][]string{{"v"}}}, "<td", "v"},
	} {
		d, ok := render(c.value)
		html, _ := d.Data[display.MIMETypeHTML].(string)
		text, _ := d.Data[display.MIMETypeText].(string)
		if !ok || !strings.Contains(html, c.html) || !strings.Contains(text, c.text) || strings.Contains(html, "<b>") {
			t.Errorf("%T: %v, HTML lacks %q or text lacks %q:\n%s\n%s", c.value, ok, c.html, c.text, html, text)
		}
	}
	for _, value := range []any{nil, 5, "text", (*tracker.Table)(nil), (*eval.Report)(nil)} {
		if _, ok := render(value); ok {
			t.Errorf("%T is rendered", value)
		}
	}
}

func TestSQLNeedsAQuery(t *testing.T) {
	d := &database{open: func(context.Context) (*tracker.Tracker, error) {
		t.Error("the tracker was opened for nothing")
		return nil, io.EOF
	}}
	if _, _, err := d.sql(context.Background(), " ", "\n"); err == nil || !strings.Contains(err.Error(), "%%sql") {
		t.Errorf("got %v", err)
	}
}
