// Package atomicfile replaces files atomically: the content is written next to the path, synced to the disk, and
// renamed over it.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Write replaces path by a file with this content and mode (before umask). The folder must exist.
func Write(path string, content []byte, mode fs.FileMode) error {
	return Replace(path, mode, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Replace replaces path by what write writes; mode is before umask. If write fails, or if any of the rest fails, path
// stays as it was. The folder must exist. A symbolic link stays, and its target is replaced, or created if it is
// missing.
func Replace(path string, mode fs.FileMode, write func(w io.Writer) error) error {
	path, err := target(path)
	if err != nil {
		return err
	}
	file, err := create(path, mode)
	if err != nil {
		return err
	}
	err = fill(file, write)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// maxLinks is the max number of symbolic links that are followed.
const maxLinks = 40

// target follows symbolic links at the end of a path, also to a file that does not exist. The system follows those of
// its folders.
func target(path string) (string, error) {
	at := path
	for range maxLinks {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, nil // a missing file is created
		}
		next, err := os.Readlink(at)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(next) {
			next = filepath.Dir(at) + string(filepath.Separator) + next
		}
		// The path is not cleaned before: after a folder that is a link, ".." leads out of the link's target.
		folder, base := filepath.Split(next)
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return "", fmt.Errorf("follow the symbolic link %s: %w", at, err)
		}
		at = filepath.Join(folder, base)
	}
	return "", &fs.PathError{Op: "replace", Path: path, Err: errors.New("too many symbolic links")}
}

// create creates the file that will replace path. os.CreateTemp has only one mode, and a later Chmod would ignore the
// umask.
func create(path string, mode fs.FileMode) (file *os.File, err error) {
	for range 1000 {
		name := unfinished(path) + strconv.FormatUint(rand.Uint64(), 10)
		file, err = os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return file, err
}

func fill(file *os.File, write func(w io.Writer) error) error {
	w := bufio.NewWriterSize(file, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Sync()
}

// SyncFolder makes renames in a folder survive a power cut. Some file systems cannot do that; files are whole without
// it.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = folder.Sync()
	return folder.Close()
}

// unfinished is the prefix of the names under which a file is written before it replaces path. A number follows.
func unfinished(path string) string { return "." + filepath.Base(path) + "." }

// RemoveUnfinished removes the files that killed programs left next to path while writing it. No program may be writing
// path.
func RemoveUnfinished(path string) error {
	path, err := target(path)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), unfinished(path))
		if ours && number != "" && strings.Trim(number, "0123456789") == "" && e.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return err
}
