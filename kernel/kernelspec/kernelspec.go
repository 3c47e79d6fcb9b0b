// Package kernelspec tells Jupyter of a kernel: it writes, finds and removes the folders with a kernel.json by which JupyterLab, Notebook, VS Code and
// nbconvert know how to start one.
//
// Only folders that carry this package's mark are ever changed or removed.
package kernelspec

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// fileName is what makes a folder a kernelspec.
const fileName = "kernel.json"

// mark is the key in a kernelspec's metadata that says who wrote it.
const mark = "spherelab"

// Spec is the contents of a kernel.json.
type Spec struct {
	Argv          []string          `json:"argv"` // "{connection_file}" stands for the connection file
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode,omitempty"` // "message" or "signal"
	Env           map[string]string `json:"env,omitempty"`
	Metadata      map[string]any    `json:"metadata,omitempty"`
}

// Ours says whether this package wrote the kernelspec.
func (s Spec) Ours() bool {
	_, ok := s.Metadata[mark]
	return ok
}

// Found is a kernelspec on this machine.
type Found struct {
	Name string // of the folder, which is the kernel's name
	Dir  string
	Spec Spec
	Err  error // kernel.json is there but cannot be read
}

// Read reads the kernelspec in a folder. Without a kernel.json the error is fs.ErrNotExist.
func Read(dir string) (Spec, error) {
	var s Spec
	file := filepath.Join(dir, fileName)
	content, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

var goodName = regexp.MustCompile(`^[a-z0-9._-]+$`)

// CheckName refuses names that Jupyter would not find again.
func CheckName(name string) error {
	if !goodName.MatchString(name) || strings.Trim(name, ".") == "" {
		return fmt.Errorf("%q cannot be a kernel's name: use lower-case letters, digits, '.', '-' and '_'", name)
	}
	return nil
}

// Install writes the kernelspec name into the kernels folder of a Jupyter data folder, with logos, and returns its folder. Writing again what is there
// already changes nothing. A kernelspec of that name that somebody else wrote is a *TakenError. A kernel.json is never half written.
func Install(dataDir, name string, s Spec, logos map[string][]byte) (dir string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	dir = filepath.Join(dataDir, "kernels", name)
	old, err := Read(dir)
	switch {
	case err == nil && !old.Ours():
		return "", &TakenError{Name: name, Dir: dir, DisplayName: old.DisplayName}
	case errors.As(err, new(*fs.PathError)) && !errors.Is(err, fs.ErrNotExist):
		return "", hint(err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the kernelspec that is there cannot be read: %w; remove the folder or choose another --name", err)
	}
	if s.Metadata == nil {
		s.Metadata = map[string]any{}
	}
	if !s.Ours() {
		s.Metadata[mark] = map[string]any{}
	}
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", hint(fmt.Errorf("making the kernelspec's folder %s: %w", dir, err))
	}
	for file, logo := range logos {
		if err := WriteFile(filepath.Join(dir, file), logo, 0o644); err != nil {
			return "", hint(err)
		}
	}
	// Last: with it the folder is a kernelspec.
	if err := WriteFile(filepath.Join(dir, fileName), append(content, '\n'), 0o644); err != nil {
		return "", hint(err)
	}
	return dir, nil
}

// hint adds a way out to an error about permissions.
func hint(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; --user installs for you alone", err)
	}
	return err
}

// TakenError says that a kernelspec is somebody else's.
type TakenError struct{ Name, Dir, DisplayName string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("kernel %q in %s (%q) was not installed by this program and is left alone; choose another --name", e.Name, e.Dir, e.DisplayName)
}

// CheckTaken is a *TakenError if the kernel that Jupyter starts by a name is somebody else's: one of the same name in another folder would hide it, or be hidden
// by it. dataDirs are Jupyter's data folders, first match first.
func CheckTaken(dataDirs []string, name string) error {
	for _, found := range List(dataDirs) {
		switch {
		case found.Name != name || found.Err == nil && found.Spec.Ours():
		case found.Err != nil:
			return fmt.Errorf("the kernelspec %q that is there cannot be read: %w; remove its folder or choose another --name", name, found.Err)
		default:
			return &TakenError{Name: name, Dir: found.Dir, DisplayName: found.Spec.DisplayName}
		}
	}
	return nil
}

// Uninstall removes the kernelspec name from a Jupyter data folder. It is a *TakenError if somebody else wrote it, fs.ErrNotExist if there is none.
func Uninstall(dataDir, name string) (dir string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	dir = filepath.Join(dataDir, "kernels", name)
	s, err := Read(dir)
	switch {
	case errors.As(err, new(*fs.PathError)):
		return dir, err
	case err != nil:
		return dir, fmt.Errorf("whose kernelspec it is cannot be read: %w; remove the folder by hand", err)
	}
	if !s.Ours() {
		return dir, &TakenError{Name: name, Dir: dir, DisplayName: s.DisplayName}
	}
	// First: without it the folder is no kernelspec, whatever happens to the rest.
	if err := os.Remove(filepath.Join(dir, fileName)); err != nil {
		return dir, err
	}
	return dir, os.RemoveAll(dir)
}

// List gives the kernelspecs in the kernels folders of the given Jupyter data folders. Of two with the same name Jupyter takes the first.
func List(dataDirs []string) []Found {
	var list []Found
	seen := map[string]bool{}
	for _, dataDir := range dataDirs {
		entries, err := os.ReadDir(filepath.Join(dataDir, "kernels"))
		if err != nil {
			continue
		}
		for _, entry := range entries {
			dir := filepath.Join(dataDir, "kernels", entry.Name())
			s, err := Read(dir)
			name := strings.ToLower(entry.Name())
			if errors.Is(err, fs.ErrNotExist) || seen[name] {
				continue
			}
			seen[name] = true
			list = append(list, Found{Name: name, Dir: dir, Spec: s, Err: err})
		}
	}
	return list
}

// WriteFile writes a file so that at every moment it has its old contents or its new ones. A file that has them already is left alone.
func WriteFile(file string, content []byte, mode fs.FileMode) error {
	if have, err := os.ReadFile(file); err == nil && string(have) == string(content) {
		return nil
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(content)
	if err == nil {
		err = temporary.Chmod(mode)
	}
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}
