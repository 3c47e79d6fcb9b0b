package notebook_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// moduleProgram is a program that uses a module.
type moduleProgram struct {
	module  string
	imports []string
	body    string
	outside string // declarations, which a program cannot have in main
	refused string // the beginning of the message; "" if cells print what the program prints
}

func readModulePrograms(t *testing.T) (all []moduleProgram) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/modules.txtar")
	expect.NoError(t, err)
	for _, f := range a.Files {
		p := moduleProgram{module: f.Name}
		for line := range strings.Lines(string(f.Data)) {
			path, isImport := strings.CutPrefix(strings.TrimSpace(line), "import ")
			message, isRefused := strings.CutPrefix(strings.TrimSpace(line), "refused ")
			switch {
			case isImport:
				p.imports = append(p.imports, path)
			case isRefused:
				p.refused = message
			case strings.HasPrefix(line, "func "):
				p.outside += line
			default:
				p.body += line
			}
		}
		all = append(all, p)
	}
	return all
}

// importing writes the imports as a declaration.
func (p *moduleProgram) importing() string {
	return "import (\"" + strings.Join(p.imports, "\"; \"") + "\")\n"
}

// compiled returns what the program prints.
func (p *moduleProgram) compiled(dir string) (string, error) {
	main := filepath.Join(dir, "main.go")
	text := "package main\n" + p.importing() + p.outside + "func main() {\n" + p.body + "}\n"
	if err := os.WriteFile(main, []byte(text), 0o600); err != nil {
		return "", err
	}
	defer os.Remove(main) // of a temporary folder
	cmd := exec.Command("go", "run", "-mod=mod", "-tags=purego,noasm,appengine,safe", main)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%w\n%s", err, failed.Stderr)
	}
	return string(out), err
}

// TestModulePrograms downloads modules that notebooks use, compares what cells print by them with what compiled Go
// prints, and logs the table of docs/kernel.md.
func TestModulePrograms(t *testing.T) {
	if os.Getenv("SPHERELAB_TEST_DOWNLOAD") != "1" {
		t.Skip("downloads modules; SPHERELAB_TEST_DOWNLOAD=1 runs it")
	}
	needGo(t)
	table := "| module | cells | first import |\n|---|---|---|\n"
	for _, p := range readModulePrograms(t) {
		dir := t.TempDir()
		s := start(t, notebook.Options{Dir: dir})
		if o := s.run("%get " + p.module); o.failure != nil {
			t.Errorf("%s: %s", p.module, o.failure.Value)
			continue
		}
		want, err := p.compiled(dir)
		if err != nil {
			t.Errorf("%s compiled: %v\n%s", p.module, err, want)
			continue
		}
		imported := s.run(p.importing())
		o := imported
		if o.failure == nil {
			o = s.run(p.outside + p.body)
		}
		result := "as compiled"
		switch {
		case p.refused != "":
			result = "refused: " + p.refused
			if o.failure == nil || !strings.HasPrefix(o.failure.Value, p.refused) {
				t.Errorf("%s is not refused as it was: %v", p.module, o.failure)
			}
		case o.failure != nil:
			t.Errorf("%s: %s", p.module, strings.Join(o.failure.Traceback, "\n"))
			continue
		case o.out != want:
			t.Errorf("%s prints\n%s\ncompiled\n%s", p.module, o.out, want)
			continue
		}
		table += fmt.Sprintf("| `%s` | %s | %.2f s |\n", p.module, result, imported.took.Seconds())
		t.Logf("%s: %s, %.2f s", p.module, result, imported.took.Seconds())
	}
	t.Log("\n" + table)
}
