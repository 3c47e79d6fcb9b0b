// Package kernelspec makes a kernel known to Jupyter: it writes, finds and removes kernelspecs. A kernelspec is a
// folder with a kernel.json, from which JupyterLab, Notebook, VS Code and nbconvert learn how to start the kernel.
//
// The package changes and removes only folders that carry its mark.
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

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/hint"
)

//go:generate go run ./generate ../../python/jupyter

// fileName is what makes a folder a kernelspec.
const fileName = "kernel.json"

// mark is the key in the metadata of the kernelspecs that this package wrote.
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

// Ours reports whether this package wrote the kernelspec.
func (s Spec) Ours() bool {
	_, ok := s.Metadata[mark]
	return ok
}

// Found is a kernelspec on this machine.
type Found struct {
	Name string // of the folder, which is the kernel's name
	Dir  string
	Spec Spec
	Err  error // kernel.json exists but cannot be read
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

// CheckName refuses names that Jupyter would not find.
func CheckName(name string) error {
	if !goodName.MatchString(name) || strings.Trim(name, ".") == "" {
		return fmt.Errorf("%q cannot be a kernel's name: use lower-case letters, digits, '.', '-' and '_'", name)
	}
	return nil
}

// write writes the kernelspec name into the kernels folder of a Jupyter data folder, with logos, and returns its
// folder. Files that have the contents already are left alone. If the kernelspec of that name has another author the
// error is a *TakenError. A kernel.json is never half written.
func write(dataDir, name string, s Spec, logos map[string][]byte) (dir string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	dir = filepath.Join(dataDir, "kernels", name)
	old, err := Read(dir)
	switch {
	case err == nil && !old.Ours():
		return "", &TakenError{Name: name, Dir: dir, DisplayName: old.DisplayName}
	case errors.As(err, new(*fs.PathError)) && !errors.Is(err, fs.ErrNotExist):
		return "", withHint(err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", unreadable(err)
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
		return "", withHint(fmt.Errorf("making the kernelspec's folder %s: %w", dir, err))
	}
	for file, logo := range logos {
		if err := replace(filepath.Join(dir, file), logo); err != nil {
			return "", withHint(err)
		}
	}
	// Last: with it the folder is a kernelspec.
	if err := replace(filepath.Join(dir, fileName), append(content, '\n')); err != nil {
		return "", withHint(err)
	}
	return dir, nil
}

// replace writes a file at once, unless it has the content already.
func replace(file string, content []byte) error {
	if have, err := os.ReadFile(file); err == nil && string(have) == string(content) {
		return nil
	}
	return atomicfile.Write(file, content, 0o644)
}

// withHint adds a remedy to an error about permissions.
func withHint(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return hint.With(err, hint.Hint{Action: hint.InstallForUser})
	}
	return err
}

func unreadable(err error) error {
	return hint.With(fmt.Errorf("a kernelspec of this name exists but cannot be read: %w; remove its folder", err),
		hint.Hint{Action: hint.NameKernel})
}

// TakenError is the error for a kernelspec of another author.
type TakenError struct{ Name, Dir, DisplayName string }

func (e *TakenError) Error() string {
	const text = "kernel %q in %s (%q) was not installed by this program and is not changed"
	return fmt.Sprintf(text, e.Name, e.Dir, e.DisplayName)
}

// Hints returns what else the user may do.
func (e *TakenError) Hints() []hint.Hint { return []hint.Hint{{Action: hint.NameKernel}} }

// checkTaken returns a *TakenError if the kernel that Jupyter starts by a name has another author: a kernel of the same
// name in another folder would hide it, or be hidden by it. dataDirs are Jupyter's data folders, first match first.
func checkTaken(dataDirs []string, name string) error {
	for _, found := range List(dataDirs) {
		switch {
		case found.Name != name || found.Err == nil && found.Spec.Ours():
		case found.Err != nil:
			return unreadable(found.Err)
		default:
			return &TakenError{Name: name, Dir: found.Dir, DisplayName: found.Spec.DisplayName}
		}
	}
	return nil
}

// remove removes the kernelspec name from a Jupyter data folder. The error is a *TakenError if it has another author,
// fs.ErrNotExist if there is none.
func remove(dataDir, name string) (dir string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	dir = filepath.Join(dataDir, "kernels", name)
	s, err := Read(dir)
	switch {
	case errors.As(err, new(*fs.PathError)):
		return dir, err
	case err != nil:
		return dir, fmt.Errorf("the kernelspec cannot be read, so its author is unknown: %w; remove the folder by hand",
			err)
	}
	if !s.Ours() {
		return dir, &TakenError{Name: name, Dir: dir, DisplayName: s.DisplayName}
	}
	// First: without it the folder is not a kernelspec, whatever happens to the rest.
	if err := os.Remove(filepath.Join(dir, fileName)); err != nil {
		return dir, err
	}
	return dir, os.RemoveAll(dir)
}

// List returns the kernelspecs in the kernels folders of the given Jupyter data folders. Of two with the same name
// Jupyter takes the first.
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
