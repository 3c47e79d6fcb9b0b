package module

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// selection is what a go.mod requires, directly and through modules, as the go command would select it: of each module
// the greatest version that is asked for. It is used where there is no go command.
type selection struct {
	*required
	cache    *cache
	sums     *sums
	versions map[string]string        // by path
	files    map[string]*modfile.File // of modules that were read, by path@version
}

func (r *required) selection(ctx context.Context) (*selection, error) {
	c, err := openCache(ctx)
	if err != nil {
		return nil, err
	}
	known, err := readSums(r)
	if err != nil {
		return nil, err
	}
	return &selection{r, c, known, nil, map[string]*modfile.File{}}, nil
}

// replaced returns what takes the place of a module; a path without a version is a folder.
func (s *selection) replaced(m module.Version) module.Version {
	for _, r := range s.Replace {
		if r.Old.Path == m.Path && (r.Old.Version == "" || r.Old.Version == m.Version) {
			return r.New
		}
	}
	return m
}

// local returns the folder of a module that is one.
func (s *selection) local(m module.Version) string {
	if filepath.IsAbs(m.Path) {
		return m.Path
	}
	return filepath.Join(filepath.Dir(s.path), filepath.FromSlash(m.Path))
}

// goMod reads the go.mod of a module.
func (s *selection) goMod(ctx context.Context, m module.Version) (*modfile.File, error) {
	if file, ok := s.files[m.String()]; ok {
		return file, nil
	}
	by := s.replaced(m)
	name := filepath.Join(s.local(by), "go.mod")
	if by.Version != "" {
		var err error
		if name, err = s.cache.file(ctx, by, ".mod"); err != nil {
			return nil, err
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", m, err)
	}
	if by.Version != "" {
		if err := s.sums.checkMod(by, text); err != nil {
			return nil, err
		}
	}
	file, err := modfile.ParseLax(name, text, nil)
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", m, err)
	}
	s.files[m.String()] = file
	return file, nil
}

// folder returns the folder of a module that is not local, after its checksum was verified.
func (s *selection) folder(ctx context.Context, m module.Version) (string, error) {
	return s.cache.folder(ctx, m, func(zip string) error { return s.sums.checkZip(m, zip) })
}

// languageOf returns the version of Go that a go.mod names.
func languageOf(file *modfile.File) string {
	if file.Go == nil {
		return "go1.16"
	}
	return "go" + file.Go.Version
}

// isWhole reports whether a go.mod lists all that its packages need, as those of Go 1.17 and later do.
func isWhole(file *modfile.File) bool { return version.Compare(languageOf(file), "go1.17") >= 0 }

// choose selects versions. What a module of Go 1.17 or later requires is not followed further.
func (s *selection) choose(ctx context.Context) error {
	roots := map[string]string{}
	for _, q := range s.Require {
		roots[q.Mod.Path] = q.Mod.Version
	}
	for {
		s.versions = map[string]string{}
		seen := map[module.Version]bool{}
		for path, v := range roots {
			if err := s.follow(ctx, module.Version{Path: path, Version: v}, false, seen); err != nil {
				return err
			}
		}
		stable := true
		for path, v := range roots {
			if s.versions[path] != v {
				roots[path], stable = s.versions[path], false
			}
		}
		if stable {
			return nil
		}
	}
}

