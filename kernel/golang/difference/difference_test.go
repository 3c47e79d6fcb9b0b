// Package difference compares programs that run as cells with the same programs as the Go toolchain compiles them.
//
// A program is a file of testdata. What its compiled form writes is recorded beside it: standard output, and the first
// line of the panic that ended it. TestRecorded compiles them again (SPHERELAB_SOAK=1), and writes the records anew
// where SPHERELAB_WRITE_PROGRAMS=1 is set (make programs).
package difference

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// engine runs the cells of one session.
type engine interface {
	// Cell runs a cell; the error is what ended it.
	Cell(code string) error
}

// session is the interpreter under test.
type session struct {
	*cell.Session
	n int
}

func (s *session) Cell(code string) error {
	s.n++
	x := run.NewExecution(nil)
	defer time.AfterFunc(20*time.Second, x.Stop).Stop()
	_, err := s.Run(fmt.Sprintf("cell[%d]", s.n), code, x)
	return err
}

func start(t *testing.T) engine {
	t.Helper()
	library, err := bindings.New(bindings.All()...).Linked()
	if err != nil {
		t.Fatal(err)
	}
	s, err := cell.New(library)
	if err != nil {
		t.Fatal(err)
	}
	return &session{Session: s}
}

// TestPrograms runs every program as a cell, and its main in a second one.
func TestPrograms(t *testing.T) {
	for _, path := range programs(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".go"), func(t *testing.T) {
			code, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(recordOf(path))
			if err != nil {
				t.Fatalf("%v: make programs writes it", err)
			}
			e := start(t)
			got := printed(t, func() {
				if err = e.Cell(string(code)); err == nil {
					err = e.Cell("main()")
				}
			})
			if err != nil {
				got += ending(err)
			}
			if string(want) != got {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// ending is how a record shows the error that ended a program.
func ending(err error) string {
	var p *cell.Panic
	if !errors.As(err, &p) {
		return "cannot run: " + err.Error() + "\n"
	}
	first, _, _ := strings.Cut(p.Error(), "\n")
	return first + "\n"
}

// printed takes what is written to standard output. Programs run one at a time because of it.
func printed(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdout
	os.Stdout = w
	read := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = b.ReadFrom(r)
		read <- b.String()
	}()
	defer func() { os.Stdout = old }()
	f()
	_ = w.Close()
	return <-read
}

func programs(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/*.go")
	if err != nil {
		t.Fatal(err)
	}
	const least = 109
	if len(list) < least {
		t.Fatalf("%d programs, want at least %d", len(list), least)
	}
	return list
}

func recordOf(path string) string { return strings.TrimSuffix(path, ".go") + ".txt" }

var (
	recovered = regexp.MustCompile(` \[recovered.*\]$`)
	goPanic   = regexp.MustCompile(`(?m)^panic: .*$`)
)

// TestRecorded compiles every program and compares what it writes with its record.
func TestRecorded(t *testing.T) {
	write := os.Getenv("SPHERELAB_WRITE_PROGRAMS") != ""
	if os.Getenv("SPHERELAB_SOAK") == "" && !write {
		t.Skip("SPHERELAB_SOAK=1 compiles the programs again")
	}
	paths := programs(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module programs\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(folder, fmt.Sprintf("p%03d", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), code, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "bin")+"/", "./...")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, path := range paths {
		command := exec.Command(filepath.Join(folder, "bin", fmt.Sprintf("p%03d", i)))
		var out, faults bytes.Buffer
		command.Stdout, command.Stderr = &out, &faults
		err := command.Run()
		if line := goPanic.FindString(faults.String()); err != nil && line != "" {
			out.WriteString(recovered.ReplaceAllString(line, "") + "\n")
		} else if err != nil {
			t.Errorf("%s: %v\n%s", path, err, faults.String())
			continue
		}
		if write {
			if err := os.WriteFile(recordOf(path), out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(recordOf(path))
		if err != nil || !bytes.Equal(want, out.Bytes()) {
			t.Errorf("%s: the record differs from what the compiled program writes (%v):\n%s", path, err, out.String())
		}
	}
}
