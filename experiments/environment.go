package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/spherelab/spherelab/experiments/answer"
)

const modulePath = "github.com/spherelab/spherelab"

// version and commit are set by the linker (Makefile, Dockerfile), for programs that are built where git is not.
var version, commit string

// Version returns the version of the program: what the linker was told, that of the module, or "(devel)" for a build
// from a work tree.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && version == "" && info.Main.Path == modulePath {
		return cmp.Or(info.Main.Version, "(devel)")
	}
	return cmp.Or(version, "(devel)")
}

// Environment describes the program and the machine of a run. It does not affect any number.
type Environment struct {
	// GitHead is the commit of the sources, "" if unknown. It ends in "-dirty" if they were changed, and in
	// "-unchecked" if git did not report whether they were.
	GitHead       string
	BinaryVersion string // see Version
	GoVersion     string
	CPU           string // the processor's own name
	Cores         int    // that the Go runtime uses
	OS            string // for example "linux/amd64"
	Host          string
	EntryPoint    string // what started the run, for example the command; "" if unknown
	// Modules are go.mod and go.sum, by name, of the modules that the notebook imports; nil without.
	Modules map[string][]byte
}

// ReadEnvironment reads the build information, the git work tree around the current folder and the processor's name.
func ReadEnvironment(ctx context.Context) Environment {
	e := Environment{
		GoVersion: runtime.Version(), CPU: cpuModel(ctx), Cores: runtime.GOMAXPROCS(0),
		OS: runtime.GOOS + "/" + runtime.GOARCH, BinaryVersion: Version(),
		GitHead: commit,
	}
	e.Host, _ = os.Hostname()
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				e.GitHead = s.Value + e.GitHead
			case s.Key == "vcs.modified" && s.Value == "true":
				e.GitHead += "-dirty"
			}
		}
	}
	if e.GitHead == "" || e.GitHead == "-dirty" {
		e.GitHead = workTreeHead(ctx)
	}
	return e
}

// workTreeHead is the commit of the work tree around the current folder if that work tree is this project: `go run`
// does not stamp the commit into the binary.
func workTreeHead(ctx context.Context) string {
	root, ok := gitOutput(ctx, "rev-parse", "--show-toplevel")
	if !ok || root == "" {
		return ""
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(module), "module "+modulePath+"\n") {
		return ""
	}
	head, ok := gitOutput(ctx, "rev-parse", "HEAD")
	if !ok || head == "" {
		return ""
	}
	switch changes, ok := gitOutput(ctx, "status", "--porcelain", "--untracked-files=no"); {
	case !ok:
		head += "-unchecked"
	case changes != "":
		head += "-dirty"
	}
	return head
}

// gitOutput runs git and returns its trimmed output. ok is false for any failure: a run must not depend on git.
func gitOutput(ctx context.Context, args ...string) (out string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.WaitDelay = time.Second // git's file monitor may keep the output open
	raw, err := cmd.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) { // that error is only about the child
		return "", false
	}
	return strings.TrimSpace(string(raw)), true
}

// cpuModel returns the processor's name, or the architecture if the operating system does not report one.
func cpuModel(ctx context.Context) string {
	if runtime.GOOS == "darwin" {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		if out, err := exec.CommandContext(ctx, "sysctl", "-n", "machdep.cpu.brand_string").Output(); err == nil {
			return strings.TrimSpace(string(out))
		}
	}
	return colonField("/proc/cpuinfo", runtime.GOARCH, "model name", "Model", "cpu model")
}

// colonField returns the value of the first line "NAME : value" with one of the names, or fallback if there is none.
func colonField(file, fallback string, names ...string) string {
	raw, err := os.ReadFile(file)
	if err != nil {
		return fallback
	}
	for _, name := range names {
		for line := range strings.Lines(string(raw)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
				return strings.TrimSpace(value)
			}
		}
	}
	return fallback
}

// memory returns the program's resident size and its peak, in bytes; 0 if the system does not report it.
func memory() (now, peak float64) {
	bytes := func(name string) float64 {
		text, _, _ := strings.Cut(colonField("/proc/self/status", "", name), " kB")
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0
		}
		return n * 1024
	}
	return bytes("VmRSS"), bytes("VmHWM")
}

// largestModules bounds the text of a tag with modules.
const largestModules = 4000

// moduleVersions lists what a notebook's go.mod requires, without what only its modules need.
func moduleVersions(text []byte) string {
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil || text == nil {
		return ""
	}
	folders := map[string]string{}
	for _, q := range file.Replace {
		if q.New.Version == "" {
			folders[q.Old.Path] = q.New.Path
		}
	}
	var all []string
	for _, q := range file.Require {
		if folder := folders[q.Mod.Path]; folder != "" {
			all = append(all, q.Mod.Path+"="+folder)
		} else if !q.Indirect {
			all = append(all, q.Mod.String())
		}
	}
	if list := strings.Join(all, " "); len(list) <= largestModules {
		return list
	}
	return fmt.Sprintf("%d modules, listed in %s/go.mod among the artifacts", len(all), answer.ModulesFolder)
}
