package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Find returns the folder of a data set. name is the path of a folder or the
// name of one in dirs, which are tried in order; a folder of dirs that is
// itself the data set of that name counts, too. Upper and lower case are the
// same where no folder has exactly the name. Its error is a *NotFoundError.
func Find(name string, dirs ...string) (string, error) {
	if name == "" {
		return "", &NotFoundError{Name: name, Dirs: dirs}
	}
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") || name == "." || name == ".." {
		if kg.IsGraph(name) {
			return name, nil
		}
		return "", &NotFoundError{Name: name, Path: true}
	}
	var seen []string
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		path := filepath.Join(dir, name)
		if kg.IsGraph(path) {
			return path, nil
		}
		if abs, err := filepath.Abs(dir); err == nil && strings.EqualFold(filepath.Base(abs), name) && kg.IsGraph(dir) {
			return dir, nil
		}
		local, err := Local(dir)
		if err != nil {
			return "", err
		}
		for _, e := range local {
			if e.Partial {
				continue
			}
			if strings.EqualFold(e.Name, name) {
				return e.Path, nil
			}
			seen = append(seen, e.Name)
		}
	}
	return "", &NotFoundError{Name: name, Dirs: dirs, Nearest: kg.NewVocabulary(seen).Nearest(name, 3)}
}

// NotFoundError says where a data set was looked for.
type NotFoundError struct {
	Name    string
	Path    bool     // Name is a path, and there is no graph
	Dirs    []string // where a folder of that name was looked for
	Nearest []string // names of data sets that are there
}

func (e *NotFoundError) Error() string {
	if e.Path {
		return fmt.Sprintf("no data set at %s: it must be a folder with train, valid and test files", e.Name)
	}
	msg := fmt.Sprintf("data set %q is not here", e.Name)
	var dirs []string
	for _, d := range e.Dirs {
		if d != "" {
			dirs = append(dirs, d)
		}
	}
	if len(dirs) > 0 {
		msg += "; looked in " + strings.Join(dirs, ", ")
	}
	if len(e.Nearest) > 0 {
		msg += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	if set, err := Lookup(e.Name); err == nil {
		return msg + fmt.Sprintf("; fetch it: spherelab data get %s", set.Name)
	}
	return msg + "; name the folder that holds it with --data"
}

// Entry is a data set on the disk.
type Entry struct {
	Name    string `json:"name"`    // folder name
	Path    string `json:"path"`    // folder
	Bytes   int64  `json:"bytes"`   // of the files directly in it
	Known   bool   `json:"known"`   // Get could fetch it
	Partial bool   `json:"partial"` // an unfinished download: Get goes on with it
}

// Local lists the data sets in a folder, by name. A folder that does not
// exist has none.
func Local(dir string) ([]Entry, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list data sets: %w", err)
	}
	var out []Entry
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err != nil || !info.IsDir() { // follows links
			continue
		}
		entry := Entry{Name: e.Name(), Path: path}
		if name, ok := strings.CutPrefix(e.Name(), "."); ok {
			name, ok = strings.CutSuffix(name, ".part")
			if _, err := Lookup(name); !ok || err != nil {
				continue
			}
			entry.Name, entry.Partial = name, true
		} else if !kg.IsGraph(path) {
			continue
		}
		_, err := Lookup(entry.Name)
		entry.Known = err == nil
		if entry.Bytes, err = folderBytes(path); err != nil {
			return nil, fmt.Errorf("list data sets: %w", err)
		}
		out = append(out, entry)
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func folderBytes(path string) (int64, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone meanwhile
		}
		if err != nil {
			return 0, err
		}
		if info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	return total, nil
}
