package interp

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// codeCells reads the code cells of a notebook.
func codeCells(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(b, &notebook); err != nil {
		t.Fatal(err)
	}
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

// cannotRun names the cells of gophernotes' examples that need what a test has not, by notebook and number of the code cell, with the reason.
var cannotRun = map[string]string{
	"Display.ipynb:3":                       "downloads a picture",
	"Display.ipynb:4":                       "downloads a picture",
	"Display.ipynb:5":                       "downloads a picture",
	"Display.ipynb:6":                       "downloads a picture",
	"Display.ipynb:7":                       "imports gonum.org/v1/plot, whose API has changed since (plot.New gave an error value)",
	"Facial_Recognition_MachineBox.ipynb:0": "imports github.com/machinebox/sdk-go/facebox",
	"Facial_Recognition_MachineBox.ipynb:1": "needs a MachineBox server",
	"Facial_Recognition_MachineBox.ipynb:3": "needs a MachineBox server",
	"Facial_Recognition_MachineBox.ipynb:4": "needs facebox.Face",
	"Facial_Recognition_MachineBox.ipynb:5": "needs a MachineBox server",
	"Facial_Recognition_MachineBox.ipynb:6": "needs the cells before; returns from the top level, which Go does not allow",
	"Matrix_Operations.ipynb:0":             "imports gonum.org/v1/gonum/mat, which these tests do not link",
	"Matrix_Operations.ipynb:1":             "needs gonum.org/v1/gonum/mat",
	"Matrix_Operations.ipynb:2":             "needs gonum.org/v1/gonum/mat",
	"Matrix_Operations.ipynb:3":             "needs gonum.org/v1/gonum/mat",
}

// missing skips a test for want of something; under CI it fails.
func missing(t *testing.T, remedy string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(remedy)
	}
	t.Skip(remedy)
}

// TestGophernotesExamples runs the example notebooks of gophernotes, cell by cell.
func TestGophernotesExamples(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		missing(t, "no go command on PATH, which finds the module of gophernotes; put one there")
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gopherdata/gophernotes").Output()
	if err != nil || strings.TrimSpace(string(dir)) == "" {
		missing(t, fmt.Sprintf("the module of gophernotes is not there (%v); run: go mod download github.com/gopherdata/gophernotes", err))
	}
	books, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "examples", "*.ipynb"))
	if err != nil || len(books) != 4 {
		t.Fatalf("%d notebooks, %v", len(books), err)
	}
	ran := 0
	for _, book := range books {
		name := filepath.Base(book)
		t.Run(name, func(t *testing.T) {
			if name == "Worker_Pools.ipynb" { // goroutines run while the next cell is compiled
				racesByDesign(t)
			}
			s := start(t, Options{})
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
		})
	}
	if ran < 14 && !raceDetector {
		t.Errorf("%d cells ran", ran)
	}
}
