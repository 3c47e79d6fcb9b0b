package kernelspec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/internal/atomicfile"
)

// temporary reports whether a program lies where `go run` builds, in a folder that is removed when the program ends.
func temporary(program string) bool {
	dir := filepath.ToSlash(filepath.Dir(program))
	return strings.Contains(dir, "/go-build") && strings.HasSuffix(dir, "/exe")
}

// Keep copies a program into a folder and returns the copy's path. A copy with the same contents is left alone. Another
// one is replaced at once; kernels that run from it continue with the old contents.
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
	err = atomicfile.Replace(kept, 0o755, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
	if err != nil {
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

// Program returns the program that a kernelspec starts, or an error if it cannot be started. If it is ours, Program
// runs it with --help to check.
func (f Found) Program(ctx context.Context) (string, error) {
	argv := f.Spec.Argv
	if len(argv) == 0 {
		return "", errors.New("its kernel.json does not name a program")
	}
	program := argv[0]
	if program == Python {
		program = f.interpreter()
	}
	info, err := os.Stat(program)
	if err != nil {
		return program, err
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return program, fmt.Errorf("%s is not a program", program)
	}
	at := slices.Index(argv, "kernel")
	if at < 0 || len(argv) < at+3 {
		return program, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(slices.Clone(argv[1:at]), append(RunArgs(), "--help")...)...)
	cmd.WaitDelay = time.Second // a child process may keep the output open
	out, err := cmd.CombinedOutput()
	if err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return program, fmt.Errorf("%s does not run: %w: %s", program, err, line)
	}
	return program, nil
}

// interpreter is the Python of the environment that a package has put the kernelspec into. Jupyter starts its own,
// which is the same where Jupyter is in that environment.
func (f Found) interpreter() string {
	prefix := filepath.Join(f.Dir, "..", "..", "..", "..") // of PREFIX/share/jupyter/kernels/NAME
	if runtime.GOOS == "windows" {
		return filepath.Join(prefix, "Scripts", "python.exe")
	}
	return filepath.Join(prefix, "bin", "python")
}
