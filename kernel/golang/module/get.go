package module

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// Get adds modules to the notebooks' go.mod: "module@version", a module alone for its latest version, or the path of a
// folder with a module, relative to the current folder. It returns lines that say what has changed, and changes nothing
// if it fails.
func (f *Folder) Get(ctx context.Context, args []string) (lines []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, err := f.writable()
	if err != nil {
		return nil, err
	}
	restore, err := keep(r.path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, restore())
		}
	}()
	before := r.versions()
	var remote []string
	for _, arg := range args {
		switch {
		case isFolder(arg):
			err = f.addFolder(r, arg)
		case strings.HasPrefix(arg, "-"):
			err = fmt.Errorf("unknown option %s", arg)
		default:
			remote = append(remote, arg)
			err = r.dropFolder(arg)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := write(r); err != nil {
		return nil, err
	}
	if len(remote) > 0 {
		if !haveGo() {
			if err := f.getWithout(ctx, r, remote); err != nil {
				return nil, err
			}
		} else if _, err := f.run(ctx, true, append([]string{"get", "--"}, remote...)...); err != nil {
			return nil, err
		}
	}
	clear(f.known)
	after, err := f.require()
	if err != nil {
		return nil, err
	}
	if err := markDirect(after, remote); err != nil {
		return nil, err
	}
	return f.changes(before, after, remote), nil
}

// dropFolder forgets that a module was taken from a folder, since a version of it is asked for.
func (r *required) dropFolder(arg string) error {
	path, _, _ := strings.Cut(arg, "@")
	for _, x := range slices.Clone(r.Replace) {
		if x.Old.Path == path && x.New.Version == "" {
			if err := errors.Join(r.DropReplace(path, x.Old.Version), r.DropRequire(path)); err != nil {
				return fmt.Errorf("module %s: %w", path, err)
			}
		}
	}
	return nil
}

// markDirect marks what was asked for as required by the notebooks: the go command, which sees no imports of theirs,
// takes all for indirect.
func markDirect(r *required, asked []string) error {
	var all []*modfile.Require
	for _, q := range r.Require {
		for _, arg := range asked {
			path, _, _ := strings.Cut(arg, "@")
			if within(path, q.Mod.Path) && !longer(r, path, q.Mod.Path) {
				q.Indirect = false
			}
		}
		all = append(all, &modfile.Require{Mod: q.Mod, Indirect: q.Indirect})
	}
	r.SetRequireSeparateIndirect(all)
	return write(r)
}

// longer reports whether a further required module, with a longer path, may have a package.
func longer(r *required, path, module string) bool {
	return slices.ContainsFunc(r.Require, func(q *modfile.Require) bool {
		return len(q.Mod.Path) > len(module) && within(path, q.Mod.Path)
	})
}

// isFolder reports whether an argument is the path of a folder.
func isFolder(arg string) bool {
	return arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") || filepath.IsAbs(arg)
}

// Required returns a line for each module that the notebooks' go.mod requires, indirect ones last.
func (f *Folder) Required() ([]string, error) {
	r, err := f.require()
	if err != nil || r == nil {
		return nil, err
	}
	return f.lines(r, nil), nil
}

// writable returns the go.mod to change, or an empty one for the folder.
func (f *Folder) writable() (*required, error) {
	r, err := f.require()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(f.dir, "go.mod")
	switch {
	case r != nil && r.own:
		return r, nil
	case r != nil && (r.path == path || hasGo(f.dir)):
		name := "a module"
		if r.Module != nil {
			name = r.Module.Mod.Path
		}
		return nil, fmt.Errorf("this folder belongs to %s (%s), which %%get does not change. Cells can import what it "+
			"requires: add a module to it by go get, or keep notebooks in a folder without Go files", name, f.show(r.path))
	}
	version := strings.TrimPrefix(runtime.Version(), "go")
	if parts := strings.SplitN(version, ".", 3); len(parts) > 1 {
		version = parts[0] + "." + parts[1]
	}
	text := []byte("// Written by %get, for the notebooks of this folder.\nmodule " + Name + "\n\ngo " + version + "\n")
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return nil, fmt.Errorf("modules of the notebook: %w", err)
	}
	return &required{path, true, text, file}, nil
}

// hasGo reports whether there are Go files in a folder or below it.
func hasGo(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // what cannot be read has none
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// keep remembers go.mod and go.sum. restore brings them back.
func keep(path string) (restore func() error, err error) {
	texts := map[string][]byte{}
	for _, name := range []string{path, strings.TrimSuffix(path, "mod") + "sum"} {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("modules of the notebook: %w", err)
		}
		texts[name] = text
	}
	return func() (err error) {
		for name, text := range texts {
			if text != nil {
				err = errors.Join(err, os.WriteFile(name, text, 0o644))
			} else if failed := os.Remove(name); !errors.Is(failed, fs.ErrNotExist) {
				err = errors.Join(err, failed)
			}
		}
		return err
	}, nil
}

