package notebook_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// codeCells reads the code cells of a notebook.
func codeCells(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	expect.NoError(t, err)
	var notebook struct {
		Cells []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	expect.NoError(t, json.Unmarshal(b, &notebook))
	var cells []string
	for _, c := range notebook.Cells {
		if c.Type != "code" {
			continue
		}
		var lines []string
		var text string
		if json.Unmarshal(c.Source, &lines) == nil {
			text = strings.Join(lines, "")
		} else if err := json.Unmarshal(c.Source, &text); err != nil {
			t.Fatal(err)
		}
		cells = append(cells, text)
	}
	return cells
}

// cannotRun names the cells of gophernotes' examples that need what a test has not, by notebook and number of the
// code cell, with the reason.
var cannotRun = map[string]string{
	"Display.ipynb:3":                       "downloads a picture",
	"Display.ipynb:4":                       "downloads a picture",
	"Display.ipynb:5":                       "downloads a picture",
	"Display.ipynb:6":                       "downloads a picture",
	"Display.ipynb:7":                       "imports gonum.org/v1/plot, whose plot.New gave an error once",
	"Facial_Recognition_MachineBox.ipynb:0": "imports github.com/machinebox/sdk-go/facebox",
	"Facial_Recognition_MachineBox.ipynb:1": "needs a MachineBox server",
	"Facial_Recognition_MachineBox.ipynb:3": "needs a MachineBox server",
	"Facial_Recognition_MachineBox.ipynb:4": "needs facebox.Face",
	"Facial_Recognition_MachineBox.ipynb:5": "needs a MachineBox server",
	"Facial_Recognition_MachineBox.ipynb:6": "needs the cells before; returns from the top level, which Go does not allow",
}

// missing skips a test for lack of something; under CI it fails.
func missing(t *testing.T, remedy string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(remedy)
	}
	t.Skip(remedy)
}

// gophernotes returns the folder with the sources of gophernotes. Its code is not built, so go.mod does not name it.
func gophernotes(t *testing.T) string {
	t.Helper()
	const module, sum = "github.com/gopherdata/gophernotes@v0.7.5", "h1:hhQiBOwv4KR02mlYdHiHfLGybtC1QxatCnJqt75apVw="
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var found struct{ Dir, Sum, Error string }
	if jsonErr := json.Unmarshal(out, &found); err != nil || jsonErr != nil {
		missing(t, fmt.Sprintf("the module of gophernotes is not there (%v, %s); run: go mod download %s", err, found.Error,
			module))
	}
	if found.Sum != sum {
		t.Fatalf("%s has the sum %s, want %s", module, found.Sum, sum)
	}
	return found.Dir
}

// TestGophernotesExamples runs the example notebooks of gophernotes, cell by cell.
func TestGophernotesExamples(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		missing(t, "no go command on PATH, which finds the module of gophernotes; put one there")
	}
	books, err := filepath.Glob(filepath.Join(gophernotes(t), "examples", "*.ipynb"))
	if err != nil || len(books) != 4 {
		t.Fatalf("%d notebooks, %v", len(books), err)
	}
	ran := 0
	for _, book := range books {
		name := filepath.Base(book)
		t.Run(name, func(t *testing.T) {
			s := start(t, notebook.Options{})
			var out strings.Builder
			for i, code := range codeCells(t, book) {
				if reason, ok := cannotRun[fmt.Sprintf("%s:%d", name, i)]; ok {
					t.Logf("cell %d is left out: %s", i, reason)
					continue
				}
				o := s.run(code)
				if o.failure != nil {
					t.Errorf("cell %d:\n%s\n%s", i, code, strings.Join(o.failure.Traceback, "\n"))
				}
				out.WriteString(o.out)
				ran++
			}
			if name == "Worker_Pools.ipynb" && strings.Count(out.String(), "processing job") != 9 {
				t.Errorf("output: %s", out.String())
			}
			if name == "Matrix_Operations.ipynb" && !strings.Contains(out.String(), "⎡") {
				t.Errorf("output: %s", out.String())
			}
		})
	}
	if ran < 18 {
		t.Errorf("%d cells ran", ran)
	}
}
