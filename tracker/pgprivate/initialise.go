//go:build unix

package pgprivate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// settings is appended to postgresql.conf of a new cluster: small, local, and durable (fsync stays on).
const settings = `
# spherelab
listen_addresses = ''
shared_buffers = 64MB
max_connections = 60
wal_level = minimal
max_wal_senders = 0
min_wal_size = 32MB
max_wal_size = 512MB
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
logging_collector = off
log_min_messages = warning
`

// access is pg_hba.conf of a new cluster.
const access = `# Only the owner can enter the socket's folder (mode 0700).
local all all trust
`

// scratchSettings trade durability for speed in the clusters of tests: a killed server still loses nothing, but a
// crashed machine may.
const scratchSettings = `
fsync = off
full_page_writes = off
max_connections = 300 # tests run in parallel
`

// initialiseWithin is far more than initdb needs. It keeps a hanging initdb from blocking its starter.
const initialiseWithin = 3 * time.Minute

// initialise creates the data directory under another name and renames it, so that a killed initdb leaves nothing that
// looks finished. The caller holds start.lock.
func initialise(ctx context.Context, in Install, a account, data string, scratch bool) error {
	parent := filepath.Dir(data)
	if a.Kind == accountOther {
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return fmt.Errorf("creating the database's folder: %w", err)
		}
		if err := os.Chown(parent, a.UID, a.GID); err != nil {
			return err
		}
	}
	left, err := filepath.Glob(filepath.Join(parent, "init-*"))
	if err != nil {
		return err
	}
	for _, dir := range left { // left by killed programs
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp(parent, "init-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if a.Kind == accountOther {
		if err := os.Chown(work, a.UID, a.GID); err != nil {
			return err
		}
	}
	fresh := filepath.Join(work, "data")
	within, cancel := context.WithTimeout(ctx, initialiseWithin)
	defer cancel()
	cmd := exec.CommandContext(within, filepath.Join(in.Bin, "initdb"), "-D", fresh, "-U", User, "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	cmd.Dir = "/"
	cmd.Env = serverEnv()
	cmd.SysProcAttr = a.attributes()
	cmd.SysProcAttr.Setsid = true // Ctrl-C must not reach initdb; it ends with ctx
	cmd.WaitDelay = time.Second
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	endWithParent(cmd.SysProcAttr, syscall.SIGKILL)
	runtime.LockOSThread() // see spawn
	defer runtime.UnlockOSThread()
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if within.Err() != nil {
			err = fmt.Errorf("it did not end within %v", initialiseWithin)
		}
		return fmt.Errorf("initdb (%s) failed: %w: %s", in.Bin, err, lastLines(string(out), 3))
	}
	if err := os.WriteFile(filepath.Join(fresh, "pg_hba.conf"), []byte(access), 0o600); err != nil {
		return err
	}
	text := settings
	if scratch {
		text += scratchSettings
	}
	f, err := os.OpenFile(filepath.Join(fresh, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return fmt.Errorf("writing postgresql.conf: %w", err)
	}
	// A data directory without PG_VERSION is not a cluster. A failed start may leave an empty one.
	if err := os.Remove(data); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("%s is not a PostgreSQL data directory and is not empty: %w", data, err)
	}
	return os.Rename(fresh, data) // the supervisor forces it to the disk in the background
}

// serverEnv returns the environment of the server's programs, without the PG* variables, which would change their
// behaviour.
func serverEnv() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, key := range []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR"} {
		if v, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+v)
		}
	}
	return env
}
