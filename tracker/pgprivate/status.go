package pgprivate

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Status describes a cluster for people. All fields but Dir may be empty.
type Status struct {
	Dir        string
	Data       string
	Created    bool    // the data directory exists
	Version    string  // major version of the data directory, "15"
	Running    bool    // a server runs
	PID        int     // its process
	SocketDir  string  // where it listens
	Supervised bool    // a supervisor watches it
	Used       bool    // some program uses it
	RunsAs     string  // "self", "namespace" or "other" (as root: in a user namespace, or under another account)
	Install    Install // the programs that would be used
	Problem    error   // why no server could be started now, nil if it could
}

// Inspect looks at the cluster of folder dir without starting or changing anything.
func Inspect(ctx context.Context, dir, cacheDir string) Status {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	s := Status{Dir: dir}
	a, data, err := chooseAccount(dir)
	if err != nil {
		s.Problem = err
		return s
	}
	s.Data, s.RunsAs = data, a.Kind
	major := 0
	if b, err := os.ReadFile(filepath.Join(data, "PG_VERSION")); err == nil {
		s.Created, s.Version = true, strings.TrimSpace(string(b))
		major = firstNumber(s.Version)
	}
	if p, ok := running(data); ok {
		s.Running, s.PID, s.SocketDir = true, p.PID, p.SocketDir
	}
	if exists(dir) && exists(filepath.Join(dir, "supervisor.lock")) {
		s.Supervised = supervised(dir)
	}
	if users, err := os.OpenFile(filepath.Join(dir, "users.lock"), os.O_RDWR, 0); err == nil {
		free, err := tryFlock(users, unix.LOCK_EX)
		s.Used = err == nil && !free
		users.Close()
	}
	if s.Install, err = Find(ctx, major); err != nil {
		if in, err2 := cached(ctx, major, cacheDir); err2 == nil {
			s.Install = in
		} else {
			s.Problem = err
		}
	}
	return s
}

// cached returns server programs that were downloaded earlier.
func cached(ctx context.Context, major int, cacheDir string) (Install, error) {
	version, err := fetchVersion(major)
	if err != nil {
		return Install{}, err
	}
	return inspectBin(ctx, filepath.Join(cacheDir, "postgres-"+string(version), "bin"), "embedded")
}