// write stores a go.mod.
func write(r *required) error {
	r.Cleanup()
	text, err := r.Format()
	if err != nil {
		return fmt.Errorf("modules of the notebook: %w", err)
	}
	if err := os.WriteFile(r.path, text, 0o644); err != nil {
		return fmt.Errorf("modules of the notebook: %w", err)
	}
	return nil
}

// localVersion is the version by which a go.mod requires a module in a folder.
func localVersion(path string) string {
	_, suffix, _ := module.SplitPathVersion(path)
	if major := module.PathMajorPrefix(suffix); major != "" {
		return major + ".0.0"
	}
	return "v0.0.0"
}

// addFolder requires the module in a folder.
func (f *Folder) addFolder(r *required, arg string) error {
	dir, err := filepath.Abs(arg)
	if err != nil {
		return fmt.Errorf("folder %s: %w", arg, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("folder %s has no go.mod, which names its module: go mod init makes one", arg)
	}
	if err != nil {
		return fmt.Errorf("folder %s: %w", arg, err)
	}
	path := modfile.ModulePath(text)
	if path == "" {
		return fmt.Errorf("%s names no module", filepath.Join(arg, "go.mod"))
	}
	if path == Name && filepath.Join(dir, "go.mod") == r.path {
		return fmt.Errorf("folder %s is that of the notebooks: it has no packages to import", arg)
	}
	to, err := filepath.Rel(filepath.Dir(r.path), dir)
	if err != nil {
		to = dir
	} else if !strings.HasPrefix(to, "..") {
		to = "./" + to
	}
	if err := r.AddRequire(path, localVersion(path)); err != nil {
		return fmt.Errorf("module %s: %w", path, err)
	}
	if err := r.AddReplace(path, "", filepath.ToSlash(to), ""); err != nil {
		return fmt.Errorf("module %s: %w", path, err)
	}
	return nil
}

// versions returns the versions of required modules by path.
func (r *required) versions() map[string]string {
	all := map[string]string{}
	for _, q := range r.Require {
		all[q.Mod.Path] = q.Mod.Version
	}
	return all
}

// changes returns a line for each module that was added, has another version or is required no more.
func (f *Folder) changes(before map[string]string, after *required, asked []string) []string {
	lines := f.lines(after, func(path, version string) bool { return before[path] == version })
	now := after.versions()
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if now[path] == "" {
			lines = append(lines, path+" is required no more")
		}
	}
	if len(lines) > 0 {
		return lines
	}
	for _, arg := range asked {
		if path, _, _ := strings.Cut(arg, "@"); !after.provides(path) {
			return []string{"nothing to change: " + f.show(after.path) + " does not require " + path}
		}
	}
	return []string{"nothing to change: " + f.show(after.path) + " requires it already"}
}

// lines describes required modules.
func (f *Folder) lines(r *required, leaveOut func(path, version string) bool) (lines []string) {
	folders := map[string]string{}
	for _, q := range r.Replace {
		if q.New.Version == "" {
			folders[q.Old.Path] = q.New.Path
		}
	}
	var indirect []string
	for _, q := range r.Require {
		path, version := q.Mod.Path, q.Mod.Version
		if leaveOut != nil && leaveOut(path, version) {
			continue
		}
		line := path + " " + version
		if folder := folders[path]; folder != "" {
			line = path + " in " + folder
		}
		line += f.linkedNote(path, version)
		if used := f.used[path]; used != "" && used != version {
			line += "; but cells have imported " + used + ", until the kernel is restarted"
		}
		if q.Indirect {
			indirect = append(indirect, line+" (indirect)")
		} else {
			lines = append(lines, line)
		}
	}
	return append(lines, indirect...)
}

// linkedNote says that packages of a module are linked, if at another version.
func (f *Folder) linkedNote(path, version string) string {
	var packages []string
	for _, linked := range f.linked {
		if linked == path {
			packages = append(packages, "itself")
		} else if rest, ok := strings.CutPrefix(linked, path+"/"); ok {
			packages = append(packages, rest)
		}
	}
	own := f.version(path)
	if own == "" || own == version || len(packages) == 0 {
		return ""
	}
	return fmt.Sprintf("; but cells import %s of %s, which is linked", strings.Join(packages, ", "), own)
}

// builtVersion returns the version of a module that the program was built with.
func builtVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}
