package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, content := range []string{"first", "second"} {
		expect.NoError(t, Write(path, []byte(content), 0o640))
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Fatalf("read %q, %v; want %q", got, err, content)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v; want 0640", info.Mode(), err)
	}
}

// Not parallel: the umask is the whole process's.
func TestWriteHonoursTheUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	path := filepath.Join(t.TempDir(), "file")
	expect.NoError(t, Write(path, nil, 0o644))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestAFailureLeavesTheOldFileAlone(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	expect.NoError(t, Write(path, []byte("old"), 0o644))
	broken := errors.New("broken")
	err := Replace(path, 0o644, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half of the new"); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("read %q, %v; want the old content", got, err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%d entries, %v; want the file alone", len(entries), err)
	}
	if err := Write(filepath.Join(folder, "nowhere", "file"), nil, 0o644); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the folder does not exist", err)
	}
}

func TestRemoveUnfinished(t *testing.T) {
	folder := t.TempDir()
	keep := map[string]bool{"file": true, ".file.": true, ".file.x1": true, ".other.12": true, ".file.12": false,
		".file.7": false}
	for name := range keep {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o644))
	}
	expect.NoError(t, RemoveUnfinished(filepath.Join(folder, "file")))
	for name, want := range keep {
		_, err := os.Stat(filepath.Join(folder, name))
		if got := err == nil; got != want {
			t.Errorf("%s kept: %v, want %v", name, got, want)
		}
	}
}

// TestLinksStay: a symbolic link stays, and what it leads to is replaced, also through links to links, to folders, and
// to files that are missing.
func TestLinksStay(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"far/deep", "near"} {
		expect.NoError(t, os.MkdirAll(filepath.Join(folder, name), 0o755))
	}
	links := map[string]string{"near/first": "../far/file", "near/second": "first", "near/missing": "../far/new",
		"near/folder": "../far/deep", "near/up": "folder/../up", "near/absolute": filepath.Join(folder, "far/other")}
	for link, to := range links {
		expect.NoError(t, os.Symlink(to, filepath.Join(folder, link)))
	}
	expect.NoError(t, os.WriteFile(filepath.Join(folder, "far/file"), []byte("old"), 0o644))
	for link, file := range map[string]string{"near/first": "far/file", "near/second": "far/file",
		"near/missing": "far/new", "near/folder/inside": "far/deep/inside", "near/up": "far/up",
		"near/absolute": "far/other"} {
		expect.NoError(t, Write(filepath.Join(folder, link), []byte(link), 0o644))
		if got, err := os.ReadFile(filepath.Join(folder, file)); err != nil || string(got) != link {
			t.Errorf("%s: %s holds %q, %v", link, file, got, err)
		}
		if to, ok := links[link]; ok {
			if got, err := os.Readlink(filepath.Join(folder, link)); err != nil || got != to {
				t.Errorf("%s leads to %q, %v; want %q", link, got, err, to)
			}
		}
		if info, err := os.Lstat(filepath.Join(folder, file)); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s is not a file: %v", file, err)
		}
	}
	left := filepath.Join(folder, "far/.file.1")
	expect.NoError(t, os.WriteFile(left, nil, 0o644))
	expect.NoError(t, RemoveUnfinished(filepath.Join(folder, "near/second")))
	if _, err := os.Lstat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a killed program left next to the target: %v", err)
	}
	for link, to := range map[string]string{"round": "again", "again": "round", "nowhere": "none/file"} {
		expect.NoError(t, os.Symlink(to, filepath.Join(folder, link)))
	}
	for _, link := range []string{"round", "nowhere"} {
		if err := Write(filepath.Join(folder, link), nil, 0o644); err == nil {
			t.Errorf("%s was written", link)
		}
		if info, err := os.Lstat(filepath.Join(folder, link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s does not stay: %v", link, err)
		}
	}
}
