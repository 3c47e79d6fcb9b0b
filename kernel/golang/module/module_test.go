package module_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
	"golang.org/x/tools/txtar"

	"github.com/spherelab/spherelab/internal/expect"
	kernelmodule "github.com/spherelab/spherelab/kernel/golang/module"
)

// published are modules as a proxy has them.
const published = `
-- example.com/a@v1.0.0/go.mod --
module example.com/a
go 1.21
require (
	example.com/b v1.1.0
	example.com/c v1.1.0 // indirect
)
-- example.com/a@v1.0.0/a.go --
package a
-- example.com/a@v1.0.0/Sub/x.go --
package Sub
-- example.com/a@v1.3.0-beta/go.mod --
module example.com/a
-- example.com/a@v1.3.0-beta/Sub/x.go --
package Sub
-- example.com/b@v1.0.0/go.mod --
module example.com/b
go 1.21
require example.com/c v1.0.0
-- example.com/b@v1.1.0/go.mod --
module example.com/b
go 1.21
require example.com/c v1.2.0
-- example.com/b@v1.1.0/b.go --
package b
-- example.com/c@v1.0.0/go.mod --
module example.com/c
-- example.com/c@v1.0.5/go.mod --
module example.com/c
-- example.com/c@v1.1.0/go.mod --
module example.com/c
-- example.com/c@v1.1.0/c.go --
package c
-- example.com/c@v1.2.0/go.mod --
module example.com/c
-- example.com/d@v0.3.0/go.mod --
module example.com/d
go 1.15
require (
	example.com/b v1.0.0
	example.com/e/v2 v2.0.1
)
-- example.com/e/v2@v2.0.1/go.mod --
module example.com/e/v2
go 1.12
require example.com/f v0.1.0
-- example.com/f@v0.1.0/go.mod --
module example.com/f
`

// proxy writes the modules as files of the proxy protocol, and returns the folder.
func proxy(t *testing.T) string {
	t.Helper()
	root, sources := t.TempDir(), t.TempDir()
	modules := map[module.Version]bool{}
	for _, f := range txtar.Parse([]byte(published)).Files {
		path, rest, _ := strings.Cut(f.Name, "@")
		version, name, _ := strings.Cut(rest, "/")
		m := module.Version{Path: path, Version: version}
		modules[m] = true
		write(t, filepath.Join(sources, m.String(), name), f.Data)
		if name == "go.mod" {
			write(t, filepath.Join(root, path, "@v", version+".mod"), f.Data)
			write(t, filepath.Join(root, path, "@v", version+".info"), []byte(`{"Version": "`+version+`"}`))
			list := filepath.Join(root, path, "@v", "list")
			known, _ := os.ReadFile(list) // none yet
			write(t, list, append(known, version+"\n"...))
		}
	}
	for m := range modules {
		var b bytes.Buffer
		expect.NoError(t, modzip.CreateFromDir(&b, m, filepath.Join(sources, m.String())))
		write(t, filepath.Join(root, m.Path, "@v", m.Version+".zip"), b.Bytes())
	}
	return root
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.NoError(t, os.WriteFile(path, text, 0o600))
}

// listAll returns the versions that the go command selects.
func listAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-mod=mod", "-m", "-f={{.Path}} {{.Version}}", "all")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok && version != "" {
			all[path] = version
		}
	}
	return all
}

// onlyProxy hides the go command, and sets an empty cache, which is returned, and a proxy with what is published.
func onlyProxy(t *testing.T) (folder, cache string) {
	t.Helper()
	folder, cache = proxy(t), t.TempDir()
	for name, value := range map[string]string{"PATH": "", "GOPROXY": "file://" + filepath.ToSlash(folder), "GOMODCACHE": cache,
		"GOFLAGS": "-modcacherw", "GOSUMDB": "off", "GOWORK": "off"} {
		t.Setenv(name, value)
	}
	return folder, cache
}

