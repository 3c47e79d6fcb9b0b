package difference

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

var (
	recovered = regexp.MustCompile(` \[recovered.*\]$`)
	goPanic   = regexp.MustCompile(`(?m)^\t?panic: .*$`)
)

// TestRecorded compiles every program and compares what it writes with its record.
func TestRecorded(t *testing.T) {
	write := os.Getenv("SPHERELAB_WRITE_PROGRAMS") != ""
	if os.Getenv("SPHERELAB_SOAK") == "" && !write {
		t.Skip("SPHERELAB_SOAK=1 compiles the programs again")
	}
	paths := programs(t)
	written := compiled(t, paths)
	for i, path := range paths {
		if write {
			expect.NoError(t, os.WriteFile(recordOf(path), written[i], 0o644))
			continue
		}
		want, err := os.ReadFile(recordOf(path))
		if err != nil || !bytes.Equal(want, written[i]) {
			t.Errorf("%s: the record differs from what the compiled program writes (%v):\n%s", path, err, written[i])
		}
	}
}

// alone marks a program that is not compiled together with others: its initialisation prints.
const alone = "\n// Its initialisation prints.\n"

// compiled returns what the programs write when the Go toolchain compiles them. Most become packages of one program,
// which runs the one that its argument names. A package has a name as long as "main", which then takes its place in
// what the program writes.
func compiled(t *testing.T, paths []string) [][]byte {
	t.Helper()
	folder := t.TempDir()
	write := func(name string, text string) {
		path := filepath.Join(folder, name)
		expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("go.mod", "module programs\n\ngo 1.26\n")
	var imports, cases strings.Builder
	names := make([]string, len(paths))
	for i, path := range paths {
		code, err := os.ReadFile(path)
		expect.NoError(t, err)
		names[i] = fmt.Sprintf("p%03d", i)
		if strings.Contains(string(code), alone) {
			write(names[i]+"/main.go", string(code))
			continue
		}
		write(names[i]+"/main.go", strings.Replace(string(code), "package main\n", "package "+names[i]+"\n", 1))
		write(names[i]+"/entry.go", "package "+names[i]+"\n\nfunc Main() { main() }\n")
		fmt.Fprintf(&imports, "\t\"programs/%s\"\n", names[i])
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.Main()\n", names[i], names[i])
	}
	write("all/main.go", "package main\n\nimport (\n\t\"os\"\n\n"+imports.String()+")\n\nfunc main() {\n"+
		"\tname := os.Args[1]\n\tos.Args = os.Args[:1]\n\tswitch name {\n"+cases.String()+"\t}\n}\n")
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "bin")+"/", "./...")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	outputs := make([][]byte, len(paths))
	for i, name := range names {
		program := filepath.Join(folder, "bin", name)
		var args []string
		if _, err := os.Stat(program); err != nil {
			program, args = filepath.Join(folder, "bin", "all"), []string{name}
		}
		out, err := ran(exec.Command(program, args...))
		if err != nil {
			t.Errorf("%s: %v", paths[i], err)
		}
		out = strings.ReplaceAll(strings.ReplaceAll(out, "programs/"+name+".", "main."), name+".", "main.")
		outputs[i] = []byte(out)
	}
	return outputs
}

// ran returns what a program writes, and the first line of the last panic that ends it.
func ran(command *exec.Cmd) (string, error) {
	var out, faults bytes.Buffer
	command.Stdout, command.Stderr = &out, &faults
	err := command.Run()
	if err == nil {
		return out.String(), nil
	}
	lines := goPanic.FindAllString(faults.String(), -1)
	if len(lines) == 0 {
		return "", fmt.Errorf("%w\n%s", err, faults.String())
	}
	last := strings.TrimPrefix(lines[len(lines)-1], "\t")
	return out.String() + recovered.ReplaceAllString(last, "") + "\n", nil
}
