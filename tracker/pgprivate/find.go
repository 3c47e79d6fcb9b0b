//go:build unix

package pgprivate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
)

// minimumMajor is the oldest PostgreSQL that the tracker supports.
const minimumMajor = 13

// Install is one PostgreSQL installation: a folder with initdb and postgres in it.
type Install struct {
	Bin     string // folder of the programs
	Major   int    // major version, 15 for 15.4
	Version string // as printed, "15.4"
	Source  string // "PATH", "system", "homebrew", "embedded"
}

// NotFoundError is the error if no usable PostgreSQL was found, with the places that Find searched.
type NotFoundError struct {
	Major  int      // the major version an existing cluster needs, 0 for any
	Looked []string // where
	Err    error    // why the download of a server failed, nil if none was tried
}

func (e *NotFoundError) Error() string {
	what := "no PostgreSQL server was found"
	if e.Major != 0 {
		what = fmt.Sprintf("this data directory belongs to PostgreSQL %d, but PostgreSQL %d was not found", e.Major,
			e.Major)
	}
	s := what + " (looked in " + strings.Join(e.Looked, ", ") + ")"
	if e.Err != nil {
		s += "; fetching one failed: " + oneLine(e.Err.Error())
	}
	return s + "; install it: " + installCommand(e.Major)
}

func (e *NotFoundError) Unwrap() error { return e.Err }

// Hints suggests another server.
func (e *NotFoundError) Hints() []hint.Hint { return []hint.Hint{{Action: hint.NameDatabase}} }

// installCommand returns how common systems install a server of a major version, 0 for any.
func installCommand(major int) string {
	version := ""
	if major != 0 {
		version = "-" + strconv.Itoa(major)
	}
	if runtime.GOOS == "darwin" {
		formula := "postgresql"
		if major != 0 {
			formula += "@" + strconv.Itoa(major)
		} else {
			formula += "@17"
		}
		return "brew install " + formula
	}
	return "sudo apt-get install postgresql" + version +
		" (Debian, Ubuntu), sudo dnf install postgresql-server (Fedora) or apk add postgresql (Alpine)"
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) ((\d+)[^\s]*)`)

// inspectBin runs the postgres program in folder bin to find its version.
func inspectBin(ctx context.Context, bin, source string) (Install, error) {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(bin, program)); err != nil {
			return Install{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, helloWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version")
	cmd.WaitDelay = time.Second // a child process may keep the output open
	out, err := cmd.Output()
	if err != nil {
		return Install{}, fmt.Errorf("%s --version: %w", filepath.Join(bin, "postgres"), err)
	}
	m := versionPattern.FindStringSubmatch(string(out))
	if m == nil {
		return Install{}, fmt.Errorf("%s --version printed %q", filepath.Join(bin, "postgres"), oneLine(string(out)))
	}
	major, err := strconv.Atoi(m[2])
	if err != nil {
		return Install{}, err
	}
	return Install{Bin: bin, Major: major, Version: m[1], Source: source}, nil
}

// candidateBins returns the folders that may hold a server, best first: PATH, then the newest system package, then
// Homebrew.
func candidateBins() (bins, sources []string) {
	seen := map[string]bool{}
	add := func(bin, source string) {
		if real, err := filepath.EvalSymlinks(bin); err == nil {
			bin = real
		}
		if !seen[bin] {
			seen[bin] = true
			bins, sources = append(bins, bin), append(sources, source)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if dir == "" {
			continue
		}
		// The link may be in a folder with only some of the programs, so it is followed.
		if real, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb")); err == nil {
			add(filepath.Dir(real), "PATH")
		}
	}
	for _, group := range []struct{ pattern, source string }{
		{"/usr/lib/postgresql/*/bin", "system"},
		{"/usr/pgsql-*/bin", "system"},
		{"/usr/libexec/postgresql*", "system"},
		{"/opt/homebrew/opt/postgresql*/bin", "homebrew"},
		{"/usr/local/opt/postgresql*/bin", "homebrew"},
		{"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin", "homebrew"},
		{"/Applications/Postgres.app/Contents/Versions/*/bin", "system"},
	} {
		found, err := filepath.Glob(group.pattern)
		if err != nil {
			continue // only a malformed pattern is an error
		}
		sort.Slice(found, func(i, j int) bool { return firstNumber(found[i]) > firstNumber(found[j]) })
		for _, bin := range found {
			add(bin, group.source)
		}
	}
	return bins, sources
}

var numberPattern = regexp.MustCompile(`\d+`)

func firstNumber(s string) int {
	n, err := strconv.Atoi(numberPattern.FindString(s))
	if err != nil {
		return 0
	}
	return n
}

// Find returns an installed PostgreSQL. major restricts it to one major version (0: any from 13 on). It never
// downloads; the error is a *NotFoundError.
func Find(ctx context.Context, major int) (Install, error) {
	bins, sources := candidateBins()
	for i, bin := range bins {
		in, err := inspectBin(ctx, bin, sources[i])
		if err != nil {
			if ctx.Err() != nil {
				return Install{}, ctx.Err()
			}
			continue
		}
		if (major == 0 && in.Major >= minimumMajor) || (major != 0 && in.Major == major) {
			return in, nil
		}
	}
	return Install{}, &NotFoundError{Major: major, Looked: []string{"PATH", "/usr/lib/postgresql/*/bin", "Homebrew"}}
}

// FindProgram returns the path of one of PostgreSQL's programs, on PATH or next to a server.
func FindProgram(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	bins, _ := candidateBins()
	for _, bin := range bins {
		if path, err := exec.LookPath(filepath.Join(bin, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed", name)
}

// findOrFetch is Find, but if nothing is installed it uses the binaries of the embedded-postgres project in cacheDir,
// and downloads them if they are missing.
func findOrFetch(ctx context.Context, major int, cacheDir string, say func(string)) (Install, error) {
	in, err := Find(ctx, major)
	if err == nil {
		return in, nil
	}
	var missing *NotFoundError
	if !errors.As(err, &missing) || cacheDir == "" {
		return Install{}, err
	}
	in, err = fetch(ctx, major, cacheDir, "", say)
	if err != nil {
		if ctx.Err() != nil {
			return Install{}, ctx.Err()
		}
		missing.Looked = append(missing.Looked, cacheDir)
		missing.Err = err
		return Install{}, missing
	}
	return in, nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
