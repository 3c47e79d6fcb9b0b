package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/kernel/kernelspec"
	"github.com/spherelab/spherelab/kernel/prelude"
	"github.com/spherelab/spherelab/tracker"
)

const (
	kernelName        = "spherelab"
	kernelDisplayName = "Go (spherelab)"
	// gophernotesName is what notebooks written for gophernotes ask for.
	gophernotesName = "gophernotes"
)

func (a *app) kernelCommand() *cobra.Command {
	return group("kernel", "Go in Jupyter, with everything linked in", a.kernelInstallCommand(), a.kernelUninstallCommand(), a.kernelRunCommand())
}

// kernelPlace is where kernelspecs go.
type kernelPlace struct {
	user, sysPrefix bool
	prefix          string
	given           func(flag string) bool // on the command line
}

func (p *kernelPlace) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&p.user, "user", false, "for this user (the default)")
	f.StringVar(&p.prefix, "prefix", "", "under an installation `PREFIX`, as PREFIX/share/jupyter")
	f.BoolVar(&p.sysPrefix, "sys-prefix", false, "in the active Python environment")
	p.given = f.Changed
}

// check refuses flags that contradict each other.
func (p *kernelPlace) check() error {
	var given []string
	for _, name := range []string{"user", "prefix", "sys-prefix"} {
		if p.given(name) {
			given = append(given, "--"+name)
		}
	}
	switch {
	case len(given) > 1:
		return usagef("%s name different places; give one of them", strings.Join(given, " and "))
	case p.given("prefix") && p.prefix == "":
		return usagef("--prefix needs a folder, for example /usr/local")
	}
	return nil
}

func (p *kernelPlace) dir(ctx context.Context, env kernelspec.Env) (string, error) {
	if err := p.check(); err != nil {
		return "", err
	}
	prefix := p.prefix
	if p.sysPrefix {
		var err error
		if prefix, err = kernelspec.SysPrefix(ctx, env); err != nil {
			return "", err
		}
	}
	if prefix != "" {
		return kernelspec.PrefixDir(prefix)
	}
	return kernelspec.UserDir(env)
}

func (a *app) kernelInstallCommand() *cobra.Command {
	var place kernelPlace
	var name, displayName string
	var bare bool
	cmd := &cobra.Command{
		Use: "install", Short: "Tell Jupyter of the kernel", Args: arguments(0, 0),
		Long: `Tell JupyterLab, Notebook, VS Code and nbconvert of the kernel: write its kernelspec into one of Jupyter's folders.
Run by go run, it first copies the program into the data directory. Where no kernel gophernotes is known, the kernel is also
installed under that name, so that notebooks written for gophernotes open with it. A name by which Jupyter knows somebody
else's kernel is refused.`,
		Example: `  spherelab kernel install
  spherelab kernel install --sys-prefix
  spherelab kernel install --name go-bare --display-name "Go, nothing imported" --no-prelude`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := kernelspec.CheckName(name); err != nil {
				return usageError{err}
			}
			if strings.TrimSpace(displayName) == "" {
				return usagef("--display-name must not be empty; JupyterLab shows it")
			}
			return a.installKernel(cmd.Context(), place, name, displayName, bare)
		},
	}
	place.addFlags(cmd)
	cmd.Flags().StringVar(&name, "name", kernelName, "name of the kernel, for programs")
	cmd.Flags().StringVar(&displayName, "display-name", kernelDisplayName, "name of the kernel, for people")
	cmd.Flags().BoolVar(&bare, "no-prelude", false, "import nothing before the first cell")
	return cmd
}

func (a *app) installKernel(ctx context.Context, place kernelPlace, name, displayName string, bare bool) error {
	dataDir, err := place.dir(ctx, a.lookup)
	if err != nil {
		return err
	}
	if err := kernelspec.CheckTaken(a.kernelDirs(dataDir), name); err != nil {
		return err
	}
	program, err := a.keptProgram()
	if err != nil {
		return err
	}
	logos, err := kernelspec.Logos()
	if err != nil {
		return err
	}
	argv := []string{program, "kernel", "run"}
	if a.home != "" {
		home, err := a.dataHome()
		if err != nil {
			return err
		}
		argv = append(argv, "--data-dir", home)
	}
	if a.trackerURI != "" {
		argv = append(argv, "--tracker", a.trackerURI)
	}
	if bare {
		argv = append(argv, "--no-prelude")
	}
	spec := kernelspec.Spec{Argv: append(argv, "{connection_file}"), DisplayName: displayName, Language: "go", InterruptMode: "message"}
	dir, err := kernelspec.Install(dataDir, name, spec, logos)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "installed kernel %s in %s\n", name, dir)
	if name != kernelName {
		return nil
	}
	return a.installAsGophernotes(dataDir, spec, logos)
}

// kernelDirs are the folders in which Jupyter looks for kernels, and dataDir.
func (a *app) kernelDirs(dataDir string) []string {
	dirs := kernelspec.SearchPath(a.lookup)
	if !slices.Contains(dirs, dataDir) {
		dirs = append(dirs, dataDir)
	}
	return dirs
}