// TestWithoutGo gets modules where there is no go command, and compares what is selected with what that selects.
func TestWithoutGo(t *testing.T) {
	path, dir := os.Getenv("PATH"), t.TempDir()
	folder, _ := onlyProxy(t)
	f := kernelmodule.New(dir, nil)
	lines, err := f.Get(context.Background(), []string{"example.com/a/Sub", "example.com/d@v0.3.0"})
	if err != nil || !slices.Equal(lines, []string{"example.com/a v1.0.0", "example.com/d v0.3.0"}) {
		t.Fatalf("Get: %q, %v", lines, err)
	}
	t.Setenv("GOPROXY", "off")
	for path, want := range map[string]string{"example.com/a": "example.com/a@v1.0.0", "example.com/a/Sub": "example.com/a@v1.0.0"} {
		p, err := f.Package(context.Background(), path)
		if err != nil || p.Module != want || p.Language != "go1.21" || len(p.Texts) != 1 {
			t.Errorf("%s: %+v, %v", path, p, err)
		}
	}
	if _, err := f.Package(context.Background(), "example.com/c"); err == nil ||
		!strings.HasPrefix(err.Error(), "package \"example.com/c\": example.com/c@v1.1.0: it is not in the module cache, and GOPROXY") {
		t.Errorf("a package that is not there: %v", err)
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(folder))
	if p, err := f.Package(context.Background(), "example.com/c"); err != nil || p.Module != "example.com/c@v1.1.0" ||
		p.Language != "go1.16" {
		t.Errorf("a package of an indirect module: %+v, %v", p, err)
	}
	missing := (*kernelmodule.MissingError)(nil)
	if _, err := f.Package(context.Background(), "example.com/a/none"); !errors.As(err, &missing) {
		t.Errorf("a package that the module has not: %v", err)
	}
	if lines, err := f.Get(context.Background(), []string{"example.com/a@v1.3.0-beta"}); err != nil || !slices.Equal(lines,
		[]string{"example.com/a v1.3.0-beta; but cells have imported v1.0.0, until the kernel is restarted"}) {
		t.Errorf("another version: %q, %v", lines, err)
	}
	if _, err := f.Get(context.Background(), []string{"example.com/a@v1.0.0"}); err != nil {
		t.Error(err)
	}
	got := f.Selected(t, context.Background())
	t.Setenv("PATH", path)
	if want := listAll(t, dir); !maps.Equal(got, want) {
		t.Errorf("selected %v, the go command selects %v", got, want)
	}
	t.Setenv("PATH", "")

	sum := filepath.Join(dir, "go.sum")
	text, err := os.ReadFile(sum)
	expect.NoError(t, err)
	at := bytes.Index(text, []byte("example.com/c v1.1.0 h1:"))
	if at < 0 {
		t.Fatalf("go.sum: %s", text)
	}
	text[at+30] ^= 1
	expect.NoError(t, os.WriteFile(sum, text, 0o600))
	if _, err := kernelmodule.New(dir, nil).Package(context.Background(), "example.com/c"); err == nil ||
		!strings.Contains(err.Error(), "checksum of example.com/c v1.1.0: it is h1:") {
		t.Errorf("a checksum that differs: %v", err)
	}
}

// TestLinkedNote: a module of which packages are linked at another version is listed with a note.
func TestLinkedNote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := kernelmodule.New(dir, []string{"example.com/a/sub", "example.com/alike", "example.com/a"})
	f.SetLinkedVersion(func(string) string { return "v1.2.0" })
	for version, note := range map[string]string{
		"v1.1.0": "; but cells import sub, itself of v1.2.0, which is linked",
		"v1.2.0": "",
	} {
		write(t, filepath.Join(dir, "go.mod"), []byte("module notebook\nrequire (\nexample.com/a "+version+
			"\nexample.com/b v1.1.0\n)"))
		lines, err := f.Required()
		if err != nil || !slices.Equal(lines, []string{"example.com/a " + version + note, "example.com/b v1.1.0"}) {
			t.Errorf("%q, %v", lines, err)
		}
	}
}
