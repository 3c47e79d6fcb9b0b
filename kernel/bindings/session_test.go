package bindings_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/interp"
)

// session is an interpreter with everything that is bound.
type session struct {
	*interp.Engine
	t     *testing.T
	cells int

	mu       sync.Mutex
	out, err bytes.Buffer
}

type stream struct {
	s *session
	b *bytes.Buffer
}

func (w stream) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.b.Write(p)
}

func (s *session) Stdout() io.Writer          { return stream{s, &s.out} }
func (s *session) Stderr() io.Writer          { return stream{s, &s.err} }
func (s *session) Display(display.Data) error { return nil }
func (s *session) Update(display.Data) error  { return nil }
func (s *session) ClearOutput(bool) error     { return nil }
func (s *session) ReadLine(context.Context, string, bool) (string, error) {
	return "", kernel.ErrNoStdin
}

func start(t *testing.T) *session {
	t.Helper()
	set := bindings.New(bindings.All()...)
	doc := func(path, name string) string {
		text, _ := set.Doc(path, name)
		return text
	}
	s := &session{Engine: interp.New(interp.Options{Bindings: set.Packages(), Doc: doc}), t: t}
	if err := s.Start(s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// outcome is what a cell did.
type outcome struct {
	value, out, err string
	failure         *kernel.CellError
}

func (s *session) run(code string) outcome {
	s.t.Helper()
	s.cells++
	r, err := s.Execute(context.Background(), kernel.Cell{Code: code, Number: s.cells, StoreHistory: true})
	var o outcome
	if err != nil && !errors.As(err, &o.failure) {
		s.t.Fatalf("%s: %v", code, err)
	}
	if r.HasValue {
		o.value, _ = r.Data.Data[display.MIMETypeText].(string)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o.out, o.err = s.out.String(), s.err.String()
	s.out.Reset()
	s.err.Reset()
	return o
}

// TestTypedTwins: calls of slices and maps have the types that Go infers, and ranges over keys and values work.
func TestTypedTwins(t *testing.T) {
	s := start(t)
	s.run(`import ("slices"; "maps"; "fmt"; "strings")
m := map[string]int{"b": 2, "a": 1, "c": 3}
xs := []int{3, 1, 2}
type IDs []int
ids := IDs{2, 1}`)
	for _, c := range []struct{ code, value, out string }{
		{"for _, k := range slices.Sorted(maps.Keys(m)) { fmt.Print(k, m[k], \" \") }", "", "a1 b2 c3 "},
		{"n := 0\nfor k := range maps.Keys(m) { n += len(k) }\nn", "3", ""},
		{"n := 0\nfor v := range maps.Values(m) { n += v }\nn", "6", ""},
		{"n := 0\nfor k, v := range maps.All(m) { n += v + len(k) }\nn", "9", ""},
		{"n := 0\nfor v := range slices.Values(xs) { n += v }\nn", "6", ""},
		{"n := 0\nfor range maps.Keys(m) { n++ }\nn", "3", ""},
		{"ys := slices.Clone(xs)\nslices.Sort(ys)\nys[0] + ys[2]*10", "31", ""},
		{"slices.Max(xs) + slices.Min(xs)*10", "13", ""},
		{"len(slices.Insert(xs, 1, 7, 8)) + slices.Index(slices.Collect(maps.Values(m)), 99)", "4", ""},
		{"strings.Join(slices.Collect(maps.Keys(map[string]bool{\"x\": true})), \",\")", "x", ""},
		{"slices.Sorted(slices.Values(xs))[1]", "2", ""},
		{"c := slices.Clone(ids)\nslices.Reverse(c)\nc[0]", "1", ""},
		{"maps.Clone(m)[\"b\"]", "2", ""},
		{"slices.Concat(xs, []int{9})[3]", "9", ""},
		{"slices.MaxFunc(xs, func(a, b int) int { return b - a })", "1", ""},
		{"slices.Sorted(maps.Keys(m)).([]string)[0]", "a", ""}, // as it had to be written before
		{"seq := maps.Keys(m)\nlen(slices.Sorted(seq).([]string))", "3", ""},
		{"slices.Delete(slices.Clone(xs), 0, 1)", "[1 2]", ""},
	} {
		o := s.run(c.code)
		if o.failure != nil || o.value != c.value || o.out != c.out {
			t.Errorf("%s\n%q %q %v, want %q %q", c.code, o.value, o.out, o.failure, c.value, c.out)
		}
	}
}

// TestDocumentation: Shift-Tab on members of values shows what their package says of them.
func TestDocumentation(t *testing.T) {
	s := start(t)
	s.run("import (\"strings\"; \"context\"; \"time\"; \"io\"; \"gonum.org/v1/gonum/mat\"; \"net/http\")\nvar b strings.Builder\nd := mat.NewDense(2, 2, nil)\nvar r io.Reader\nvar client http.Client")
	for _, c := range []struct{ code, want string }{
		{"b.WriteStr|ing", "func (b *Builder) WriteString(s string) (int, error)\n\nWriteString appends"},
		{"d.Mu|l(", "func (m *Dense) Mul(a, b Matrix)\n\nMul"},
		{"ctx.Er|r()", "Err() error\n\n"},
		{"r.Re|ad", "Read(p []byte) (n int, err error)"},
		{"client.Time|out", "Timeout specifies a time limit"},
		{"time.Now().Unix|()", "func (t Time) Unix() int64\n\nUnix returns t as a Unix time"},
		{"strings.NewReader(\"a\").Le|n()", "func (r *Reader) Len() int\n\nLen returns"},
		{"bytes.TrimSp|ace", "not imported yet: import \"bytes\""},
		{"mat.NewDense(|", "func NewDense(r, c int, data []float64) *Dense"},
		{"/* ä𝄞 */ b.Gro|w(1)", "func (b *Builder) Grow(n int)"},
	} {
		cursor := len([]rune(c.code[:strings.IndexByte(c.code, '|')]))
		d, ok := s.Inspect(strings.Replace(c.code, "|", "", 1), cursor, 0)
		text, _ := d.Data[display.MIMETypeText].(string)
		if !ok || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.code, text, c.want)
		}
	}
	for _, c := range []struct{ code, want string }{
		{"d.Mu|", "Mul MulElem"}, {"b.Writ|", "WriteString"}, {"client.Ti|", "Timeout"}, {"time.Now().Un|", "Unix"},
		{"r.|", "Read"}, {"ctx.|", "Err Done"},
		{"bytes.TrimS|", "TrimSpace"}, {"/* ä𝄞 */ b.Gr|", "Grow"}, {"import \"gonum|", "gonum.org/v1/gonum/mat"},
	} {
		cursor := len([]rune(c.code[:strings.IndexByte(c.code, '|')]))
		got := s.Complete(strings.Replace(c.code, "|", "", 1), cursor)
		for _, want := range strings.Fields(c.want) {
			if !strings.Contains(" "+strings.Join(got.Matches, " ")+" ", " "+want+" ") {
				t.Errorf("%s: %v, want %s", c.code, got.Matches, want)
			}
		}
		for _, match := range got.Matches {
			if strings.TrimSpace(match) != match || strings.Contains(match, "\n") {
				t.Errorf("%s: the match %q has space around it", c.code, match)
			}
		}
		if got.End != cursor {
			t.Errorf("%s: replaces up to %d, not to the cursor at %d", c.code, got.End, cursor)
		}
	}
}

// missing skips a test for want of something; under CI it fails.
func missing(t *testing.T, remedy string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(remedy)
	}
	t.Skip(remedy)
}

// TestMatrixNotebook runs gophernotes' example notebook for gonum.
func TestMatrixNotebook(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		missing(t, "no go command on PATH, which finds the module of gophernotes; put one there")
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gopherdata/gophernotes").Output()
	if err != nil || strings.TrimSpace(string(dir)) == "" {
		missing(t, fmt.Sprintf("the module of gophernotes is not there (%v); run: go mod download github.com/gopherdata/gophernotes", err))
	}
	content, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "examples", "Matrix_Operations.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(content, &notebook); err != nil {
		t.Fatal(err)
	}
	s := start(t)
	ran, out := 0, ""
	for _, cell := range notebook.Cells {
		if cell.Type != "code" {
			continue
		}
		code := strings.Join(cell.Source, "")
		o := s.run(code)
		if o.failure != nil {
			t.Errorf("%s\n%s", code, strings.Join(o.failure.Traceback, "\n"))
		}
		ran++
		out += o.out
	}
	if ran != 5 || !strings.Contains(out, "⎡") {
		t.Errorf("%d cells ran, output %q", ran, out)
	}
}
