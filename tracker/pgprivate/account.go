//go:build unix

package pgprivate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/spherelab/spherelab/internal/hint"
)

// The ways to run the server. PostgreSQL refuses to run as root, so root needs one of the last two.
const (
	accountSelf      = "self"      // as the calling user
	accountNamespace = "namespace" // in a user namespace where the calling root is an ordinary user
	accountOther     = "other"     // under another account, with a home of its own outside the caller's folders
)

// account is the user that runs the server.
type account struct {
	Kind     string `json:"kind"`
	Name     string `json:"name,omitempty"`
	UID, GID int
}

// ordinaryAccount returns an existing account that is not root; initdb looks its user up by number.
func ordinaryAccount() (account, error) {
	for _, name := range []string{"postgres", "nobody", "daemon"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2); err != nil || uid == 0 {
			continue
		}
		return account{Name: name, UID: uid, GID: gid}, nil
	}
	return account{}, hint.With(errors.New("PostgreSQL does not run as root, and this system has none of the accounts "+
		"postgres, nobody, daemon; run as an ordinary user"), hint.Hint{Action: hint.NameDatabase})
}

// chooseAccount returns the account that runs the cluster of folder dir, and the cluster's data directory. An existing
// data directory decides; else root prefers a user namespace, because then all files stay in dir.
func chooseAccount(dir string) (account, string, error) {
	data := filepath.Join(dir, "data")
	if os.Geteuid() != 0 {
		return account{Kind: accountSelf, UID: os.Getuid(), GID: os.Getgid()}, data, nil
	}
	a, err := ordinaryAccount()
	if err != nil {
		return account{}, "", err
	}
	elsewhere := filepath.Join(elsewhereDir(dir), "data")
	here := a
	here.Kind = accountNamespace
	a.Kind = accountOther
	if exists(filepath.Join(elsewhere, "PG_VERSION")) && !exists(filepath.Join(data, "PG_VERSION")) {
		return a, elsewhere, nil
	}
	if _, ok := findRunning(data); ok || namespaceWorks(here) {
		return here, data, nil
	}
	if exists(filepath.Join(data, "PG_VERSION")) {
		return account{}, "", hint.With(fmt.Errorf("%s was created by root in a user namespace, which this system now "+
			"refuses; allow user namespaces (sysctl user.max_user_namespaces, or the container's seccomp profile)",
			data),
			hint.Hint{Action: hint.NameHome})
	}
	return a, elsewhere, nil
}

// elsewhereDir returns the folder of the server's files if another account, which cannot enter dir, runs it.
func elsewhereDir(dir string) string {
	return filepath.Join("/var/lib", "spherelab-"+shortHash(dir))
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:5])
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
