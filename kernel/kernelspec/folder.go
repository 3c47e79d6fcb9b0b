package kernelspec

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
)

// Env looks up an environment variable, as os.Getenv does.
type Env func(name string) string

// Place is one of Jupyter's data folders for kernelspecs. The zero value is the user's own.
type Place struct {
	Prefix    string // an installation prefix such as /usr/local
	SysPrefix bool   // the active Python environment
}

// Dir returns the data folder.
func (p Place) Dir(ctx context.Context, env Env) (string, error) {
	prefix := p.Prefix
	if p.SysPrefix {
		var err error
		if prefix, err = sysPrefix(ctx, env); err != nil {
			return "", err
		}
	}
	if prefix == "" {
		return userDir(env)
	}
	prefix, err := filepath.Abs(prefix)
	return filepath.Join(prefix, "share", "jupyter"), err
}

// userDir returns the folder in which Jupyter searches a user's own kernels.
func userDir(env Env) (string, error) {
	home := env("HOME")
	switch {
	case env("JUPYTER_DATA_DIR") != "":
		return filepath.Abs(env("JUPYTER_DATA_DIR"))
	case runtime.GOOS == "darwin" && home != "":
		return filepath.Join(home, "Library", "Jupyter"), nil
	case env("XDG_DATA_HOME") != "":
		return filepath.Abs(filepath.Join(env("XDG_DATA_HOME"), "jupyter"))
	case home != "":
		return filepath.Join(home, ".local", "share", "jupyter"), nil
	}
	err := errors.New("no folder for a user's kernels: neither HOME nor JUPYTER_DATA_DIR is set")
	return "", hint.With(err, hint.Hint{Action: hint.NamePrefix})
}

// sysPrefix is the prefix of the Python environment in use: an activated one, else that of python3 on PATH.
func sysPrefix(ctx context.Context, env Env) (string, error) {
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := env(name); prefix != "" {
			return prefix, nil
		}
	}
	remedies := []hint.Hint{{Action: hint.NamePrefix}, {Action: hint.InstallForUser}}
	python, err := exec.LookPath("python3")
	if err != nil {
		return "", hint.With(errors.New("no Python environment is active and python3 is not on PATH"), remedies...)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-c", "import sys; print(sys.prefix)")
	cmd.WaitDelay = time.Second // a child process may keep the output open
	out, err := cmd.Output()
	if err != nil {
		return "", hint.With(fmt.Errorf("%s does not print its prefix: %w", python, err), remedies...)
	}
	return strings.TrimSpace(string(out)), nil
}

// SearchPath lists the data folders in which Jupyter looks for kernels, first match first, as far as they are known
// without running Jupyter.
func SearchPath(env Env) []string {
	var dirs []string
	add := func(dir string) {
		if dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range filepath.SplitList(env("JUPYTER_PATH")) {
		add(dir)
	}
	user, err := userDir(env)
	if err == nil {
		add(user)
	}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := env(name); prefix != "" {
			add(filepath.Join(prefix, "share", "jupyter"))
		}
	}
	// A Jupyter on PATH also looks next to its own Python.
	if jupyter, err := exec.LookPath("jupyter"); err == nil {
		if real, err := filepath.EvalSymlinks(jupyter); err == nil {
			jupyter = real
		}
		add(filepath.Join(filepath.Dir(filepath.Dir(jupyter)), "share", "jupyter"))
	}
	add("/usr/local/share/jupyter")
	add("/usr/share/jupyter")
	return dirs
}
