package mlflow_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// outside are paths that lead to the planted file, or would in some program.
var outside = []string{
	"../secret.txt", "0/../../secret.txt", "%2e%2e/secret.txt", "%2E%2E%2Fsecret.txt", "..%2fsecret.txt",
	"%252e%252e/secret.txt", "%252e%252e%252fsecret.txt", "0/%252e%252e/%252e%252e/secret.txt", "..;/secret.txt",
	"0/..;x=1/secret.txt", "..%5csecret.txt", "..%255csecret.txt", "/etc/passwd", "%2fetc%2fpasswd", "//etc/passwd",
	"%2F%2Fetc/passwd", "secret.txt%00.png", "%00", "C:/secret.txt", "C%3A%5Csecret.txt", "link/secret.txt",
	"link%2Fsecret.txt", "./secret.txt", "0/./x", "0//x", "%c0%ae%c0%ae/secret.txt", "a%0d%0ab", "%1b%5b2J",
	"0/%2e%2e/%2e%2e/secret.txt",
}

// plant puts a file next to the folder of artifacts, and links to it into folders.
func plant(t *testing.T, root, own string) {
	t.Helper()
	parent := filepath.Dir(root)
	expect.NoError(t, os.WriteFile(filepath.Join(parent, "secret.txt"), []byte("the secret"), 0o600))
	for _, folder := range []string{root, own} {
		expect.NoError(t, os.Symlink(parent, filepath.Join(folder, "link")))
	}
}

// checkPlanted is an error if the planted file was changed.
func checkPlanted(t *testing.T, root string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(root), "secret.txt"))
	if err != nil || string(raw) != "the secret" {
		t.Errorf("the file outside is %q, %v", raw, err)
	}
}
