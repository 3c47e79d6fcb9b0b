package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// packed packs this test's own program and returns the results by name.
func packed(t *testing.T, system string) (r release, results map[string][]byte) {
	t.Helper()
	own, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "spherelab")
	if err := os.WriteFile(program, own, 0o755); err != nil {
		t.Fatal(err)
	}
	r = release{version: "0.1.0-dev+0123456789ab", commit: "0123456789abcdef", root: "../..", out: t.TempDir(),
		time: time.Unix(1_800_000_000, 0).UTC()}
	names, err := r.pack(program, system, "amd64")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.sum(names); err != nil {
		t.Fatal(err)
	}
	results = map[string][]byte{}
	for _, name := range append(names, "SHA256SUMS") {
		if results[name], err = os.ReadFile(filepath.Join(r.out, name)); err != nil {
			t.Fatal(err)
		}
	}
	return r, results
}

const base = "spherelab_0.1.0-dev+0123456789ab_"

func TestArchiveAndChecksums(t *testing.T) {
	r, results := packed(t, "linux")
	z, err := gzip.NewReader(bytes.NewReader(results[base+"linux_amd64.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for reader := tar.NewReader(z); ; {
		h, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		names = append(names, name)
		if h.ModTime.Unix() != r.time.Unix() || (h.Mode == 0o755) != (name == "spherelab") {
			t.Errorf("%s: %v, mode %o", h.Name, h.ModTime, h.Mode)
		}
	}
	if want := []string{"LICENSE", "NOTICE", "README.md", "spherelab"}; !slices.Equal(names, want) {
		t.Errorf("the archive has %q, want %q", names, want)
	}
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = r.out
	if out, err := check.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 3 {
		t.Errorf("%v\n%s", err, out)
	}
	_, results = packed(t, "windows")
	archive := results[base+"windows_amd64.zip"]
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil || len(reader.File) != 4 {
		t.Errorf("the archive for Windows: %v", err)
	}
}

// TestSameBytes: the same program is packed as the same bytes, wherever it is.
func TestSameBytes(t *testing.T) {
	_, first := packed(t, "linux")
	_, second := packed(t, "linux")
	if len(first) != 4 {
		t.Errorf("%d results", len(first))
	}
	for name, content := range first {
		if !bytes.Equal(content, second[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestDebian: Debian's own program reads the package.
func TestDebian(t *testing.T) {
	program, err := exec.LookPath("dpkg-deb")
	if err != nil {
		const why = "no dpkg-deb here; on macOS `brew install dpkg` installs it, Debian has it"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip("skipped: " + why)
	}
	r, results := packed(t, "linux")
	const name = "spherelab_0.1.0~dev+0123456789ab_amd64.deb"
	if results[name] == nil {
		t.Fatal("no package")
	}
	out, err := exec.Command(program, "--field", filepath.Join(r.out, name), "Version", "Architecture").CombinedOutput()
	if err != nil || string(out) != "Version: 0.1.0~dev+0123456789ab\nArchitecture: amd64\n" {
		t.Errorf("%v\n%s", err, out)
	}
	unpacked := t.TempDir()
	if out, err = exec.Command(program, "--extract", filepath.Join(r.out, name), unpacked).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	own, _ := os.ReadFile(os.Args[0])
	got, err := os.ReadFile(filepath.Join(unpacked, "usr/bin/spherelab"))
	if err != nil || !bytes.Equal(got, own) {
		t.Errorf("the program is not what was packed: %d bytes, %v", len(got), err)
	}
	if info, err := os.Stat(filepath.Join(unpacked, "usr/bin/spherelab")); err != nil || info.Mode() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
	text, err := os.ReadFile(filepath.Join(unpacked, "usr/share/doc/spherelab/copyright"))
	if err != nil || !bytes.HasPrefix(text, []byte("spherelab\n\nMIT License")) {
		t.Errorf("the licences: %d bytes, %v", len(text), err)
	}
	control := t.TempDir()
	if out, err := exec.Command(program, "--control", filepath.Join(r.out, name), control).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sums := exec.Command("md5sum", "--check", "--strict", filepath.Join(control, "md5sums"))
	sums.Dir = unpacked
	if out, err := sums.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 3 {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestParts(t *testing.T) {
	_, results := packed(t, "linux")
	var list struct {
		BomFormat  string
		Metadata   struct{ Component component }
		Components []component
	}
	if err := json.Unmarshal(results[base+"linux_amd64.cdx.json"], &list); err != nil {
		t.Fatal(err)
	}
	own := list.Metadata.Component
	if list.BomFormat != "CycloneDX" || own.Version != "v0.1.0-dev+0123456789ab" ||
		!slices.Contains(own.Properties, property{"vcs:revision", "0123456789abcdef"}) {
		t.Errorf("%+v", list)
	}
	if len(list.Components) == 0 || list.Components[0].Name != "Go standard library" {
		t.Errorf("%+v", list.Components)
	}
}

func TestDebianVersion(t *testing.T) {
	for version, want := range map[string]string{"0.1.0": "0.1.0", "0.1.0-dev+ab": "0.1.0~dev+ab"} {
		if got := debianVersion(version); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}
