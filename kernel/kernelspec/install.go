package kernelspec

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

const (
	// Name is the name under which this program is installed if the user gives none.
	Name = "spherelab"
	// DisplayName is its name in the menus of Jupyter.
	DisplayName = "Go (spherelab)"
	// Python is the first word of a kernelspec's command that stands for the interpreter of its environment.
	Python = "python"
	// Gophernotes is the kernel that notebooks written for gophernotes name.
	Gophernotes = "gophernotes"
)

// Installation describes a kernel: the running program with the arguments that make it one.
type Installation struct {
	Env         Env
	DataDir     string // Jupyter data folder that gets the kernelspec
	Name        string
	DisplayName string
	Args        []string // of the program, before the connection file
	// KeepDir returns the folder for a copy of the program, which is needed if `go run` would remove the original. If
	// it is nil, such a program is an error.
	KeepDir func() (string, error)
}

// newSpec returns the kernelspec of a command, which gets the connection file as its last argument.
func newSpec(displayName string, command ...string) Spec {
	return Spec{Argv: append(command, "{connection_file}"), DisplayName: displayName, Language: "go",
		InterruptMode: "message"}
}

// WritePackaged writes the kernelspec Name into a folder from which a Python package installs it. The package's module
// starts the program; Jupyter replaces "python" by its own interpreter. -P: a spherelab.py next to the notebook is not
// taken for it.
func WritePackaged(dataDir string) (dir string, err error) {
	logos, err := logos()
	if err != nil {
		return "", err
	}
	command := slices.Concat([]string{Python, "-P", "-m", Name}, RunArgs())
	return write(dataDir, Name, newSpec(DisplayName, command...), logos)
}

// RunArgs are the arguments with which the program runs as a kernel.
func RunArgs() []string { return []string{"kernel", "run"} }

// Installed is what an Installation has done, also before an error.
type Installed struct {
	Copy string // path of the program's copy, "" if none was needed
	Dir  string // folder of the kernelspec
	// GophernotesDir is the folder of the second kernelspec, for notebooks that name gophernotes. Only a kernel with
	// the
	// name Name gets one. GophernotesErr says why there is none: a *TakenError if that kernel has another author.
	GophernotesDir string
	GophernotesErr error
}

// Install makes the kernel known to Jupyter. If Jupyter knows a kernel of that name by another author the error is a
// *TakenError.
func (i Installation) Install() (done Installed, err error) {
	if err := checkTaken(i.searchedFolders(), i.Name); err != nil {
		return done, err
	}
	program, err := os.Executable()
	if err != nil {
		return done, err
	}
	if temporary(program) {
		if program, err = i.keep(program); err != nil {
			return done, err
		}
		done.Copy = program
	}
	logos, err := logos()
	if err != nil {
		return done, err
	}
	spec := newSpec(i.DisplayName, slices.Concat([]string{program}, i.Args)...)
	if done.Dir, err = write(i.DataDir, i.Name, spec, logos); err != nil || i.Name != Name {
		return done, err
	}
	if done.GophernotesErr = checkTaken(i.searchedFolders(), Gophernotes); done.GophernotesErr != nil {
		return done, nil
	}
	spec.DisplayName = "Go (gophernotes)"
	done.GophernotesDir, err = write(i.DataDir, Gophernotes, spec, logos)
	return done, err
}

func (i Installation) keep(program string) (string, error) {
	if i.KeepDir == nil {
		return "", errors.New("`go run` removes its program when it ends; build it and install from where it stays")
	}
	dir, err := i.KeepDir()
	if err != nil {
		return "", err
	}
	return Keep(program, dir)
}

// searchedFolders returns the folders in which Jupyter searches kernels, and DataDir.
func (i Installation) searchedFolders() []string {
	dirs := SearchPath(i.Env)
	if !slices.Contains(dirs, i.DataDir) {
		dirs = append(dirs, i.DataDir)
	}
	return dirs
}

// Uninstall removes the kernelspec name from a Jupyter data folder, and with Name also gophernotes if it is ours. It
// returns the removed ones, also before an error. Nothing to remove is an error.
func Uninstall(dataDir, name string) (removed []Found, err error) {
	names := []string{name}
	if name == Name {
		names = append(names, Gophernotes)
	}
	for _, n := range names {
		dir, err := remove(dataDir, n)
		switch {
		case errors.Is(err, fs.ErrNotExist), n != name && errors.As(err, new(*TakenError)):
			continue
		case err != nil:
			return removed, err
		}
		removed = append(removed, Found{Name: n, Dir: dir})
	}
	if len(removed) == 0 {
		dir := filepath.Join(dataDir, "kernels")
		return nil, fmt.Errorf("there is no kernel %s in %s; `jupyter kernelspec list` shows all", name, dir)
	}
	return removed, nil
}
