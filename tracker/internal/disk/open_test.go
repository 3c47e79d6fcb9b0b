package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/internal/disk"
)

// TestOpenFilesMove: an open file is renamed and removed, also on Windows, and a file that is made keeps its content.
func TestOpenFilesMove(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.spool")
	if _, err := disk.Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a missing file: %v", err)
	}
	for range 2 {
		f, err := disk.Make(path)
		expect.NoError(t, err)
		_, err = f.WriteAt([]byte("kept"), 0)
		expect.NoError(t, errors.Join(err, f.Close()))
	}
	f, err := disk.Open(path)
	expect.NoError(t, err)
	defer f.Close()
	expect.NoError(t, os.Rename(path, path+".refused"))
	text := make([]byte, 4)
	if _, err := f.ReadAt(text, 0); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
	expect.NoError(t, os.Remove(path+".refused"))
	expect.NoError(t, f.Close())
	if _, err := os.Stat(path + ".refused"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there still: %v", err)
	}
}
