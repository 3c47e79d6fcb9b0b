package prelude

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/expect"
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
func (silent) Bind() kernel.IO            { return silent{} }
func (silent) ReadLine(context.Context, string, bool) (string, error) {
	return "", kernel.ErrNoStdin
}

// TestEveryPackage imports every package in a cell and looks for what cannot be said without its bindings.
func TestEveryPackage(t *testing.T) {
	e := engine(Options{}, &database{})
	expect.NoError(t, e.Start(silent{}))
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
			t.Errorf("%s returns %q, want %q", c[0], got, c[1])
		}
	}
}

// TestDocs: what cells can use has documentation, with its declaration.
func TestDocs(t *testing.T) {
	set := bindings.New(bindings.All()...)
	undocumented := 0
	for _, source := range bindings.All() {
		path, p := source.Path, source.Table()
		if text, ok := set.Doc(path, ""); !ok || !strings.HasPrefix(text, "package "+source.Name+" ") {
			t.Errorf("%s has no documentation of the package: %q", path, text)
		}
		for _, names := range [][]string{slices.Collect(maps.Keys(p.Values)), slices.Collect(maps.Keys(p.Types))} {
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
