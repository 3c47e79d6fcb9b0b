package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/spelling"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Find returns the folder of a data set. name is the path of a folder or the name of one in dirs, which are searched in
// order; a folder of dirs may also be the data set itself. Case is ignored if no folder has exactly the name. Its error
// is a *NotFoundError.
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
	missing := &NotFoundError{Name: name, Dirs: dirs}
	if _, err := Lookup(name); err != nil { // the name of a set that can be downloaded is spelled correctly
		missing.Nearest = spelling.Nearest(append(seen, Names()...), name, 3)
	}
	return "", missing
}

// NotFoundError is the error for a data set that was not found, with the places that were searched.
type NotFoundError struct {
	Name    string
	Path    bool     // Name is a path, and no graph is there
	Dirs    []string // folders that were searched
	Nearest []string // names of data sets that are on the disk or known
}

func (e *NotFoundError) Error() string {
	if e.Path {
		return fmt.Sprintf("no data set at %s: it must be a folder with a train file, or a file whose name"+
			" ends in %s", e.Name, strings.Join(kg.FileEndings(), ", "))
	}
	msg := fmt.Sprintf("data set %q was not found", e.Name)
	if dirs := slices.DeleteFunc(slices.Clone(e.Dirs), func(d string) bool { return d == "" }); len(dirs) > 0 {
		msg += " in " + strings.Join(dirs, ", ")
	}
	if len(e.Nearest) > 0 {
		msg += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	return msg
}

// Hints returns how to get the data set.
func (e *NotFoundError) Hints() []hint.Hint {
	if set, err := Lookup(e.Name); err == nil {
		return []hint.Hint{{Action: hint.FetchGraph, Subject: set.Name}}
	}
	if e.Path {
		return nil
	}
	return []hint.Hint{{Action: hint.NameDataFolder}}
}

// Entry is a data set on the disk.
type Entry struct {
	Name    string // folder name
	Path    string // folder
	Bytes   int64  // size of the files directly in it
	Partial bool   // an unfinished download; Get continues it
}

// State returns Here for a complete data set, otherwise what a public one lacks.
func (e Entry) State() string {
	if e.Partial {
		return "unfinished download"
	}
	state := Here
	if !slices.Contains(Names(), e.Name) { // splits that a user's folder lacks are drawn
		return state
	}
	for i, split := range kg.MissingSplits(e.Path) {
		if i == 0 {
			state = "incomplete: no " + split.String()
		} else {
			state += ", no " + split.String()
		}
	}
	return state
}

// Here is the state of a complete data set.
const Here = "here"

// Local lists the data sets in a folder, by name. A folder that does not exist has none.
func Local(dir string) ([]Entry, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []Entry
	for _, e := range entries {
		entry := Entry{Name: e.Name(), Path: filepath.Join(dir, e.Name())}
		if info, err := os.Stat(entry.Path); err != nil || !info.IsDir() { // follows links
			continue
		}
		if name, hidden := strings.CutPrefix(e.Name(), "."); hidden {
			if entry.Name, entry.Partial = strings.CutSuffix(name, ".part"); !entry.Partial || !slices.Contains(Names(),
				entry.Name) {
				continue
			}
		} else if !kg.IsGraph(entry.Path) {
			continue
		}
		if entry.Bytes, err = folderBytes(entry.Path); err != nil {
			break
		}
		out = append(out, entry)
	}
	if err != nil {
		return nil, fmt.Errorf("list data sets: %w", err)
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
