package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, content := range []string{"first", "second"} {
		if err := Write(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
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
	if err := Write(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestAFailureLeavesTheOldFileAlone(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if err := Write(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveUnfinished(filepath.Join(folder, "file")); err != nil {
		t.Fatal(err)
	}
	for name, want := range keep {
		_, err := os.Stat(filepath.Join(folder, name))
		if got := err == nil; got != want {
			t.Errorf("%s kept: %v, want %v", name, got, want)
		}
	}
}
