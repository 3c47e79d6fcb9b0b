package kernelspec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Passing says whether a program lies where `go run` builds, in a folder that is removed when it ends.
func Passing(program string) bool {
	dir := filepath.ToSlash(filepath.Dir(program))
	return strings.Contains(dir, "/go-build") && strings.HasSuffix(dir, "/exe")
}

// Keep copies a program to a place where it stays and returns that place. A copy that is the same already is left alone; another one is replaced in one step,
// and kernels that run from it go on with what they have.
func Keep(program, dir string) (string, error) {
	kept := filepath.Join(dir, filepath.Base(program))
	if same, err := sameContents(program, kept); err != nil {
		return "", err
	} else if same {
		return kept, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	from, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer from.Close()
	temporary, err := os.CreateTemp(dir, "."+filepath.Base(program)+"-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(temporary, from)
	if err == nil {
		err = temporary.Chmod(0o755)
	}
	if err == nil {
		err = temporary.Sync()
	}
	err = errors.Join(err, temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), kept)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return "", fmt.Errorf("copying the program: %w", err)
	}
	return kept, nil
}

func sameContents(a, b string) (bool, error) {
	infoB, err := os.Stat(b)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	infoA, err := os.Stat(a)
	if err != nil || infoA.Size() != infoB.Size() {
		return false, err
	}
	contentA, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	contentB, err := os.ReadFile(b)
	return err == nil && string(contentA) == string(contentB), err
}

// Program is the program that a kernelspec starts, and an error if it could not be started.
func (s Spec) Program() (string, error) {
	if len(s.Argv) == 0 {
		return "", errors.New("its kernel.json names no program")
	}
	program := s.Argv[0]
	info, err := os.Stat(program)
	switch {
	case err != nil:
		return program, err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return program, fmt.Errorf("%s is not a program", program)
	}
	return program, nil
}
