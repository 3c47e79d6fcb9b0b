package kernelspec

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

func spec(program string) Spec {
	return Spec{Argv: []string{program, "kernel", "run", "{connection_file}"}, DisplayName: "Go", Language: "go",
		InterruptMode: "message"}
}

func environment(pairs ...string) Env {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestInstallIsRepeatable(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	pictures, err := logos()
	expect.NoError(t, err)
	dir, err := write(data, "go-test", spec("/bin/a"), pictures)
	expect.NoError(t, err)
	if want := filepath.Join(data, "kernels", "go-test"); dir != want {
		t.Errorf("installed in %s, want %s", dir, want)
	}
	before, err := os.Stat(filepath.Join(dir, "kernel.json"))
	expect.NoError(t, err)
	if _, err := write(data, "go-test", spec("/bin/a"), pictures); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(filepath.Join(dir, "kernel.json")); err != nil || !os.SameFile(before, after) {
		t.Errorf("installing the same again wrote the file again (%v)", err)
	}
	if _, err := write(data, "go-test", spec("/bin/b"), pictures); err != nil {
		t.Fatal(err)
	}
	s, err := Read(dir)
	if err != nil || s.Argv[0] != "/bin/b" || !s.Ours() || s.InterruptMode != "message" {
		t.Errorf("after an update: %+v, %v", s, err)
	}
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if want := []string{"kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"}; !slices.Equal(names, want) {
		t.Errorf("the folder has %v, want %v", names, want)
	}
}

func TestLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	dir := filepath.Join(data, "kernels", "gophernotes")
	expect.NoError(t, os.MkdirAll(dir, 0o755))
	const theirs = `{"argv": ["gophernotes", "{connection_file}"], "display_name": "Go", "language": "go"}`
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "kernel.json"), []byte(theirs), 0o644))
	var taken *TakenError
	if _, err := write(data, "gophernotes", spec("/bin/a"), nil); !errors.As(err, &taken) {
		t.Errorf("installing over it: %v", err)
	}
	if _, err := remove(data, "gophernotes"); !errors.As(err, &taken) {
		t.Errorf("removing it: %v", err)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "kernel.json")); err != nil || string(content) != theirs {
		t.Errorf("it was changed: %s, %v", content, err)
	}
}

// TestTakenName: a name that another program's kernel has in any folder is refused. The folder in which Jupyter finds
// it first decides whose it is.
func TestTakenName(t *testing.T) {
	t.Parallel()
	mine, theirs := t.TempDir(), t.TempDir()
	dir := filepath.Join(theirs, "kernels", "python3")
	expect.NoError(t, os.MkdirAll(dir, 0o755))
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "kernel.json"),
		[]byte(`{"argv": ["python"], "display_name": "Python 3"}`), 0o644))
	var taken *TakenError
	if err := checkTaken([]string{mine, theirs}, "python3"); !errors.As(err, &taken) || taken.Dir != dir {
		t.Errorf("%v", err)
	}
	if err := checkTaken([]string{mine, theirs}, "other"); err != nil {
		t.Errorf("a name that nobody has: %v", err)
	}
	if _, err := write(mine, "python3", spec("/bin/a"), nil); err != nil {
		t.Fatal(err)
	}
	if err := checkTaken([]string{mine, theirs}, "python3"); err != nil {
		t.Errorf("ours comes first: %v", err)
	}
	if err := checkTaken([]string{theirs, mine}, "python3"); !errors.As(err, &taken) {
		t.Errorf("theirs comes first: %v", err)
	}
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "kernel.json"), []byte("{"), 0o644))
	if err := checkTaken([]string{theirs}, "python3"); err == nil || errors.As(err, &taken) ||
		!strings.Contains(err.Error(), dir) {
		t.Errorf("one that cannot be read: %v", err)
	}
}

func TestUninstall(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	dir, err := write(data, "x", spec("/bin/a"), nil)
	expect.NoError(t, err)
	if _, err := remove(data, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := remove(data, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a second time: %v, want fs.ErrNotExist", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{"spherelab": true, "go-1.26_x": true, "": false, "Go": false, "a/b": false,
		"..": false, "a b": false, "ö": false} {
		if err := CheckName(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := write(t.TempDir(), name, spec("x"), nil); (err == nil) != good {
			t.Errorf("write %q: %v", name, err)
		}
	}
}

func TestInstallSaysWhyNot(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	expect.NoError(t, os.WriteFile(file, nil, 0o644))
	if _, err := write(file, "x", spec("a"), nil); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("into a file: %v", err)
	}
	data := t.TempDir()
	dir := filepath.Join(data, "kernels", "x")
	expect.NoError(t, os.MkdirAll(dir, 0o755))
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "kernel.json"), []byte("{"), 0o644))
	if _, err := write(data, "x", spec("a"), nil); err == nil || !strings.Contains(err.Error(), "kernel.json") {
		t.Errorf("over a broken kernelspec: %v", err)
	}
	if list := List([]string{data}); len(list) != 1 || list[0].Err == nil {
		t.Errorf("List hides the broken kernelspec: %+v", list)
	}
}

func TestUserDir(t *testing.T) {
	t.Parallel()
	home := filepath.Join("/home", "eve", ".local", "share", "jupyter")
	xdg := "/xdg/jupyter"
	if runtime.GOOS == "darwin" {
		home = filepath.Join("/home", "eve", "Library", "Jupyter")
		xdg = home
	}
	for _, c := range []struct {
		env  Env
		want string
	}{
		{environment("HOME", "/home/eve"), home},
		{environment("HOME", "/home/eve", "XDG_DATA_HOME", "/xdg"), xdg},
		{environment("HOME", "/home/eve", "XDG_DATA_HOME", "/xdg", "JUPYTER_DATA_DIR", "/data"), "/data"},
		{environment(), ""},
	} {
		got, err := userDir(c.env)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("got %q, %v, want %q", got, err, c.want)
		}
	}
}