// follow notes a module and what it requires; if deep, also what that requires.
func (s *selection) follow(ctx context.Context, m module.Version, deep bool, seen map[module.Version]bool) error {
	s.note(m)
	if done, ok := seen[m]; ok && (done || !deep) {
		return nil
	}
	seen[m] = deep
	file, err := s.goMod(ctx, m)
	if err != nil {
		return err
	}
	deep = deep || !isWhole(file)
	for _, q := range file.Require {
		if s.excludes(q.Mod) {
			continue
		}
		s.note(q.Mod)
		if deep {
			if err := s.follow(ctx, q.Mod, true, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *selection) note(m module.Version) {
	if semver.Compare(m.Version, s.versions[m.Path]) > 0 {
		s.versions[m.Path] = m.Version
	}
}

func (s *selection) excludes(m module.Version) bool {
	return slices.ContainsFunc(s.Exclude, func(e *modfile.Exclude) bool { return e.Mod == m })
}

// findWithout finds a package without the go command.
func (f *Folder) findWithout(ctx context.Context, r *required, path string) error {
	s, err := r.selection(ctx)
	if err != nil {
		return err
	}
	if err := s.choose(ctx); err != nil {
		return err
	}
	at, err := s.find(ctx, f, path)
	if errors.Is(err, fs.ErrNotExist) {
		at = found{err: f.missing(r, path)}
	} else if err != nil {
		return err
	}
	f.known[path] = at
	return s.sums.store()
}

// find looks for a package in the modules that can have it, that with the longest path first.
func (s *selection) find(ctx context.Context, f *Folder, path string) (found, error) {
	if main := s.Module.Mod.Path; !s.own && within(path, main) {
		dir := filepath.Join(filepath.Dir(s.path), filepath.FromSlash(strings.TrimPrefix(path, main)))
		return found{dir: dir, shown: f.show(dir), module: main, language: languageOf(s.File)}, nil
	}
	var candidates []string
	for module := range s.versions {
		if within(path, module) {
			candidates = append(candidates, module)
		}
	}
	slices.SortFunc(candidates, func(a, b string) int { return len(b) - len(a) })
	for _, candidate := range candidates {
		m := module.Version{Path: candidate, Version: s.versions[candidate]}
		file, err := s.goMod(ctx, m)
		if err != nil {
			return found{}, err
		}
		by := s.replaced(m)
		at := found{language: languageOf(file), module: by.String()}
		root := s.local(by)
		if by.Version != "" {
			if root, err = s.folder(ctx, by); err != nil {
				return found{}, err
			}
		}
		rest := strings.TrimPrefix(path, candidate)
		at.dir = filepath.Join(root, filepath.FromSlash(rest))
		at.shown = at.module + rest
		if by.Version == "" {
			at.module, at.shown = candidate, f.show(at.dir)
		}
		if names, err := filepath.Glob(filepath.Join(at.dir, "*.go")); err == nil && len(names) > 0 {
			return at, nil
		}
	}
	return found{}, fs.ErrNotExist
}

// getWithout requires modules without the go command.
func (f *Folder) getWithout(ctx context.Context, r *required, args []string) error {
	s, err := r.selection(ctx)
	if err != nil {
		return err
	}
	for _, arg := range args {
		path, query, _ := strings.Cut(arg, "@")
		if query == "none" {
			if err := r.DropRequire(path); err != nil {
				return fmt.Errorf("module %s: %w", path, err)
			}
			r.Cleanup()
			continue
		}
		m, err := s.cache.resolveWithin(ctx, path, query)
		if err != nil {
			return err
		}
		if err := r.AddRequire(m.Path, m.Version); err != nil {
			return fmt.Errorf("module %s: %w", m, err)
		}
	}
	if err := s.choose(ctx); err != nil {
		return err
	}
	for _, q := range r.Require {
		m := module.Version{Path: q.Mod.Path, Version: s.versions[q.Mod.Path]}
		if err := r.AddRequire(m.Path, m.Version); err != nil {
			return fmt.Errorf("module %s: %w", m, err)
		}
		if by := s.replaced(m); by.Version != "" {
			if _, err := s.folder(ctx, by); err != nil {
				return err
			}
		}
	}
	if err := s.sums.store(); err != nil {
		return err
	}
	return write(r)
}

// resolveWithin finds the module that a package may be in, that with the longest path first.
func (c *cache) resolveWithin(ctx context.Context, path, query string) (module.Version, error) {
	if err := module.CheckImportPath(path); err != nil {
		return module.Version{}, err
	}
	first := error(nil)
	for at := path; strings.Contains(at, "."); {
		m, err := c.resolve(ctx, at, query)
		if err == nil {
			return m, nil
		}
		if first == nil || !errors.Is(err, fs.ErrNotExist) {
			first = err
		}
		slash := strings.LastIndexByte(at, '/')
		if slash < 0 {
			break
		}
		at = at[:slash]
	}
	if first == nil {
		first = fmt.Errorf("%s is not the path of a module", path)
	}
	return module.Version{}, first
}
