package difference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// childProgram names the program that a child process of TestToolchain runs.
const childProgram = "SPHERELAB_TEST_PROGRAM"

// TestToolchain runs the programs of the Go toolchain's own test folder: those that are run as they are, and that use
// linked packages only, without those of notApplicable. A program passes if it ends well and prints what its .out file
// holds, or nothing. Each runs in a process of its own, since some end it. SPHERELAB_TEST_TOOLCHAIN names some of them
// by a part of their path.
func TestToolchain(t *testing.T) {
	part := os.Getenv("SPHERELAB_TEST_TOOLCHAIN")
	if os.Getenv("SPHERELAB_SOAK") == "" && part == "" {
		t.Skip("SPHERELAB_SOAK=1 runs the toolchain's programs")
	}
	paths, left := toolchainPrograms(t, part)
	if len(paths) == 0 {
		t.Skip("this Go installation has no folder test: install Go from an archive of go.dev")
	}
	packages := standardPackages(t)
	type outcome struct{ path, fault string }
	outcomes := make(chan outcome)
	work := make(chan string)
	for range runtime.NumCPU() {
		go func() {
			for path := range work {
				outcomes <- outcome{path, toolchainFault(t.Context(), path, packages)}
			}
		}()
	}
	go func() {
		for _, path := range paths {
			work <- path
		}
		close(work)
	}()
	var faults []string
	for range paths {
		if o := <-outcomes; o.fault != "" {
			faults = append(faults, o.path+": "+o.fault)
		}
	}
	slices.Sort(faults)
	passed := len(paths) - len(faults)
	t.Logf("%d of %d programs pass; not applicable: %v\n%s", passed, len(paths), left, strings.Join(faults, "\n"))
	if part == "" && passed*100 < len(paths)*leastToolchain {
		t.Errorf("%d of %d programs pass, want %d%%", passed, len(paths), leastToolchain)
	}
}

// leastToolchain is how many of a hundred programs pass at least.
const leastToolchain = 97

// toolchainPrograms lists the programs that apply, and counts others by their class.
func toolchainPrograms(t *testing.T, part string) (paths []string, left map[string]int) {
	t.Helper()
	library, err := bindings.New(bindings.All()...).Linked()
	expect.NoError(t, err)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("go env GOROOT: %v: put the Go toolchain on PATH", err)
	}
	folder := filepath.Join(strings.TrimSpace(string(root)), "test")
	left = map[string]int{}
	for _, pattern := range []string{"*.go", "*/*.go"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		expect.NoError(t, err)
		for _, path := range found {
			if !strings.Contains(path, part) || !applies(t, library, path) {
				continue
			}
			name, _ := filepath.Rel(folder, path)
			if class := classOf(filepath.ToSlash(name)); class != "" {
				left[class]++
			} else {
				paths = append(paths, path)
			}
		}
	}
	return paths, left
}

func applies(t *testing.T, library *bindings.Linked, path string) bool {
	t.Helper()
	code, err := os.ReadFile(path)
	expect.NoError(t, err)
	isRun := false
	for line := range strings.Lines(string(code)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//go:build") {
			isRun = line == "// run"
			break
		}
	}
	if ok, err := build.Default.MatchFile(filepath.Dir(path), filepath.Base(path)); !isRun || !ok || err != nil {
		return false
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, code, parser.ImportsOnly)
	if err != nil {
		return false
	}
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if _, err := library.Export(name); err != nil && name != "unsafe" {
			return false
		}
	}
	return true
}

// standardPackages writes where the compiled packages of the standard library lie, for programs that compile others.
func standardPackages(t *testing.T) (file string) {
	t.Helper()
	form := "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"
	out, err := exec.Command("go", "list", "-export", "-f", form, "std").Output()
	expect.NoError(t, err)
	file = filepath.Join(t.TempDir(), "importcfg")
	expect.NoError(t, os.WriteFile(file, out, 0o644))
	return file
}

// toolchainLimit ends a program that does not end. Others take up to half a minute of processor time.
const toolchainLimit = 3 * time.Minute

// toolchainFault runs a program in a child process, in the folder where Go's own test runs it; "" if it passes.
func toolchainFault(ctx context.Context, path, packages string) string {
	ctx, cancel := context.WithTimeout(ctx, toolchainLimit+time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), childProgram+"="+path, "STDLIB_IMPORTCFG="+packages)
	folder, _, _ := strings.Cut(path, "/test/")
	command.Dir = filepath.Join(folder, "test")
	out, err := command.CombinedOutput()
	want, _ := os.ReadFile(strings.TrimSuffix(path, ".go") + ".out") // most programs have none
	switch {
	case ctx.Err() != nil:
		return "does not end"
	case err != nil:
		return "ends badly: " + firstLines(out)
	case !bytes.Equal(out, want):
		return "prints otherwise: " + firstLines(out)
	}
	return ""
}

func firstLines(text []byte) string {
	const maximum = 300
	lines := strings.Join(strings.Fields(string(text)), " ")
	return lines[:min(len(lines), maximum)]
}

// TestMain makes this program the child process, in which nothing has read flags, where a program is named.
func TestMain(m *testing.M) {
	if path := os.Getenv(childProgram); path != "" {
		os.Exit(toolchainChild(path))
	}
	os.Exit(m.Run())
}

func toolchainChild(path string) int {
	code, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	s, err := newSession()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	s.limit = toolchainLimit
	os.Args = os.Args[:1]
	if err = s.Cell(string(code)); err == nil {
		err = s.Cell("main()")
	}
	var exit run.Exited
	if errors.As(err, &exit) {
		return exit.Code
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, ending(err))
		return 2
	}
	return 0
}
