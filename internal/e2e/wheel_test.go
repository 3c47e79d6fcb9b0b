package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// wheelPython is an interpreter with what builds wheels. Without one the test is skipped; with CI=true it fails.
func wheelPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("SPHERELAB_TEST_WHEEL")
	if python == "" {
		const why = "SPHERELAB_TEST_WHEEL does not name a Python with hatchling; `make test` prepares one"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	return python
}

// buildWheel builds a wheel of a program and returns its path.
func buildWheel(t *testing.T, program string) string {
	t.Helper()
	out := output(t, exec.Command("sh", inRoot("_tool/python/wheel.sh"), wheelPython(t), program, "0.1.0-dev+0123456789ab",
		t.TempDir()))
	return strings.TrimSpace(string(out))
}

// TestWheelPlatform: the name of a wheel says where the program runs, by the program's header.
func TestWheelPlatform(t *testing.T) {
	t.Parallel()
	elf := func(machine, part byte) string {
		head := make([]byte, 64+56)
		copy(head, "\x7fELF\x02\x01")
		head[18], head[32], head[54], head[56], head[64] = machine, 64, 56, 1, part
		return string(head)
	}
	programs := map[string]string{ // by what is said
		"manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64":    elf(62, 1),
		"manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64": elf(183, 1),
		"linux_x86_64":        elf(62, 3), // it loads a C library
		"macosx_12_0_x86_64":  "\xcf\xfa\xed\xfe\x07\x00\x00\x01",
		"macosx_12_0_arm64":   "\xcf\xfa\xed\xfe\x0c\x00\x00\x01",
		"win_amd64":           "MZ" + strings.Repeat("\x00", 58) + "\x40\x00\x00\x00PE\x00\x00\x64\x86",
		"is not a program of": elf(3, 1),
		"is not a program ":   "#!/bin/sh\n",
		"is not a program":    "\x7fELF\x02\x01",
	}
	args := []string{"-c", "import sys\nsys.path.insert(0, sys.argv[1])\nfrom hatch_build import platform_of\n" +
		"for file in sys.argv[2:]:\n try: print(platform_of(file))\n except SystemExit as err: print(err)", inRoot("python")}
	wants := slices.Sorted(maps.Keys(programs))
	for i, want := range wants {
		file := filepath.Join(t.TempDir(), "program"+strconv.Itoa(i))
		expect.NoError(t, os.WriteFile(file, []byte(programs[want]), 0o755))
		args = append(args, file)
	}
	cmd := exec.Command(wheelPython(t), args...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	lines := strings.Split(string(output(t, cmd)), "\n")
	for i, want := range wants {
		if got := lines[i]; got != want && (!strings.HasPrefix(want, "is not") || !strings.Contains(got, want)) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// environment is a fresh Python environment with the wheel alone.
type environment struct {
	*program
	prefix string
}

// newEnvironment installs a wheel into a fresh environment.
func newEnvironment(t *testing.T, wheel string) *environment {
	t.Helper()
	p := newJupyter(t).program
	prefix := filepath.Join(t.TempDir(), "env")
	output(t, pythonCommand(t, nil, "-m", "venv", "--without-pip", prefix))
	e := &environment{p, prefix}
	output(t, pythonCommand(t, nil, "-m", "pip", "--python", e.interpreter(), "install", "--quiet", "--no-index", "--no-deps",
		"--disable-pip-version-check", wheel))
	return e
}

func (e *environment) interpreter() string { return filepath.Join(e.prefix, "bin", "python") }

// python is a command of the environment's interpreter.
func (e *environment) python(args ...string) *exec.Cmd {
	cmd := exec.Command(e.interpreter(), args...)
	cmd.Dir = e.t.TempDir()
	cmd.Env = append([]string{"PATH=" + filepath.Join(e.prefix, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"VIRTUAL_ENV=" + e.prefix}, e.env...)
	return cmd
}

// addPackages lets the environment import what the tests' Python has: pandas, MLflow's client and Jupyter.
func (e *environment) addPackages() {
	e.t.Helper()
	const script = "import sysconfig; print(sysconfig.get_path('purelib'))"
	theirs := strings.TrimSpace(string(output(e.t, pythonCommand(e.t, nil, "-c", script))))
	ours := strings.TrimSpace(string(output(e.t, e.python("-c", script))))
	expect.NoError(e.t, os.WriteFile(filepath.Join(ours, "tests.pth"), []byte(theirs+"\n"), 0o644))
}

// TestWheel installs the wheel into a fresh environment and uses the program, the module and the kernel from there.
func TestWheel(t *testing.T) {
	t.Parallel()
	path, err := built()
	expect.NoError(t, err)
	wheel := buildWheel(t, path)
	content, err := os.ReadFile(wheel)
	expect.NoError(t, err)
	e := newEnvironment(t, wheel)

	// The wheel alone is enough for the program.
	train := e.python("-m", "spherelab", "train", "bundled", "sphere-2d", "--set", "train.epochs=3", "--set", "dimension=4",
		"--set", "eval.bootstrap=0", "--set", "name=007")
	if out := output(t, train); !bytes.Contains(out, []byte("SpherE-2D")) {
		t.Errorf("train prints\n%s", out)
	}
	out, err := e.python("-m", "spherelab", "query", "007", "nobody", "advised", "?").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailed || !bytes.Contains(out, []byte(`no entity "nobody"`)) {
		t.Errorf("an error of the program: %v\n%s", err, out)
	}
	for call, want := range map[string]string{"runs()": "pandas", "sql('select 1')": "pandas", "load('007')": "numpy"} {
		out, err := e.python("-c", "import spherelab; spherelab."+call).CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte(want+`: pip install "spherelab[data]"`)) {
			t.Errorf("%s without %s: %v\n%s", call, want, err, out)
		}
	}
	if out := output(t, e.python("-m", "spherelab", "doctor")); !bytes.Contains(out,
		[]byte("ok    kernel          spherelab in "+filepath.Join(e.prefix, "share", "jupyter", "kernels", "spherelab"))) {
		t.Errorf("doctor does not find the kernel:\n%s", out)
	}

	e.addPackages()
	t.Run("module", e.testModule)
	t.Run("document", e.testDocument)
	t.Run("kernel", e.testKernel)
	t.Run("again", func(t *testing.T) { // from another folder
		moved := filepath.Join(t.TempDir(), "spherelab")
		program, err := os.ReadFile(path)
		expect.NoError(t, err)
		expect.NoError(t, os.WriteFile(moved, program, 0o755))
		again, err := os.ReadFile(buildWheel(t, moved))
		expect.NoError(t, err)
		if sha256.Sum256(again) != sha256.Sum256(content) {
			t.Errorf("a second build has other bytes: %d, first %d", len(again), len(content))
		}
	})
}

// testModule compares what the functions return with what the program prints.
func (e *environment) testModule(t *testing.T) {
	var got struct {
		Runs                                          [][]string
		Types                                         map[string]string
		Start                                         string
		Found, Run, Wider, Rows, Empty, Words, Mlflow []any
		Shapes                                        map[string][]any
		Names                                         []int
		Born                                          int
		Center, Gamma                                 float64
		Answers, Marks, Hops, Relations               []string
		Errors                                        [][]any
		Refused                                       int
		Ended                                         bool
	}
	expect.NoError(t, json.Unmarshal(output(t, e.python(abs(t, inRoot("_tool/python/wheel_use.py")))), &got))
	var shown struct {
		RunID, Start string
		Metrics      map[string]float64
	}
	rows := e.csv("runs", "ls")
	e.program.json(&shown, "runs", "show", "007")
	id := rows[1][0]
	check := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("runs", got.Runs, [][]string{{id, "007"}})
	for name, want := range map[string]string{"start": "datetime64[", "seed": "Int64", "loss": "float64", "seconds": "float64",
		"name": "str", "test/head_f1": "float64"} {
		if !strings.HasPrefix(got.Types[name], want) {
			t.Errorf("column %s is %s, want %s", name, got.Types[name], want)
		}
	}
	if !strings.HasPrefix(shown.Start, got.Start[:23]) || !strings.HasSuffix(got.Start, "+00:00") {
		t.Errorf("start %s, want %s", got.Start, shown.Start)
	}
	check("filters", got.Found, []any{1.0, 0.0, true})
	check("run", got.Run, []any{id, "007", "FINISHED", 3.0, "sphere-2d", shown.Metrics["loss"]})
	check("shapes", got.Shapes["entity.center"], []any{643.0, 4.0, 2.0, "float32", true})
	check("radii", got.Shapes["entity.radius"], []any{643.0, "float32", true})
	check("names", got.Names, []int{643, 643, 19, got.Born})
	check("gamma", got.Gamma, 6.0)
	check("center", got.Center, e.firstCenter(t, id, got.Born))
	var inside []string
	answers := e.csv("query", "007", "Max Born", "advised", "?", "--cut", "fitted-f1", "--limit", "0")
	for _, row := range answers[1:] {
		if row[2] == "true" {
			inside = append(inside, row[0])
		}
	}
	check("answers", got.Answers, inside)
	check("marks", got.Marks, []string{"held out", "inferred", "known"})
	check("wider", got.Wider, []any{float64(len(answers) - 1), float64(len(inside))})
	if len(inside) == 0 || len(got.Hops) == 0 || !slices.Contains(got.Relations, "co_author") {
		t.Errorf("%d answers, %q, %q", len(inside), got.Hops, got.Relations)
	}
	check("rows", got.Rows, []any{3.0, "datetime64[us, UTC]", "int64", "float64"})
	check("no rows", got.Empty, []any{0.0, "run_id", "epoch"})
	check("values", got.Words, []any{"1e5", true, 9007199254740993.0})
	for i, want := range []struct {
		code float64
		text string
	}{{1, `no entity "nobody"`}, {1, "nothing"}, {2, "--filter"}, {1, "none"}, {2, "not host:port"}} {
		text := got.Errors[i][1].(string)
		if got.Errors[i][0] != want.code || !strings.Contains(text, want.text) || strings.HasPrefix(text, "spherelab:") {
			t.Errorf("error %d: %v, want %v", i, got.Errors[i], want)
		}
	}
	check("MLflow", got.Mlflow, []any{"sphere-2d", shown.Metrics["loss"]})
	check("without the token", got.Refused, 401)
	check("the server's end", got.Ended, true)
}

// testDocument runs the code of docs/python.md.
func (e *environment) testDocument(t *testing.T) {
	page, err := os.ReadFile(inRoot("docs/python.md"))
	expect.NoError(t, err)
	_, rest, opened := strings.Cut(string(page), "<!-- code:module -->\n```python\n")
	code, _, closed := strings.Cut(rest, "```\n<!-- /code:module -->")
	if !opened || !closed {
		t.Fatal("docs/python.md has no code between the marks code:module")
	}
	const shapes = "print(len(frame), len(wide), set(table['model']), list(answers['mark'])[:1], len(again) > 0, len(hops) > 0)"
	out := string(output(t, e.python("-c", code+shapes)))
	for _, want := range []string{"007 4 ", " (4, 2) ", "http://127.0.0.1:", "\n1 1 {", "['", "True True\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("the page's code does not print %q:\n%s", want, out)
		}
	}
}

// firstCenter reads the first number of an entity's center from the run's file.
func (e *environment) firstCenter(t *testing.T, id string, entity int) float64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.home(), "artifacts", "*", id, "artifacts", "model.safetensors"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	expect.NoError(t, err)
	size := binary.LittleEndian.Uint64(raw)
	var header map[string]json.RawMessage
	var center struct {
		Offsets []int `json:"data_offsets"`
	}
	expect.NoError(t, json.Unmarshal(raw[8:8+size], &header))
	expect.NoError(t, json.Unmarshal(header["entity.center"], &center))
	at := 8 + int(size) + center.Offsets[0] + entity*4*2*4 // four blocks of two numbers
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[at:])))
}

