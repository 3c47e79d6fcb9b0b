package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// zoo is a package that a kernel of one's own links in.
const zoo = `// Package zoo has animals.
package zoo

import (
	"errors"
	"fmt"
	"iter"
)

const Limit = 2

type Weight float64

func (w Weight) String() string { return fmt.Sprintf("%.1f kg", float64(w)) }

// Default is the zoo that everybody knows.
var Default = New("Default")

var ErrFull = errors.New("the zoo is full")

type Animal interface{ Sound() string }

type Dog struct {
	Name   string
	Weight Weight
}

func (d *Dog) Sound() string { return d.Name + " barks" }

type Zoo struct {
	Name    string
	animals []Animal
}

// New opens a zoo.
func New(name string) *Zoo { return &Zoo{Name: name} }

func (z *Zoo) Add(a Animal) error {
	if len(z.animals) == Limit {
		return ErrFull
	}
	z.animals = append(z.animals, a)
	return nil
}

func (z *Zoo) All() iter.Seq2[int, Animal] {
	return func(yield func(int, Animal) bool) {
		for i, a := range z.animals {
			if !yield(i, a) {
				return
			}
		}
	}
}

// Sum adds.
func Sum[T ~int | ~float64](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}

type Pair[A, B any] struct {
	First  A
	Second B
}

func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.Second, p.First} }

func Best() Pair[string, Weight] { return Pair[string, Weight]{"Rex", 12} }
`

// TestOwnKernel does what docs/kernel.md says of a kernel of one's own, with the page's commands and main function, and
// uses the kernel through a Jupyter client.
func TestOwnKernel(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	j.python() // skips before anything is built
	page, err := os.ReadFile(inRoot("docs/kernel.md"))
	expect.NoError(t, err)
	_, chapter, ok := strings.Cut(string(page), "## Linking further packages\n")
	commands, programs := blocks(chapter, "sh"), blocks(chapter, "go")
	if !ok || len(commands) != 2 || len(programs) != 1 {
		t.Fatalf("the chapter has %d shell blocks and %d programs", len(commands), len(programs))
	}
	folder := t.TempDir()
	own := filepath.Join(folder, "mykernel")
	for path, text := range map[string]string{
		"zoo/go.mod": "module example.com/zoo\n\ngo 1.26\n", "zoo/zoo.go": zoo, "mykernel/main.go": programs[0],
	} {
		path = filepath.Join(folder, path)
		expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	// Neither module is published: a workspace takes the place of `go get`, as the page says.
	work := "go work init . " + abs(t, root) + " ../zoo"
	script := strings.Replace(commands[0]+commands[1], "go get github.com/spherelab/spherelab example.com/zoo", work, 1)
	if !strings.Contains(script, work) {
		t.Fatalf("the commands do not get the modules:\n%s", script)
	}
	shell := exec.Command("sh", "-e", "-c", script)
	shell.Dir = own
	shell.Env = append(os.Environ(), "GOWORK=", "JUPYTER_DATA_DIR="+j.data)
	if out := string(output(t, shell)); !strings.Contains(out, filepath.Join(j.data, "kernels", "zoo")) {
		t.Errorf("install says %q", out)
	}

	cells := []struct{ code, want string }{
		{"import (\"errors\"; \"fmt\"; \"example.com/zoo\")\nz := zoo.New(\"mine\")\nz.Add(&zoo.Dog{\"Rex\", 12})", ""},
		{"type Cat struct{ lives int }\nfunc (c Cat) Sound() string { return fmt.Sprint(\"meow \", c.lives) }\nz.Add(Cat{9})", ""},
		{"for i, a := range z.All() { fmt.Print(i, \" \", a.Sound(), \"; \") }", "0 Rex barks; 1 meow 9; "},
		{"errors.Is(z.Add(Cat{1}), zoo.ErrFull)", `"true"`},
		{"zoo.Weight(zoo.Limit)", "2.0 kg"},
		{"zoo.Default = z\nzoo.Default.Name", "mine"},
		{"zoo.Best().Swap()", "{12.0 kg Rex}"},
		{"?zoo.New", "New opens a zoo."},
		{"zoo.Sum(1, 2)", "undefined: zoo.Sum: packages of your own are linked in without what is generic"},
		{"zoo.Pair[int, int]{1, 2}", "undefined: zoo.Pair: packages of your own are linked in without what is generic"},
		{"lab.Graph(\"bundled\")", "643 entities"},
	}
	var codes []string
	for _, c := range cells {
		codes = append(codes, c.code)
	}
	run := j.python("-c", `
import json, sys, nbformat
from nbclient import NotebookClient
n = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(n, kernel_name="zoo", timeout=120, allow_errors=True).execute()
json.dump([c.outputs for c in n.cells], sys.stdout)`, notebook(t, own, "zoo", codes...))
	var outputs []json.RawMessage
	expect.NoError(t, json.Unmarshal(output(t, run), &outputs))
	for i, c := range cells {
		if have := string(outputs[i]); c.want == "" && have != "[]" || !strings.Contains(have, c.want) {
			t.Errorf("%s\ngave %s, want %q", c.code, have, c.want)
		}
	}
}