// installAsGophernotes takes the name gophernotes unless a kernel of that name is there that is not ours.
func (a *app) installAsGophernotes(dataDir string, spec kernelspec.Spec, logos map[string][]byte) error {
	err := kernelspec.CheckTaken(a.kernelDirs(dataDir), gophernotesName)
	if taken := (*kernelspec.TakenError)(nil); errors.As(err, &taken) {
		fmt.Fprintf(a.stdout, "kernel gophernotes in %s is left as it is; its notebooks go on using it\n", taken.Dir)
		return nil
	} else if err != nil {
		fmt.Fprintf(a.stdout, "not installed as gophernotes: %s\n", oneLine(err))
		return nil
	}
	spec.Metadata = nil // of its own
	spec.DisplayName = "Go (gophernotes)"
	dir, err := kernelspec.Install(dataDir, gophernotesName, spec, logos)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "installed it also as gophernotes, for notebooks that ask for that, in %s\n", dir)
	return nil
}

// keptProgram is this program where it stays: `go run` builds it in a folder that is removed afterwards, so that one is copied.
func (a *app) keptProgram() (string, error) {
	program, err := os.Executable()
	if err != nil || !kernelspec.Passing(program) {
		return program, err
	}
	home, err := a.dataHome()
	if err != nil {
		return "", err
	}
	kept, err := kernelspec.Keep(program, filepath.Join(home, "bin"))
	if err == nil {
		fmt.Fprintf(a.stdout, "copied the program to %s\n", kept)
	}
	return kept, err
}

func (a *app) kernelUninstallCommand() *cobra.Command {
	var place kernelPlace
	var name string
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Remove the kernelspecs that install wrote", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := kernelspec.CheckName(name); err != nil {
				return usageError{err}
			}
			dataDir, err := place.dir(cmd.Context(), a.lookup)
			if err != nil {
				return err
			}
			return a.uninstallKernel(dataDir, name)
		},
	}
	place.addFlags(cmd)
	cmd.Flags().StringVar(&name, "name", kernelName, "name of the kernel")
	return cmd
}

func (a *app) uninstallKernel(dataDir, name string) error {
	names := []string{name}
	if name == kernelName {
		names = append(names, gophernotesName)
	}
	removed := 0
	for _, n := range names {
		dir, err := kernelspec.Uninstall(dataDir, n)
		var taken *kernelspec.TakenError
		switch {
		case errors.Is(err, fs.ErrNotExist), n != name && errors.As(err, &taken):
			continue
		case err != nil:
			return err
		}
		removed++
		fmt.Fprintf(a.stdout, "removed kernel %s from %s\n", n, dir)
	}
	if removed == 0 {
		return fmt.Errorf("there is no kernel %s in %s; `jupyter kernelspec list` shows all", name, filepath.Join(dataDir, "kernels"))
	}
	return nil
}

func (a *app) kernelRunCommand() *cobra.Command {
	var bare bool
	cmd := &cobra.Command{
		Use: "run CONNECTION_FILE", Short: "Be the kernel that Jupyter starts", Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.interrupts.release() // the kernel knows better what an interrupt means
			switch value := a.lookup("SPHERELAB_PRELUDE"); value {
			case "", "on":
			case "off":
				bare = true
			default:
				return usagef("environment variable SPHERELAB_PRELUDE: must be on or off, not %q", value)
			}
			dirs, err := a.dataDirs()
			if err != nil {
				return err
			}
			return prelude.Serve(context.WithoutCancel(cmd.Context()), args[0], prelude.Options{
				Bare:     bare,
				DataDirs: dirs,
				Version:  buildVersion(),
				Tracker: func(ctx context.Context) (*tracker.Tracker, error) {
					at, err := a.address()
					if err != nil {
						return nil, err
					}
					return a.openTracker(ctx, at)
				},
			})
		},
	}
	cmd.Flags().BoolVar(&bare, "no-prelude", false, "import nothing before the first cell; SPHERELAB_PRELUDE=off does the same")
	return cmd
}

// buildVersion is the version of this program without a look at the work tree, for which git would have to be run: a kernel should start at once.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// examineKernel looks whether Jupyter knows the kernel and can start it. Nothing of it is needed for training.
func (a *app) examineKernel(ctx context.Context, add reporter) {
	var ours []kernelspec.Found
	for _, found := range kernelspec.List(kernelspec.SearchPath(a.lookup)) {
		if found.Err != nil {
			add("note", "kernel", "%s", oneLine(found.Err))
		} else if found.Spec.Ours() {
			ours = append(ours, found)
		}
	}
	if len(ours) == 0 {
		add("note", "kernel", "not installed; `spherelab kernel install` tells Jupyter of it")
	}
	for _, found := range ours {
		program, err := found.Spec.Program()
		if err == nil && len(found.Spec.Argv) > 2 && found.Spec.Argv[1] == "kernel" {
			err = runsProgram(ctx, program)
		}
		if err != nil {
			add("note", "kernel", "%s in %s cannot start: %s; `spherelab kernel install` repairs it", found.Name, found.Dir, oneLine(err))
			continue
		}
		add("ok", "kernel", "%s in %s runs %s", found.Name, found.Dir, program)
	}
	if jupyter, err := exec.LookPath("jupyter"); err != nil {
		add("note", "jupyter", "not on PATH; notebooks need it: python3 -m pip install jupyterlab")
	} else {
		add("ok", "jupyter", "%s", jupyter)
	}
}

// runsProgram starts a kernel's program just to see that it does.
func runsProgram(ctx context.Context, program string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "kernel", "run", "--help").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s does not run: %w: %s", program, err, firstLine(string(out)))
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
