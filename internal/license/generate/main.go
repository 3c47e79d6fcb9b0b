// Command generate writes the licences of the program and of all modules that are linked into it on any platform that
// is released. A module without a licence is an error.
//
// usage: generate FILE
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// program is the package of the program.
const program = "github.com/spherelab/spherelab"

var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// licence matches the names of files that state a licence or what it asks to pass on.
var licence = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents)([.-]|$)`)

// chosen are files of modules whose licence is one of several.
var chosen = map[string]string{"github.com/golang/freetype": "licenses/ftl.txt"}

// listed is what is needed of one package of `go list -deps -json`.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct{ Path, Version, Dir string }
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: generate FILE")
	}
	text, err := notice()
	if err == nil {
		err = os.WriteFile(os.Args[1], text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// notice returns the whole text.
func notice() ([]byte, error) {
	groups, err := collect()
	if err != nil {
		return nil, err
	}
	root, err := goTool(nil, "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	own, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "spherelab\n\n%s\n\n", clean(own))
	b.WriteString("The program contains the Go standard library and the modules below, each above its licence.\n")
	for _, text := range slices.SortedFunc(maps.Keys(groups), func(x, y string) int {
		return cmp.Or(slices.Compare(groups[x], groups[y]), strings.Compare(x, y))
	}) {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("-", 80), strings.Join(groups[text], "\n"), text)
	}
	return b.Bytes(), nil
}

// collect returns the names of modules and their files by the text of a licence.
func collect() (map[string][]string, error) {
	files := map[string]string{} // what a file is of, by its path
	found := map[string]bool{}   // modules with a licence
	for _, platform := range platforms {
		packages, err := dependencies(platform)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Standard || p.Module.Version == "" {
				continue
			}
			name := p.Module.Path + " " + p.Module.Version
			found[name] = found[name] || false
			for dir := p.Dir; ; dir = filepath.Dir(dir) {
				entries, err := os.ReadDir(dir)
				if err != nil {
					return nil, err
				}
				for _, e := range entries {
					if e.Type().IsRegular() && licence.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
						files[filepath.Join(dir, e.Name())], found[name] = name, true
					}
				}
				if dir == p.Module.Dir {
					break
				}
			}
			if file := chosen[p.Module.Path]; file != "" {
				files[filepath.Join(p.Module.Dir, file)] = name
			}
		}
	}
	for name, has := range found {
		if !has {
			return nil, fmt.Errorf("%s has no file with a licence", name)
		}
	}
	goroot, err := goTool(nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		files[filepath.Join(strings.TrimSpace(string(goroot)), name)] = "Go standard library"
	}
	groups := map[string][]string{}
	for file, name := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if key := clean(text); !slices.Contains(groups[key], name) {
			groups[key] = append(groups[key], name)
			slices.Sort(groups[key])
		}
	}
	return groups, nil
}

// dependencies lists the packages of the program on a platform.
func dependencies(platform string) ([]listed, error) {
	system, machine, _ := strings.Cut(platform, "/")
	out, err := goTool([]string{"GOOS=" + system, "GOARCH=" + machine, "CGO_ENABLED=0"}, "list", "-deps",
		"-json=Dir,Standard,Module", program)
	if err != nil {
		return nil, err
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// clean returns a text with plain line ends and without blanks at the ends of lines.
func clean(text []byte) string {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

func goTool(env []string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}
