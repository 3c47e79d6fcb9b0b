// Package difference compares programs that run as cells with the same programs as the Go toolchain compiles them.
//
// A program is a file of testdata. What its compiled form writes is recorded next to it: standard output, and the first
// line of the last panic that ended it. TestRecorded compiles them again (SPHERELAB_SOAK=1), and writes the records
// again where SPHERELAB_WRITE_PROGRAMS=1 is set (make programs).
package difference

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// cellLimit ends a program that does not end.
const cellLimit = 50 * time.Second

// engine runs the cells of one session.
type engine interface {
	// Cell runs a cell; the error is what ended it.
	Cell(code string) error
}

// session is the interpreter under test.
type session struct {
	*cell.Session
	n     int
	limit time.Duration // of a cell
}

func (s *session) Cell(code string) error {
	s.n++
	x := run.NewExecution(nil)
	defer time.AfterFunc(s.limit, x.Stop).Stop()
	_, err := s.Run(fmt.Sprintf("cell[%d]", s.n), code, x)
	return err
}

func start(t *testing.T) engine {
	t.Helper()
	s, err := newSession()
	expect.NoError(t, err)
	return s
}

func newSession() (*session, error) {
	library, err := bindings.New(bindings.All()...).Linked()
	if err != nil {
		return nil, err
	}
	s, err := cell.New(library)
	if err != nil {
		return nil, err
	}
	return &session{Session: s, limit: cellLimit}, nil
}

// TestPrograms runs every program as a cell, and its main in a second one.
func TestPrograms(t *testing.T) {
	for _, path := range programs(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".go"), func(t *testing.T) {
			code, err := os.ReadFile(path)
			expect.NoError(t, err)
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
	expect.NoError(t, err)
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
	expect.NoError(t, err)
	const least = 451
	if len(list) < least {
		t.Fatalf("%d programs, want at least %d", len(list), least)
	}
	return list
}

func recordOf(path string) string { return strings.TrimSuffix(path, ".go") + ".txt" }
