package kernelspec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
)

// TestInstallAndUninstall: the kernel with the default name is also installed as gophernotes, and both are removed.
func TestInstallAndUninstall(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	// A gophernotes of ours comes first in the search path, so this machine's own kernels do not matter.
	if _, err := write(data, Gophernotes, spec("/bin/old"), nil); err != nil {
		t.Fatal(err)
	}
	installation := Installation{
		Env: environment("JUPYTER_PATH", data), DataDir: data, Name: Name, DisplayName: "Mine",
		Args: []string{"kernel", "run"},
	}
	program, err := os.Executable()
	expect.NoError(t, err)
	done, err := installation.Install()
	if err != nil || done.Copy != "" || done.GophernotesErr != nil {
		t.Fatalf("%+v, %v", done, err)
	}
	for dir, displayName := range map[string]string{done.Dir: "Mine", done.GophernotesDir: "Go (gophernotes)"} {
		s, err := Read(dir)
		want := []string{program, "kernel", "run", "{connection_file}"}
		if err != nil || !slices.Equal(s.Argv, want) || s.DisplayName != displayName || !s.Ours() {
			t.Errorf("%s: %+v, %v", dir, s, err)
		}
	}
	installation.Name = "other"
	if done, err := installation.Install(); err != nil || done.GophernotesDir != "" || done.GophernotesErr != nil {
		t.Errorf("another name: %+v, %v", done, err)
	}
	removed, err := Uninstall(data, Name)
	if err != nil || len(removed) != 2 || removed[0].Name != Name || removed[1].Name != Gophernotes {
		t.Errorf("removed %+v, %v", removed, err)
	}
	if _, err := Uninstall(data, Name); err == nil {
		t.Error("a second uninstall finds something to remove")
	}
	if removed, err := Uninstall(data, "other"); err != nil || len(removed) != 1 {
		t.Errorf("removed %+v, %v", removed, err)
	}
}

// TestInstallBesideOthers: a gophernotes by another author stays, and a name that is taken is refused with a remedy.
func TestInstallBesideOthers(t *testing.T) {
	t.Parallel()
	data, theirs := t.TempDir(), t.TempDir()
	for _, name := range []string{Gophernotes, "taken"} {
		dir := filepath.Join(theirs, "kernels", name)
		expect.NoError(t, os.MkdirAll(dir, 0o755))
		expect.NoError(t, os.WriteFile(filepath.Join(dir, fileName), []byte(`{"argv": ["x"]}`), 0o644))
	}
	installation := Installation{Env: environment("JUPYTER_PATH", theirs), DataDir: data, Name: Name,
		DisplayName: "Mine"}
	var taken *TakenError
	done, err := installation.Install()
	if err != nil || done.Dir == "" || done.GophernotesDir != "" || !errors.As(done.GophernotesErr, &taken) {
		t.Errorf("%+v, %v", done, err)
	}
	installation.Name = "taken"
	if _, err := installation.Install(); !errors.As(err, &taken) ||
		!slices.Contains(hint.Of(err), hint.Hint{Action: hint.NameKernel}) {
		t.Errorf("%v with hints %v", err, hint.Of(err))
	}
	if _, err := os.Stat(filepath.Join(data, "kernels", "taken")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused kernel was written: %v", err)
	}
	// In a folder that Jupyter does not search now, too.
	apart := Installation{Env: environment("JUPYTER_PATH", data), DataDir: theirs, Name: Name, DisplayName: "Mine"}
	done, err = apart.Install()
	if err != nil || done.Dir == "" || done.GophernotesDir != "" || !errors.As(done.GophernotesErr, &taken) {
		t.Errorf("%+v, %v", done, err)
	}
	if removed, err := Uninstall(theirs, "taken"); len(removed) != 0 || !errors.As(err, &taken) {
		t.Errorf("removed %+v, %v", removed, err)
	}
	if removed, err := Uninstall(theirs, Name); err != nil || len(removed) != 1 {
		t.Errorf("removed %+v, %v", removed, err)
	}
}

// TestTemporaryProgram: a program that will be removed is copied, or refused where there is no place for a copy.
func TestTemporaryProgram(t *testing.T) {
	t.Parallel()
	program, dir := filepath.Join(t.TempDir(), "mykernel"), t.TempDir()
	expect.NoError(t, os.WriteFile(program, []byte("x"), 0o755))
	if kept, err := (Installation{}).keep(program); err == nil {
		t.Errorf("kept as %s", kept)
	}
	kept, err := Installation{KeepDir: func() (string, error) { return dir, nil }}.keep(program)
	if err != nil || kept != filepath.Join(dir, "mykernel") {
		t.Errorf("kept as %s, %v", kept, err)
	}
}
