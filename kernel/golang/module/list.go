package module

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Tags select, where a package has them, files in plain Go instead of assembly and without unsafe.
var tags = []string{"purego", "noasm", "appengine", "safe"}

// listed is a package as the go command describes it.
type listed struct {
	ImportPath, Dir string
	Standard        bool
	Module          *struct {
		Path, Version, Dir, GoVersion string
		Main                          bool
		Replace                       *struct{ Path, Version string }
	}
	Error *struct{ Pos, Err string }
}

// haveGo reports whether there is a go command.
func haveGo() bool {
	_, err := exec.LookPath("go")
	return err == nil
}

// find finds a package with all that it imports.
func (f *Folder) find(ctx context.Context, r *required, path string) error {
	if !haveGo() {
		return f.findWithout(ctx, r, path)
	}
	args := []string{"list", "-e", "-deps", "-json=ImportPath,Dir,Standard,Module,Error", "-tags=" + strings.Join(tags, ",")}
	if r.own {
		args = append(args, "-mod=mod") // it is ours to complete by what its modules need
	}
	out, err := f.run(ctx, r.own, append(args, "--", path)...)
	if err != nil {
		return err
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("what the go command lists: %w", err)
		}
		if !p.Standard {
			f.known[p.ImportPath] = f.place(r, &p)
		}
	}
}

// place reads where a package is. Errors in what is there are found again when it is read.
func (f *Folder) place(r *required, p *listed) found {
	switch {
	case p.Module != nil && p.Dir != "":
	case !r.provides(p.ImportPath):
		return found{err: f.missing(r, p.ImportPath)}
	case p.Error != nil:
		return found{err: errors.New(shorten(p.Error.Err))}
	default:
		return found{err: fmt.Errorf("package %q is in no module", p.ImportPath)}
	}
	at := found{dir: p.Dir, module: p.Module.Path, language: "go1.16"} // of a go.mod without a version
	if p.Module.GoVersion != "" {
		at.language = "go" + p.Module.GoVersion
	}
	local := p.Module.Main || p.Module.Replace != nil && p.Module.Replace.Version == ""
	switch {
	case local:
		at.shown = f.show(p.Dir)
		return at
	case p.Module.Replace != nil:
		at.module = p.Module.Replace.Path + "@" + p.Module.Replace.Version
	default:
		at.module += "@" + p.Module.Version
	}
	at.shown = at.module + strings.TrimPrefix(p.ImportPath, p.Module.Path)
	return at
}

// run runs the go command in the folder.
func (f *Folder) run(ctx context.Context, own bool, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "PWD="+f.dir)
	if own {
		cmd.Env = append(cmd.Env, "GOFLAGS=", "GOWORK=off")
	}
	if isOffline(ctx) {
		cmd.Env = append(cmd.Env, "GOPROXY=off")
	}
	cmd.WaitDelay = time.Second
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		text := shorten(messages.String())
		if text == "" {
			return nil, fmt.Errorf("go %s: %w", args[0], err)
		}
		return nil, errors.New(text)
	}
	return out.Bytes(), nil
}

// shorten leaves out of the go command's messages what it has downloaded.
func shorten(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); !strings.HasPrefix(line, "go: downloading ") {
			lines = append(lines, strings.TrimPrefix(line, "go: "))
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
