//go:build unix

package pgprivate

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestRoot checks that root gets a server although PostgreSQL refuses to run as root.
func TestRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can see what root gets; run the tests as root too")
	}
	c := open(t, Options{})
	if c.account.Kind != accountNamespace && c.account.Kind != accountOther {
		t.Fatalf("the server runs as %q", c.account.Kind)
	}
	expect.NoError(t, ping(c))
	info, err := os.Stat(filepath.Join(c.data, "PG_VERSION"))
	expect.NoError(t, err)
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	if c.account.Kind == accountNamespace && owner != 0 {
		t.Errorf("the files belong to %d, not to root", owner)
	}
}

// TestRootWithoutNamespaces starts a server as on systems that refuse user namespaces.
func TestRootWithoutNamespaces(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can start a server under another account; run the tests as root too")
	}
	needPostgres(t)
	dir := filepath.Join(t.TempDir(), "pg")
	a, err := ordinaryAccount()
	expect.NoError(t, err)
	expect.NoError(t, os.MkdirAll(dir, 0o700))
	a.Kind = accountOther
	elsewhere := elsewhereDir(dir)
	c := &Cluster{o: Options{Dir: dir, Idle: 200 * time.Millisecond, Scratch: true, Say: func(string) {}}, account: a,
		data: filepath.Join(elsewhere, "data")}
	t.Cleanup(func() {
		c.Close()
		waitFor(t, "the server to stop and its folder to go",
			func() bool { _, ok := findRunning(c.data); return !ok && !exists(elsewhere) })
	})
	expect.NoError(t, c.Ensure(t.Context()))
	expect.NoError(t, ping(c))
	info, err := os.Stat(filepath.Join(c.data, "PG_VERSION"))
	expect.NoError(t, err)
	if owner := int(info.Sys().(*syscall.Stat_t).Uid); owner != a.UID {
		t.Errorf("the files belong to %d, want %d (%s)", owner, a.UID, a.Name)
	}
	folder, err := os.Stat(c.socketDir)
	if err != nil || folder.Mode().Perm() != 0o700 {
		t.Errorf("socket folder %s: %v, %v", c.socketDir, folder.Mode(), err)
	}
	// Next time the data directory decides.
	again, data, err := chooseAccount(dir)
	if err != nil || again.Kind != accountOther || data != c.data {
		t.Errorf("next time: %+v %s %v", again, data, err)
	}
}

// TestOrdinaryUser runs a program under an ordinary account, also if root runs the tests.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	base, err := os.MkdirTemp("", "ordinary-") // t.TempDir's parents may be closed to other accounts
	expect.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(base) })
	self, err := os.Executable()
	expect.NoError(t, err)
	program := filepath.Join(base, "program")
	text, err := os.ReadFile(self)
	expect.NoError(t, err)
	expect.NoError(t, errors.Join(os.WriteFile(program, text, 0o755), os.Chmod(base, 0o755),
		os.Mkdir(filepath.Join(base, "home"), 0o700)))
	dir := filepath.Join(base, "home", "pg")
	cmd := exec.Command(program)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(base, "home"), helperEnv + "=" + dir}
	uid := os.Getuid()
	if uid == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			t.Skip("skipped: this system has no account nobody; run the tests as an ordinary user")
		}
		gid, err1 := strconv.Atoi(nobody.Gid)
		uid, err = strconv.Atoi(nobody.Uid)
		expect.NoError(t, errors.Join(err, err1, os.Chown(filepath.Join(base, "home"), uid, gid)))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	expect.NoError(t, errors.Join(err1, err2, cmd.Start()))
	line, err := bufio.NewReader(out).ReadString('\n')
	if strings.TrimSpace(line) != "ready" {
		t.Fatalf("the program said %q, %v", line, err)
	}
	info, err := os.Stat(filepath.Join(dir, "data", "PG_VERSION"))
	expect.NoError(t, err)
	if owner := int(info.Sys().(*syscall.Stat_t).Uid); owner != uid {
		t.Errorf("the files belong to %d, want %d", owner, uid)
	}
	in.Close()
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	waitFor(t, "the server to stop and its folder to go", func() bool { return !exists(dir) })
}
