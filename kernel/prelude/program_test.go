package prelude

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/display"
)

// written is a front end that keeps what cells print.
type written struct {
	silent
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Bind() kernel.IO   { return w }
func (w *written) Stdout() io.Writer { return w }
func (w *written) Display(d display.Data) error {
	text, _ := d.Data[display.MIMETypeText].(string)
	_, err := w.Write([]byte(text + "\n"))
	return err
}
func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// plainCells are cells of everything that a program has to declare, name or place otherwise than a notebook does.
var plainCells = []string{
	"import \"fmt\"\n\n// point is a place.\ntype point struct{ x, y int }\nfunc (p point) String() string { return fmt.Sprint(p.x, \"/\", p.y) }\np := point{1, 2}\np",
	"p := \"again\"\nread := func() string { return p }\np += \"!\"\nread()",
	"var a, b = 3, 4.5\nvar (\n\tc []int\n\td = a + 1\n)\nc = append(c, a, d)\nb",
	"func twice[T any](f func(T) T, x T) T { return f(f(x)) }\ntwice(func(i int) int { return i * a }, 5)",
	"const (\n\tk = iota + 7\n\tl\n)\nfmt.Println(k, l)\nmax := max(k, l)\nmax",
	"strings := []string{\"ä\", \"b\"}\nlen(strings)",
	"import \"strings\"\nstrings.ToUpper(\"ä\") // not the variable",
	"func first() int { return c[0] }\nfirst()",
	"import \"strconv\"\nstrconv.Atoi(\"12\")",
	"func first() int { return c[1] } // again\nfirst()\nfirst() + 1",
	"for i := range 2 { fmt.Println(i) }\nx, y := 1, 2\nx, z := y, x\nfmt.Println(x, y, z)",
	"x := x + 10; x",
	"ctx.Err() == nil",
	"func two() (int, any) { return 7, true }\ntwo()",
	"func three() (any, int, bool) { return nil, 8, true }\nthree()",
	"Display(a, p)",
	"Display(b); a",
	"m := map[string]*point{\"a\": nil}\nm[\"a\"]\nm",
	"import r \"math/rand\"\nr.New(r.NewSource(1)).Intn(1000)",
	"os.Getenv(\"NOTHING\") == \"\"",
	"type point struct{ x, y int }\npoint{5, 6}",
	"var err error\nif err == nil { err = fmt.Errorf(\"%d\", l) }\nerr",
	"q := []*point{{7, 8}}\nlen(q)",
	"import \"image\"\nimage.NewGray(image.Rect(0, 0, 2, 3))",
	"display.HTML(\"<b>x</b>\")",
	"nil",
}

// TestProgramPrintsWhatCellsShow runs cells, and the program of the same cells.
func TestProgramPrintsWhatCellsShow(t *testing.T) {
	d := &database{}
	e, front := engine(Options{}, d), &written{}
	expect.NoError(t, e.Start(front))
	var cells []any
	for i, code := range plainCells {
		r, err := e.Execute(context.Background(), kernel.Cell{Code: code, Number: i + 1})
		if err != nil {
			t.Fatalf("%s\n%v", code, err)
		}
		if text, ok := r.Data.Data[display.MIMETypeText].(string); ok && r.HasValue {
			front.Write([]byte(text + "\n"))
		}
		cells = append(cells, map[string]any{"cell_type": "code", "source": code},
			map[string]any{"cell_type": "markdown", "source": []string{"*Text*\n", "```"}})
	}
	expect.NoError(t, e.Close())
	want := front.text.String()
	raw := expect.Must[[]byte](t)(json.Marshal(map[string]any{"cells": cells}))
	code := expect.Must[[]byte](t)(Program("plain.ipynb", raw, ""))
	folder := t.TempDir()
	file := filepath.Join(folder, "main.go")
	expect.NoError(t, os.WriteFile(file, code, 0o644))
	place := filepath.Join(expect.Must[string](t)(os.Getwd()), "plain", "main.go")
	overlay := expect.Must[[]byte](t)(json.Marshal(map[string]any{"Replace": map[string]string{place: file}}))
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o644))
	run := exec.Command("go", "run", "-trimpath", "-overlay", filepath.Join(folder, "overlay.json"), "./plain")
	out, err := run.CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("%v, the program prints\n%s\nthe cells show\n%s\n%s", err, out, want, code)
	}
}
