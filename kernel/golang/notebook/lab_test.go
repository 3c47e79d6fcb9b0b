package notebook_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// lab is a package as it is linked into a kernel: functions that take contexts and callbacks.
func lab() notebook.Options {
	return notebook.Options{
		Linked: linked(bindings.Source{Path: "example.com/lab", Name: "lab", Table: func() bindings.Table {
			return bindings.Table{Values: map[string]reflect.Value{
				"Train":    reflect.ValueOf(labTrain),
				"See":      reflect.ValueOf(func(s interface{ Seen() string }) string { return s.Seen() }),
				"Inc":      reflect.ValueOf(func(x int) int { return x + 1 }),
				"Explode":  reflect.ValueOf(func() { panic("compiled panic") }),
				"NewModel": reflect.ValueOf(func(n int) *labModel { return &labModel{Size: n} }),
				"Table":    reflect.ValueOf(func() labTable { return labTable{} }),
				"Ask":      reflect.ValueOf(func(n int) (int, error) { return n, errNobody }),
				"Must":     reflect.ValueOf(func() { panic(labError{"start it first"}) }),
				"Check":    reflect.ValueOf(func(any) error { return (*labFault)(nil) }),
				"Named":    reflect.ValueOf(func() (int, error) { return 0, labError{"traced"} }),
			}, Types: map[string]reflect.Type{"Model": reflect.TypeFor[labModel](), "Table": reflect.TypeFor[labTable]()}}
		}}),
		Prelude: []notebook.Import{{Path: "example.com/lab"}},
		Magics: map[string]command.Magic{
			"echo": func(ctx context.Context, args, body string) (display.Data, bool, error) {
				switch args {
				case "fail":
					return display.Data{}, false, errors.New("the magic failed")
				case "named":
					return display.Data{}, false, labError{"traced"}
				case "own":
					return display.Data{}, false, labError{"only this"}
				}
				return display.HTML(args + "|" + body), true, nil
			},
			"wait": func(ctx context.Context, args, body string) (display.Data, bool, error) {
				<-ctx.Done()
				return display.Data{}, false, ctx.Err()
			},
		},
		Doc: func(pkg, name string) string {
			return map[string]string{"example.com/lab.": "Package lab is an example.",
				"example.com/lab.Train":                                 "Train calls step until ctx ends.",
				reflect.TypeFor[labModel]().PkgPath() + ".labModel.Fit": "Fit fits.",
				"example.com/lab.Inc":                                   "func Inc(x int) int\n\nInc adds 1."}[pkg+"."+name]
		},
		Render: func(v interface{}) (display.Data, bool) {
			if _, ok := v.(labTable); ok {
				return display.HTML("<table></table>"), true
			}
			return display.Data{}, false
		},
	}
}

var errNobody = fmt.Errorf("lab: %w", labError{"nobody is there"})

type labTable struct{}

// labError is an error that says how a cell shows it.
type labError struct{ text string }

func (e labError) Error() string             { return e.text }
func (e labError) CellError() (string, bool) { return "LabError", e.text == "traced" }

// labFault is an error whose nil pointer has no text.
type labFault struct{ text string }

func (f *labFault) Error() string { return f.text }

type labModel struct {
	Size int
	note string
}

func (m *labModel) Fit(steps int) error { m.Size += steps; m.note = "fitted"; return nil }

func labTrain(ctx context.Context, step func(i int)) error {
	for i := 0; ; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if step != nil {
			step(i)
		}
	}
}

// TestRendering: values that say how they are shown.
func TestRendering(t *testing.T) {
	s := start(t, lab())
	s.ok(`import "image"
type H struct{ s string }
func (h H) HTML() string { return "<b>" + h.s + "</b>" }
type PH struct{ s string }
func (h *PH) HTML() string { return "<i>" + h.s + "</i>" }
type S struct{}
func (S) SimpleRender() display.MIMEMap { return display.MIMEMap{display.MIMETypeLatex: "$x$"} }
type R struct{}
func (R) Render() display.Data { return display.Data{Data: display.MIMEMap{"text/latex": "$y$"}} }
type Vec struct{}
func (Vec) SVG() string { return "<svg/>" }
type J struct{}
func (J) JSON() map[string]interface{} { return map[string]interface{}{"a": 1} }`)
	for _, tt := range []struct {
		code, mime string
		want       interface{}
	}{
		{`display.HTML("<b>")`, "text/html", "<b>"},
		{`H{"x"}`, "text/html", "<b>x</b>"},
		{`&H{"x"}`, "text/html", "<b>x</b>"},
		{`&PH{"x"}`, "text/html", "<i>x</i>"},
		{`S{}`, "text/latex", "$x$"},
		{`R{}`, "text/latex", "$y$"},
		{`Vec{}`, "image/svg+xml", "<svg/>"},
		{`J{}`, "application/json", map[string]interface{}{"a": 1}},
		{`lab.Table()`, "text/html", "<table></table>"},
		{`display.Math("x")`, "text/latex", "$$x$$"},
		{"import \"github.com/gopherdata/gophernotes\"\ngophernotes.Markdown(\"*\")", "text/markdown", "*"},
		{`func pic() (image.Image, error) { return image.NewRGBA(image.Rect(0, 0, 2, 2)), nil }` + "\n" +
			"" + `pic()`, "image/png", nil},
	} {
		o := s.ok(tt.code)
		got, ok := o.data.Data[tt.mime]
		if !ok || tt.want != nil && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v", tt.code, o.data.Data)
		}
		if _, ok := o.data.Data["text/plain"].(string); !ok {
			t.Errorf("%s: no text: %v", tt.code, o.data.Data)
		}
	}
	o := s.ok("Display(H{\"y\"}, display.Markdown(\"*m*\"), 5)\nDisplay(lab.Table())\n" +
		"UpdateDisplay(display.WithID(display.HTML(\"u\"), \"1\"))\nClearOutput(true)")
	if len(o.shown) != 4 || o.shown[0].Data["text/html"] != "<b>y</b>" ||
		o.shown[1].Data["text/markdown"] != "*m*" || o.shown[2].Data["text/plain"] != "5" ||
		o.shown[3].Data["text/html"] != "<table></table>" {
		t.Errorf("Display showed %v", o.shown)
	}
	if o.value != "" {
		t.Errorf("Display has value %q", o.value)
	}
	if len(s.io.updated) != 1 || display.ID(s.io.updated[0]) != "1" || s.io.cleared != 1 {
		t.Errorf("updated %v, cleared %d", s.io.updated, s.io.cleared)
	}
}

