package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel/kernelspec"
)

// jupyter is a program and a Jupyter that keeps everything in folders of the test.
type jupyter struct {
	*program
	data string // JUPYTER_DATA_DIR
}

func newJupyter(t *testing.T) *jupyter {
	t.Helper()
	p := newProgram(t)
	data := t.TempDir()
	for _, name := range []string{"JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"} {
		p.env = append(p.env, name+"="+t.TempDir())
	}
	p.env = append(p.env, "JUPYTER_DATA_DIR="+data)
	return &jupyter{p, data}
}

// python is a command that runs Python with Jupyter in it, with the kernel installed.
func (j *jupyter) python(args ...string) *exec.Cmd {
	j.t.Helper()
	return pythonCommand(j.t, j.env, args...)
}

// pythonCommand runs the tests' Python. Without one the test is skipped, under CI=true it fails.
func pythonCommand(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	python := os.Getenv("SPHERELAB_PYTHON")
	if python == "" {
		const why = "SPHERELAB_PYTHON does not name a Python with Jupyter; `make test` prepares one"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	cmd := exec.Command(python, args...)
	cmd.Env = append([]string{"PATH=" + filepath.Dir(python) + string(os.PathListSeparator) + os.Getenv("PATH")}, env...)
	return cmd
}

// output runs a command and returns what it wrote on standard output.
func output(t testing.TB, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return out
}

func TestKernelInstallAndUninstall(t *testing.T) {
	j := newJupyter(t)
	j.fails(exitFailed, []string{"no kernel spherelab"}, "kernel", "uninstall")
	for range 2 {
		if out := j.ok("kernel", "install"); !strings.Contains(out, "also as gophernotes") {
			t.Errorf("install says:\n%s", out)
		}
	}
	for _, name := range []string{"spherelab", "gophernotes"} {
		s, err := kernelspec.Read(filepath.Join(j.data, "kernels", name))
		if err != nil {
			t.Fatal(err)
		}
		program, err := built()
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{program, "kernel", "run", "{connection_file}"}; !slices.Equal(s.Argv, want) || s.InterruptMode != "message" || s.Language != "go" {
			t.Errorf("kernelspec %s: %+v, want argv %v", name, s, want)
		}
	}
	if out := j.ok("doctor"); !strings.Contains(out, "ok    kernel          spherelab in "+j.data) {
		t.Errorf("doctor does not find the kernel:\n%s", out)
	}
	if out := j.ok("kernel", "uninstall"); strings.Count(out, "removed") != 2 {
		t.Errorf("uninstall says:\n%s", out)
	}
	if entries, err := os.ReadDir(filepath.Join(j.data, "kernels")); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if out := j.ok("doctor"); !strings.Contains(out, "not installed; `spherelab kernel install`") {
		t.Errorf("doctor still finds a kernel:\n%s", out)
	}
}

func TestKernelInstallPlaces(t *testing.T) {
	j := newJupyter(t)
	prefix := t.TempDir()
	j.ok("kernel", "install", "--prefix", prefix, "--name", "go-bare", "--display-name", "Bare", "--no-prelude")
	s, err := kernelspec.Read(filepath.Join(prefix, "share", "jupyter", "kernels", "go-bare"))
	if err != nil || s.DisplayName != "Bare" || !slices.Contains(s.Argv, "--no-prelude") {
		t.Errorf("%+v, %v", s, err)
	}
	j.env = append(j.env, "VIRTUAL_ENV="+prefix)
	j.ok("kernel", "install", "--sys-prefix", "--name", "in-env")
	if _, err := kernelspec.Read(filepath.Join(prefix, "share", "jupyter", "kernels", "in-env")); err != nil {
		t.Error(err)
	}
	j.fails(exitUsage, []string{"Bad Name"}, "kernel", "install", "--name", "Bad Name")
	j.fails(exitFailed, []string{"prefix", "user"}, "kernel", "install", "--user", "--prefix", prefix)

	// Somebody else's gophernotes is left alone, by install and by uninstall.
	theirs := filepath.Join(j.data, "kernels", "gophernotes")
	if err := os.MkdirAll(theirs, 0o755); err != nil {
		t.Fatal(err)
	}
	const content = `{"argv": ["gophernotes", "{connection_file}"], "display_name": "Go", "language": "go"}`
	if err := os.WriteFile(filepath.Join(theirs, "kernel.json"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := j.ok("kernel", "install"); !strings.Contains(out, "left as it is") {
		t.Errorf("install says:\n%s", out)
	}
	j.fails(exitFailed, []string{"left alone"}, "kernel", "install", "--name", "gophernotes")
	j.ok("kernel", "uninstall")
	if have, err := os.ReadFile(filepath.Join(theirs, "kernel.json")); err != nil || string(have) != content {
		t.Errorf("somebody else's kernel was changed: %s, %v", have, err)
	}
	j.fails(exitFailed, []string{"nowhere.json"}, "kernel", "run", "nowhere.json")
}

// notForUs are tests of the standard suite that do not apply, with the reason.
var notForUs = map[string]string{
	"test_pager": "opening the pager by a payload is deprecated in the protocol; ?name shows documentation below the cell",
}

// TestKernelStandardSuite runs jupyter_kernel_test as it is, against our kernel and, in the same run, against Python's.
func TestKernelStandardSuite(t *testing.T) {
	j := newJupyter(t)
	cmd := j.python(abs(t, "_test_python/kernel_suite.py"), kernelName)
	j.ok("kernel", "install")
	cmd.Dir = t.TempDir()
	var outcome map[string]map[string]string
	if err := json.Unmarshal(output(t, cmd), &outcome); err != nil {
		t.Fatal(err)
	}
	ours, python := outcome[kernelName], outcome["python3"]
	if len(ours) < 12 {
		t.Errorf("only %d tests ran: %v", len(ours), ours)
	}
	short := func(result string) string {
		word, _, _ := strings.Cut(result, ":")
		return word
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-22s %-10s %s\n", "jupyter_kernel_test", "ours", "ipykernel")
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		fmt.Fprintf(&table, "%-22s %-10s %s\n", name, short(ours[name]), short(python[name]))
		if reason, exempt := notForUs[name]; exempt {
			t.Logf("%s does not apply: %s", name, reason)
		} else if ours[name] != "ok" {
			t.Errorf("%s: %s", name, ours[name])
		}
	}
	t.Logf("\n%s", table.String())
}

func abs(t testing.TB, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// notebook writes a notebook of the given code cells and returns its path.
func notebook(t *testing.T, dir, kernel string, cells ...string) string {
	t.Helper()
	type object = map[string]any
	var list []object
	for i, code := range cells {
		list = append(list, object{"cell_type": "code", "id": fmt.Sprintf("cell-%d", i), "execution_count": nil, "metadata": object{}, "outputs": []any{}, "source": code})
	}
	content, err := json.Marshal(object{"cells": list, "nbformat": 4, "nbformat_minor": 5, "metadata": object{
		"kernelspec": object{"name": kernel, "display_name": kernelDisplayName, "language": "go"}, "language_info": object{"name": "go"}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "demo.ipynb")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestKernelNotebook lets nbclient run a notebook that uses what is linked in: our packages without an import, the renewed standard library, gonum, %%sql.
func TestKernelNotebook(t *testing.T) {
	j := newJupyter(t)
	cells := []struct {
		code string
		want string // part of the outputs
	}{
		{"g, err := kg.Bundled()\nerr", ""},
		{"g.Entities.Len() > 0 && g.Name == \"bundled\"", `"true"`},
		{"m, err := sphere.New(sphere.Settings{Model: \"rotate\", Variant: \"clean\", Dimension: 4, Gamma: 6, Epsilon: 2}, g, 1)\nerr", ""},
		{"import \"context\"\neval.Run(context.Background(), m, g, eval.Settings{})", "head F1"},
		{"%%sql\nselect 6 * 7 as answer, 'a<b' as text", "a&lt;b"},
		{"import \"errors\"\nerrors.Join(errors.New(\"one\"), errors.New(\"two\"))", "one"},
		{"import \"sync/atomic\"\nvar n atomic.Int64\nn.Add(5)\nn.Load()", `"5"`},
		{"import \"math/rand/v2\"\nr := rand.New(rand.NewPCG(1, 2))\nr.IntN(10) < 10", `"true"`},
		{"import \"gonum.org/v1/gonum/mat\"\nmat.Det(mat.NewDense(2, 2, []float64{1, 2, 3, 4}))", "-2"},
		{"import \"slices\"\nxs := []int{3, 1, 2}\nslices.Sort(xs)\nxs", "[1 2 3]"},
		{"import \"maps\"\nslices.Sorted(maps.Keys(map[string]int{\"b\": 1, \"a\": 2})).([]string)", "[a b]"},
		{"import \"log/slog\"\nslog.LevelWarn", "WARN"},
	}
	var codes []string
	for _, c := range cells {
		codes = append(codes, c.code)
	}
	cmd := j.python(abs(t, "_test_python/run_notebook.py"), notebook(t, t.TempDir(), kernelName, codes...), kernelName)
	j.ok("kernel", "install")
	var outputs []json.RawMessage
	if err := json.Unmarshal(output(t, cmd), &outputs); err != nil {
		t.Fatal(err)
	}
	if len(outputs) != len(cells) {
		t.Fatalf("%d outputs for %d cells", len(outputs), len(cells))
	}
	for i, c := range cells {
		var compact bytes.Buffer
		decoder := json.NewEncoder(&compact)
		decoder.SetEscapeHTML(false)
		if err := decoder.Encode(outputs[i]); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(compact.String(), c.want) {
			t.Errorf("%s\ngives %s\nwhich lacks %s", c.code, compact.String(), c.want)
		}
	}
}

// TestKernelPreludeOff: with the switch, names are free.
func TestKernelPreludeOff(t *testing.T) {
	j := newJupyter(t)
	j.env = append(j.env, "SPHERELAB_PRELUDE=off")
	cmd := j.python(abs(t, "_test_python/run_notebook.py"),
		notebook(t, t.TempDir(), kernelName, "kg", "import \"github.com/spherelab/spherelab/spherE/kg\"\nkg.Train"), kernelName)
	j.ok("kernel", "install")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "kg") || strings.Contains(stderr.String(), "kg.Train") {
		t.Errorf("the first cell, kg, should fail as an unknown name: %v\n%s", err, stderr.String())
	}
	j.env = append(j.env, "SPHERELAB_PRELUDE=perhaps")
	j.fails(exitUsage, []string{"SPHERELAB_PRELUDE", "perhaps"}, "kernel", "run", "x.json")
}

// BenchmarkKernel times our kernel and Python's in one run, through a real client.
func BenchmarkKernel(b *testing.B) {
	path, err := built()
	if err != nil {
		b.Fatal(err)
	}
	data := b.TempDir()
	env := []string{"HOME=" + b.TempDir(), "JUPYTER_DATA_DIR=" + data, "JUPYTER_RUNTIME_DIR=" + b.TempDir(), "IPYTHONDIR=" + b.TempDir()}
	cmd := pythonCommand(b, env, abs(b, "_test_python/kernel_bench.py"), "1", kernelName, "python3")
	install := exec.Command(path, "kernel", "install")
	install.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	output(b, install)
	for line := range strings.Lines(string(output(b, cmd))) {
		fields := strings.Fields(line)
		nanoseconds, err := time.ParseDuration(fields[2] + "ns")
		if err != nil {
			b.Fatalf("%q: %v", line, err)
		}
		b.Run(strings.TrimPrefix(fields[0], "BenchmarkKernel/"), func(b *testing.B) {
			for range b.N { // timed outside, by the client
			}
			b.ReportMetric(float64(nanoseconds), "ns/op")
		})
	}
}