func TestSearchPathOrder(t *testing.T) {
	t.Parallel()
	path := SearchPath(environment("HOME", "/home/eve", "JUPYTER_DATA_DIR", "/user", "JUPYTER_PATH", "/first:/second",
		"VIRTUAL_ENV", "/venv"))
	want := []string{"/first", "/second", "/user", "/venv/share/jupyter"}
	if len(path) < len(want) || !slices.Equal(path[:len(want)], want) {
		t.Errorf("got %v, want it to begin with %v", path, want)
	}
	first, second := t.TempDir(), t.TempDir()
	for _, data := range []string{first, second} {
		if _, err := write(data, "same", spec(data), nil); err != nil {
			t.Fatal(err)
		}
	}
	if list := List([]string{first, second}); len(list) != 1 || list[0].Spec.Argv[0] != first {
		t.Errorf("List returns %+v, want the first folder's kernel only", list)
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	if !temporary("/tmp/go-build123/b001/exe/spherelab") || temporary("/home/eve/go/bin/spherelab") {
		t.Error("temporary does not tell go run's programs from installed ones")
	}
	source := filepath.Join(t.TempDir(), "spherelab")
	dir := filepath.Join(t.TempDir(), "data", "bin")
	var kept string
	for i, content := range []string{"one", "one", "two"} {
		expect.NoError(t, os.WriteFile(source, []byte(content), 0o755))
		var old fs.FileInfo
		if i > 0 {
			old, _ = os.Stat(kept)
		}
		var err error
		if kept, err = Keep(source, dir); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(kept)
		if err != nil || info.Mode().Perm() != 0o755 {
			t.Fatalf("mode %v, %v", info.Mode(), err)
		}
		if got, _ := os.ReadFile(kept); string(got) != content {
			t.Errorf("copy %d has %q, want %q", i, got, content)
		}
		if i == 1 && !os.SameFile(old, info) {
			t.Error("the same program was copied again")
		}
		if i == 2 && os.SameFile(old, info) {
			t.Error("a program that may be running was written over")
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("temporary files are left: %v", entries)
	}
}

func found(s Spec) Found { return Found{Spec: s} }

// TestPackaged: the kernelspec of a Python package names no path; its interpreter is that of the environment that it is
// in.
func TestPackaged(t *testing.T) {
	t.Parallel()
	prefix := t.TempDir()
	dir, err := WritePackaged(filepath.Join(prefix, "share", "jupyter"))
	expect.NoError(t, err)
	s, err := Read(dir)
	expect.NoError(t, err)
	want := []string{"python", "-P", "-m", "spherelab", "kernel", "run", "{connection_file}"}
	if !slices.Equal(s.Argv, want) || !s.Ours() || s.InterruptMode != "message" {
		t.Errorf("%+v, want argv %q", s, want)
	}
	f := Found{Name: Name, Dir: dir, Spec: s}
	if program, err := f.Program(t.Context()); err == nil {
		t.Errorf("%s runs without an interpreter", program)
	}
	python := f.interpreter()
	expect.NoError(t, os.MkdirAll(filepath.Dir(python), 0o755))
	for script, want := range map[string]string{
		`[ "$*" = "-P -m spherelab kernel run --help" ]`: "",
		"echo No module named spherelab; exit 1":         "No module named spherelab",
	} {
		expect.NoError(t, os.WriteFile(python, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		program, err := f.Program(t.Context())
		if program != filepath.Join(prefix, "bin", "python") || (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", script, program, err)
		}
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text")
	expect.NoError(t, os.WriteFile(text, nil, 0o644))
	for _, s := range []Spec{{}, spec("/nowhere/spherelab"), spec(t.TempDir()), spec(text)} {
		if program, err := found(s).Program(t.Context()); err == nil {
			t.Errorf("%q counts as a program", program)
		}
	}
	other := Spec{Argv: []string{os.Args[0], "{connection_file}"}}
	if _, err := found(other).Program(t.Context()); err != nil {
		t.Error(err)
	}
	script := filepath.Join(t.TempDir(), "broken")
	expect.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho no such luck\nexit 3\n"), 0o755))
	if _, err := found(spec(script)).Program(t.Context()); err == nil || !strings.Contains(err.Error(), "no such luck") {
		t.Errorf("a program that fails: %v", err)
	}
}

func TestLogos(t *testing.T) {
	t.Parallel()
	pictures, err := logos()
	expect.NoError(t, err)
	for name, size := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
		picture, err := png.Decode(bytes.NewReader(pictures[name]))
		expect.NoError(t, err)
		if b := picture.Bounds(); b.Dx() != size || b.Dy() != size {
			t.Errorf("%s is %v", name, b)
		}
		_, _, _, corner := picture.At(size-1, size-1).RGBA()
		_, _, _, centre := picture.At(24*size/64, 38*size/64).RGBA()
		if corner != 0 || centre != 0xffff {
			t.Errorf("%s: opacity %d in the corner, %d inside", name, corner, centre)
		}
	}
	if svg := string(pictures["logo-svg.svg"]); !strings.HasPrefix(svg, "<svg ") ||
		strings.Count(svg, "<circle") != len(logoDiscs) {
		t.Errorf("SVG: %s", svg)
	}
}

// A program that does not end, and whose child keeps its output open, is given up.
func TestProgramThatHangs(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "spherelab")
	expect.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nsleep 30 &\nwait\n"), 0o755))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := found(spec(program)).Program(ctx); err == nil || time.Since(began) > 15*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}