// TestInput: cells read the front end's input.
func TestInput(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok(`import ("fmt"; "os"; "bufio"; "strings")`)
	for _, tt := range []struct {
		code  string
		lines []string
		want  string
	}{
		{"var a string\nvar b int\nfmt.Print(\"name? \")\nfmt.Scanln(&a, &b)\n" +
			"fmt.Println(a, b)", []string{"ann 3"}, "name? ann 3\n"},
		{"var a, b int\nfmt.Scan(&a, &b)\nfmt.Println(a + b)", []string{"1", "2"}, "3\n"},
		{"var a int\nfmt.Scanf(\"%d\\n\", &a)\nfmt.Println(a)", []string{"7"}, "7\n"},
		{"line, err := bufio.NewReader(os.Stdin).ReadString('\\n')\n" +
			"fmt.Printf(\"%q %v\\n\", line, err)", []string{"hé llo"}, "\"hé llo\\n\" <nil>\n"},
		{"sc := bufio.NewScanner(os.Stdin)\nsc.Scan()\nfmt.Println(strings.ToUpper(sc.Text()))", []string{"abc"}, "ABC\n"},
	} {
		s.io.lines = tt.lines
		if o := s.ok(tt.code); o.out != tt.want {
			t.Errorf("%s\noutput %q, want %q", tt.code, o.out, tt.want)
		}
	}
	o := s.run("fmt.Print(\"before \")\nvar c string\nfmt.Scanln(&c)")
	if o.failure == nil || o.failure.Name != "NoInput" || o.out != "before " {
		t.Errorf("without input: %v, output %q", o.failure, o.out)
	}
}

// TestOutput: everything the process prints reaches the front end, in order.
func TestOutput(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok(`import ("fmt"; "log"; "os"; "time")`)
	o := s.ok("log.SetFlags(0)\nlog.Print(\"logged\")\nfmt.Fprintln(os.Stderr, \"err\")\nprintln(\"builtin\")")
	if o.err != "logged\nerr\nbuiltin\n" {
		t.Errorf("stderr %q", o.err)
	}
	o = s.ok("for i := 0; i < 20000; i++ { fmt.Println(i) }")
	if n := strings.Count(o.out, "\n"); n != 20000 || !strings.HasSuffix(o.out, "19999\n") {
		t.Errorf("%d lines", n)
	}
	s.ok("os.Stdout.Close()\nos.Stderr.Close()")
	if o = s.ok("fmt.Println(\"again\")\nprintln(\"too\")\nlog.Print(\"logged\")"); o.out != "again\n"+
		"" || o.err != "too\nlogged\n" {
		t.Errorf("after standard output was closed: %q and %q", o.out, o.err)
	}
	s.ok("os.Stdout, os.Stderr = nil, nil")
	if o = s.ok("fmt.Println(\"again\")\nprintln(\"too\")"); o.out != "again\n" || o.err != "too\n" {
		t.Errorf("after standard output was taken away: %q and %q", o.out, o.err)
	}
	s.ok("r, w, err := os.Pipe()\nold := os.Stdout\nos.Stdout = w")
	if o = s.ok("fmt.Print(\"kept\")\nw.Close()\nos.Stdout = old"); o.out != "" {
		t.Errorf("a pipe in place of standard output lasted for one cell: %q", o.out)
	}
	s.ok("r, w, err = os.Pipe()\nos.Stdout = w\ngo fmt.Print(string(make([]byte, 100_000)))\n" +
		"time.Sleep(100 * time.Millisecond)")
	if o = s.ok("os.Stdout = old\nr.Close()"); o.out != "" {
		t.Errorf("a full pipe in place of standard output printed %q", o.out)
	}
	s.ok("go func() { time.Sleep(30 * time.Millisecond); fmt.Print(\"late\") }()")
	if o = s.ok("time.Sleep(200 * time.Millisecond)"); o.out != "late" {
		t.Errorf("output of a goroutine: %q", o.out)
	}
}

// TestNilPointerAsError: a nil pointer that a compiled function returns as an error is an error that is not nil, and
// nothing asks it for its text.
func TestNilPointerAsError(t *testing.T) {
	s := start(t, lab())
	if o := s.ok("err := lab.Check(1)\nerr == nil"); o.value != "false" {
		t.Errorf("err == nil is %s", o.value)
	}
}
