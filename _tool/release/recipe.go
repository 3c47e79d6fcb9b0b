package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// recipes are templates for package managers that take the archives: Homebrew, conda, Nix.
//
//go:embed recipe
var recipes embed.FS

// archives fills the templates.
type archives struct {
	Version string
	folder  string
}

// CondaVersion is the version in conda's alphabet, which has no dash.
func (a archives) CondaVersion() string {
	return strings.NewReplacer("-", ".", "+", ".").Replace(a.Version)
}

func (a archives) name(system, machine string) string {
	return fmt.Sprintf("spherelab_%s_%s_%s.tar.gz", a.Version, system, machine)
}

// URL is where the release has an archive.
func (a archives) URL(system, machine string) string {
	return "https://github.com/spherelab/spherelab/releases/download/v" + a.Version + "/" + a.name(system, machine)
}

// Sum is the SHA-256 of an archive.
func (a archives) Sum(system, machine string) (string, error) {
	content, err := os.ReadFile(filepath.Join(a.folder, a.name(system, machine)))
	return fmt.Sprintf("%x", sha256.Sum256(content)), err
}

// recipe writes the recipes with the sums of the archives and returns their names. They name four archives; where one
// is missing there are none.
func (r release) recipe() ([]string, error) {
	a := archives{Version: r.version, folder: r.out}
	for _, p := range [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}} {
		if _, err := os.Stat(filepath.Join(r.out, a.name(p[0], p[1]))); err != nil {
			return nil, nil // a release of some platforms
		}
	}
	t, err := template.ParseFS(recipes, "recipe/*")
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(recipes, "recipe")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(r.out, "recipe"), 0o755); err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		var text bytes.Buffer
		if err := t.ExecuteTemplate(&text, e.Name(), a); err != nil {
			return nil, err
		}
		name := "recipe/" + e.Name()
		if err := os.WriteFile(filepath.Join(r.out, name), text.Bytes(), 0o644); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
