// Command release builds the program for all platforms and packs it: archives, Debian packages, wheels, recipes for
// Homebrew, conda and Nix, a list of what is linked (SBOM) and checksums. The same sources and toolchain make the same
// bytes. It runs in the folder _tool.
//
// goreleaser and nfpm would do the same. Neither resolves: modules that they need are not served. nfpm's package for
// .deb files alone links 40 modules, for what debian.go does.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// release is what is released.
type release struct {
	version, commit string
	ldflags         string
	python          string // builds wheels; "" builds none
	root, out       string
	time            time.Time // of every packed file
}

func main() {
	log.SetFlags(0)
	r := release{root: ".."}
	f := flag.CommandLine
	f.StringVar(&r.version, "version", "", "version of the sources")
	f.StringVar(&r.commit, "commit", "", "commit of the sources")
	f.StringVar(&r.ldflags, "ldflags", "", "what go build tells the linker")
	f.StringVar(&r.python, "python", "", "interpreter that builds wheels; without it there are none")
	f.StringVar(&r.out, "out", "../dist", "folder of the results")
	epoch := f.Int64("epoch", 0, "time of the commit, in seconds since 1970")
	platforms := f.String("platforms", "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64", "what is built")
	flag.Parse()
	r.time = time.Unix(*epoch, 0).UTC()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.run(ctx, strings.Fields(*platforms)); err != nil {
		log.Fatalf("release: %v", err)
	}
}

// run builds all platforms.
func (r release) run(ctx context.Context, platforms []string) error {
	if r.version == "" || len(platforms) == 0 {
		return fmt.Errorf("a version and a platform are needed")
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	r.out = out
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	var written []string
	for _, name := range platforms {
		system, machine, ok := strings.Cut(name, "/")
		if !ok {
			return fmt.Errorf("%q is not a platform such as linux/amd64", name)
		}
		files, err := r.build(ctx, system, machine)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		written = append(written, files...)
	}
	made, err := r.recipe()
	if err != nil {
		return err
	}
	return r.sum(append(written, made...))
}

// build builds and packs the program for a platform and returns the names of the files in the folder of results.
func (r release) build(ctx context.Context, system, machine string) ([]string, error) {
	start := time.Now()
	program := filepath.Join(r.out, "build", system+"-"+machine, "spherelab")
	if system == "windows" {
		program += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", r.ldflags, "-o", program, ".")
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	// The oldest machines of an architecture, whatever the environment says.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=",
		"GOEXPERIMENT=")
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	files, err := r.pack(program, system, machine)
	if err != nil {
		return nil, err
	}
	if r.python != "" {
		wheel, err := r.wheel(ctx, program)
		if err != nil {
			return nil, err
		}
		files = append(files, wheel)
	}
	log.Printf("%s/%s: %s, in %s", system, machine, strings.Join(files, ", "), time.Since(start).Round(time.Second))
	return files, nil
}

// pack writes the archive, the list of what is linked and, for Linux, the Debian package of a built program.
func (r release) pack(program, system, machine string) ([]string, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	content := []file{{name: filepath.Base(program), content: binary, mode: 0o755}}
	for name, from := range map[string]string{"LICENSE": "LICENSE", "NOTICE": "internal/license/notice.txt",
		"README.md": "README.md"} {
		text, err := os.ReadFile(filepath.Join(r.root, from))
		if err != nil {
			return nil, err
		}
		content = append(content, file{name: name, content: text, mode: 0o644})
	}
	slices.SortFunc(content, func(x, y file) int { return strings.Compare(x.name, y.name) })
	base := fmt.Sprintf("spherelab_%s_%s_%s", r.version, system, machine)
	write, end := writeTar, ".tar.gz"
	if system == "windows" {
		write, end = writeZip, ".zip"
	}
	var archive bytes.Buffer
	if err := write(&archive, base, content, r.time); err != nil {
		return nil, err
	}
	list, err := r.parts(program)
	if err != nil {
		return nil, err
	}
	results := []file{{name: base + end, content: archive.Bytes()}, {name: base + ".cdx.json", content: list}}
	if system == "linux" {
		var deb bytes.Buffer
		if err := r.writeDeb(&deb, machine, content); err != nil {
			return nil, err
		}
		results = append(results, file{name: fmt.Sprintf("spherelab_%s_%s.deb", debianVersion(r.version), machine),
			content: deb.Bytes()})
	}
	var names []string
	for _, f := range results {
		if err := os.WriteFile(filepath.Join(r.out, f.name), f.content, 0o644); err != nil {
			return nil, err
		}
		names = append(names, f.name)
	}
	return names, nil
}

// wheel builds the Python package and returns its name.
func (r release) wheel(ctx context.Context, program string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", filepath.Join(r.root, "_tool/python/wheel.sh"), r.python, program, r.version, r.out)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()))
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("wheel.sh: %w\n%s", err, said.Bytes())
	}
	return filepath.Base(strings.TrimSpace(string(out))), nil
}

// sum writes SHA256SUMS, which sha256sum --check reads.
func (r release) sum(names []string) error {
	slices.Sort(names)
	var b bytes.Buffer
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), b.Bytes(), 0o644)
}
