package module_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	kernelmodule "github.com/spherelab/spherelab/kernel/golang/module"
)

// TestGetChanges: versions take the place of folders, and what is taken back is gone, with the go command and without.
func TestGetChanges(t *testing.T) {
	path := os.Getenv("PATH")
	onlyProxy(t)
	for _, search := range []string{"", path} {
		t.Setenv("PATH", search)
		dir := t.TempDir()
		write(t, filepath.Join(dir, "m", "go.mod"), []byte("module example.com/c\n"))
		t.Chdir(dir)
		f := kernelmodule.New(dir, nil)
		for _, step := range []struct{ arg, want string }{
			{"./m", "example.com/c in ./m"}, {"example.com/c@v1.1.0", "example.com/c v1.1.0"},
			{"example.com/c@v1.1.0", "nothing to change: ./go.mod requires it already"},
			{"example.com/c@none", "example.com/c is required no more"},
			{"example.com/c@none", "nothing to change: ./go.mod does not require example.com/c"},
			{"./m", "example.com/c in ./m"}, {"example.com/c@none", "example.com/c is required no more"},
		} {
			lines, err := f.Get(context.Background(), []string{step.arg})
			if err != nil || !slices.Equal(lines, []string{step.want}) {
				t.Errorf("PATH %q, %%get %s: %q, %v, want %q", search, step.arg, lines, err, step.want)
			}
		}
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || strings.Contains(string(text), "replace") {
			t.Errorf("go.mod: %s, %v", text, err)
		}
	}
}

// TestPackageAgain: versions are not mixed, what was missing is found when it is there, and a query downloads nothing.
func TestPackageAgain(t *testing.T) {
	path, ctx := os.Getenv("PATH"), context.Background()
	for _, search := range []string{"", path} {
		onlyProxy(t)
		t.Setenv("PATH", search)
		dir := t.TempDir()
		t.Chdir(dir)
		write(t, filepath.Join(dir, "l", "go.mod"), []byte("module example.com/l\n"))
		f := kernelmodule.New(dir, nil)
		get := func(args ...string) {
			t.Helper()
			_, err := f.Get(ctx, args)
			expect.NoError(t, err)
		}
		has := func(ctx context.Context, path, failure string) {
			t.Helper()
			if _, err := f.Package(ctx, path); err == nil && failure != "" || err != nil &&
				(failure == "" || !strings.Contains(err.Error(), failure)) {
				t.Errorf("PATH %q, %s: %v, want %q", search, path, err, failure)
			}
		}
		get("example.com/a@v1.0.0", "example.com/b@v1.1.0", "./l")
		has(ctx, "example.com/l/sub", "example.com/l/sub")
		write(t, filepath.Join(dir, "l", "sub", "x.go"), []byte("package sub"))
		has(ctx, "example.com/l/sub", "")
		t.Setenv("GOMODCACHE", t.TempDir())
		has(kernelmodule.Offline(ctx), "example.com/b", "GOPROXY")
		has(ctx, "example.com/b", "")
		has(ctx, "example.com/a", "")
		has(kernelmodule.Offline(ctx), "example.com/a", "")
		get("example.com/a@v1.3.0-beta")
		has(ctx, "example.com/a/Sub", "go.mod now has example.com/a v1.3.0-beta, and cells have imported v1.0.0: restart")
	}
}

// TestCacheIsMended: a folder that the go command had not finished is unpacked again.
func TestCacheIsMended(t *testing.T) {
	_, cache := onlyProxy(t)
	dir, ctx := t.TempDir(), context.Background()
	_, err := kernelmodule.New(dir, nil).Get(ctx, []string{"example.com/b@v1.1.0"})
	expect.NoError(t, err)
	unpacked, partial := filepath.Join(cache, "example.com/b@v1.1.0"),
		filepath.Join(cache, "cache/download/example.com/b/@v/v1.1.0.partial")
	expect.NoError(t, os.Remove(filepath.Join(unpacked, "b.go")))
	expect.NoError(t, os.Chmod(unpacked, 0o500))
	write(t, partial, nil)
	if p, err := kernelmodule.New(dir, nil).Package(ctx, "example.com/b"); err != nil || len(p.Texts) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := os.Stat(partial); !os.IsNotExist(err) {
		t.Errorf("it still counts as unfinished: %v", err)
	}
}

// TestPasswordIsNotShown: the messages about a proxy leave its password out.
func TestPasswordIsNotShown(t *testing.T) {
	onlyProxy(t)
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
		}))
		t.Setenv("GOPROXY", strings.Replace(server.URL, "//", "//me:secret@", 1))
		_, err := kernelmodule.New(t.TempDir(), nil).Get(context.Background(), []string{"example.com/b@v1.1.0"})
		server.Close()
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "me:xxxxx@") {
			t.Errorf("%d: %v", status, err)
		}
	}
}
