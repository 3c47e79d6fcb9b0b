package bucket

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// LargeFile is the size in bytes from which the transfer of a file is announced.
const LargeFile = 64 << 20

// Send uploads files of a folder below a place, ordered by their last mention in names, so that a state comes after
// what it needs.
func (l *Lazy) Send(ctx context.Context, at Place, dir string, names []string, say func(string, ...any)) error {
	s, err := l.Open()
	if err != nil {
		return err
	}
	for i, name := range names {
		if slices.Contains(names[i+1:], name) {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Size() >= LargeFile {
			say("sending %s (%.0f MB) to %s", name, float64(info.Size())/1e6, at.URI())
		}
		err = s.Put(ctx, at.Join(name), file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // removed since
			return err
		}
	}
	return nil
}

// Fetch downloads the objects of a place that a folder lacks; with changed, also those with another content. Without
// names it downloads all.
func (l *Lazy) Fetch(ctx context.Context, at Place, dir string, changed bool, say func(string, ...any),
	names ...string) error {
	s, err := l.Open()
	if err != nil {
		return err
	}
	list, err := s.List(ctx, at)
	if err != nil {
		return err
	}
	for _, o := range list {
		file := filepath.Join(dir, filepath.FromSlash(o.Name))
		if len(names) > 0 && !slices.Contains(names, o.Name) {
			continue
		}
		if _, err := os.Stat(file); err == nil && (!changed || s.IsSame(o, file)) {
			continue
		}
		if o.Size >= LargeFile {
			say("fetching %s (%.0f MB) from %s", o.Name, float64(o.Size)/1e6, at.URI())
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := s.Get(ctx, at.Join(o.Name), file); err != nil && !Missing.Is(err) { // removed since
			return err
		}
	}
	return nil
}