// testKernel runs a cell by the kernelspec that pip has installed.
func (e *environment) testKernel(t *testing.T) {
	var list struct {
		Kernelspecs map[string]struct {
			Dir string `json:"resource_dir"`
		}
	}
	expect.NoError(t, json.Unmarshal(output(t, e.python("-m", "jupyter_client.kernelspecapp", "list", "--json")), &list))
	if dir := list.Kernelspecs[kernelName].Dir; dir != filepath.Join(e.prefix, "share", "jupyter", "kernels", kernelName) {
		t.Errorf("Jupyter finds the kernel in %q, among %v", dir, list.Kernelspecs)
	}
	dir := t.TempDir()
	stranger := filepath.Join(dir, "spherelab.py") // of the user, with the package's name
	expect.NoError(t, os.WriteFile(stranger, []byte("raise SystemExit('a file of the folder was run')\n"), 0o644))
	path := notebook(t, dir, kernelName, "import \"os\"\nexe, _ := os.Executable()\nexe", `lab.Runs()`)
	run := e.python(abs(t, inRoot("_tool/python/run_notebook.py")), path, kernelName)
	run.Dir = dir
	out := output(t, run)
	for _, want := range []string{filepath.Join(e.prefix, "bin", "spherelab"), "007"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("cells do not show %s:\n%s", want, out)
		}
	}
}
