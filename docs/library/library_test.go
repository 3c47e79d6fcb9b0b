package library

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestPrograms: docs/library.md shows each program as it is, and below it what it prints.
func TestPrograms(t *testing.T) {
	t.Parallel()
	page := string(expect.Must[[]byte](t)(os.ReadFile("../library.md")))
	programs := expect.Must[[]string](t)(filepath.Glob("*/main.go"))
	programs = slices.DeleteFunc(programs, func(file string) bool { return file == ownProgram })
	if shown := strings.Count(page, "```go\n"); len(programs) == 0 || shown != len(programs) {
		t.Errorf("the page shows %d programs of %d", shown, len(programs))
	}
	for _, file := range programs {
		t.Run(filepath.Dir(file), func(t *testing.T) {
			t.Parallel()
			source := string(expect.Must[[]byte](t)(os.ReadFile(file)))
			_, after, found := strings.Cut(page, "```go\n"+source+"```\n\n```text\n")
			want, _, _ := strings.Cut(after, "```\n")
			if !found || want == "" {
				t.Fatalf("the page does not show %s and what it prints", file)
			}
			run := exec.Command(build(t, file), t.TempDir())
			run.Env = append(os.Environ(), "DATABASE_URL=")
			if out, err := run.CombinedOutput(); err != nil || string(out) != want {
				t.Errorf("%v, it prints\n%s\nnot\n%s", err, out, want)
			}
		})
	}
}

// TestLines: the page has the number of lines of each file that its table names.
func TestLines(t *testing.T) {
	t.Parallel()
	page := string(expect.Must[[]byte](t)(os.ReadFile("../library.md")))
	rows := regexp.MustCompile("(?m)^\\| .*`(\\S+\\.go)` \\| (\\d+) \\|").FindAllStringSubmatch(page, -1)
	if len(rows) != 5 {
		t.Errorf("%d rows with files", len(rows))
	}
	for _, row := range rows {
		source := string(expect.Must[[]byte](t)(os.ReadFile(row[1])))
		if n := fmt.Sprint(strings.Count(source, "\n")); n != row[2] {
			t.Errorf("%s has %s lines, the page says %s", row[1], n, row[2])
		}
	}
}

// ownProgram is the command line with the models of folder geometry.
const ownProgram = "own/main.go"

// build returns the path of a built program.
func build(t *testing.T, file string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	out, err := exec.Command("go", "build", "-trimpath", "-o", program, "./"+filepath.Dir(file)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestOwnModels: the command line trains linked models, reproduces, stacks and asks them, and its tables have them.
func TestOwnModels(t *testing.T) {
	t.Parallel()
	program, home := build(t, ownProgram), t.TempDir()
	spherelab := func(args ...string) string {
		t.Helper()
		run := exec.Command(program, append(args, "--data-dir", home)...)
		run.Env = append(os.Environ(), "DATABASE_URL=", "NO_COLOR=1")
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for _, model := range []string{"own-transe-l2", "tucker"} {
		spherelab("train", "bundled", model, "--set", "train.epochs=2", "--set", "dimension=5", "--set", "gamma=4")
	}
	spherelab("reproduce", "bundled-tucker-clean")
	spherelab("stack", "bundled-tucker-clean", "bundled-own-transe-l2-clean")
	if answer := spherelab("query", "last", "Chen-Ning Yang", "co_author", "?"); !strings.Contains(answer, "Enrico Fermi") {
		t.Errorf("the stack answers\n%s", answer)
	}
	table := spherelab("table", "bundled")
	for _, title := range []string{"\nOwn TransE-L2 ", "\nTuckER ", "TuckER + Own TransE-L2"} {
		if !strings.Contains(table, title) {
			t.Errorf("the table lacks %q:\n%s", title, table)
		}
	}
}
