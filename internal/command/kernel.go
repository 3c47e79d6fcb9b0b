package command

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/kernel/kernelspec"
	"github.com/spherelab/spherelab/kernel/prelude"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) kernelCommand() *cobra.Command {
	return group("kernel", "Go in Jupyter, with everything linked in",
		a.kernelInstallCommand(), a.kernelUninstallCommand(), a.kernelRunCommand())
}

// addPlaceFlags adds the flags for the place of kernelspecs.
func addPlaceFlags(cmd *cobra.Command, place *kernelspec.Place) {
	f := cmd.Flags()
	f.Bool("user", false, "for this user (the default)")
	f.Var(&value[string]{&place.Prefix, "", "string", func(text string) (string, error) {
		if text == "" {
			return "", mustBe("a folder, for example /usr/local")
		}
		return text, nil
	}}, "prefix", "under an installation `PREFIX`, as PREFIX/share/jupyter")
	f.BoolVar(&place.SysPrefix, "sys-prefix", false, "in the active Python environment")
	markExclusive(cmd, "they name different places", "user", "prefix", "sys-prefix")
}

// addNameFlag adds the flag for a kernel's name.
func addNameFlag(cmd *cobra.Command, name *string, about string) {
	*name = kernelspec.Name
	cmd.Flags().Var(&value[string]{name, *name, "string", func(text string) (string, error) {
		return text, kernelspec.CheckName(text)
	}}, "name", about)
}

func (a *app) kernelInstallCommand() *cobra.Command {
	var place kernelspec.Place
	var name, displayName string
	var bare bool
	cmd := &cobra.Command{
		Use: "install", Short: "Make the kernel known to Jupyter", Args: arguments(0, 0),
		Long: `Make the kernel known to JupyterLab, Notebook, VS Code and nbconvert: write its kernelspec into one of Jupyter's folders.
With go run, the program is first copied into the data directory. If Jupyter knows no kernel gophernotes, the kernel is also
installed under that name, so that notebooks written for gophernotes open with it. The name of a kernel that another program
installed is refused.`,
		Example: `  spherelab kernel install
  spherelab kernel install --sys-prefix
  spherelab kernel install --name go-bare --display-name "Go, nothing imported" --no-prelude`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if strings.TrimSpace(displayName) == "" {
				return usagef("--display-name must not be empty; JupyterLab shows it")
			}
			return a.installKernel(cmd.Context(), place, name, displayName, bare)
		},
	}
	addPlaceFlags(cmd, &place)
	addNameFlag(cmd, &name, "name of the kernel, for programs")
	cmd.Flags().StringVar(&displayName, "display-name", kernelspec.DisplayName, "name of the kernel, for people")
	cmd.Flags().BoolVar(&bare, "no-prelude", false, "import nothing before the first cell")
	return cmd
}

func (a *app) installKernel(ctx context.Context, place kernelspec.Place, name, displayName string, bare bool) error {
	dataDir, err := place.Dir(ctx, a.lookup)
	if err != nil {
		return err
	}
	args := kernelspec.RunArgs()
	if a.home != "" {
		home, err := a.dataHome()
		if err != nil {
			return err
		}
		args = append(args, "--data-dir", home)
	}
	if a.trackerURI != "" {
		args = append(args, "--tracker", a.trackerURI)
	}
	if bare {
		args = append(args, "--no-prelude")
	}
	done, err := kernelspec.Installation{
		Env: a.lookup, DataDir: dataDir, Name: name, DisplayName: displayName, Args: args,
		KeepDir: func() (string, error) {
			home, err := a.dataHome()
			return filepath.Join(home, "bin"), err
		},
	}.Install()
	if done.Copy != "" {
		fmt.Fprintf(a.stdout, "copied the program to %s\n", done.Copy)
	}
	if done.Dir != "" {
		fmt.Fprintf(a.stdout, "installed kernel %s in %s\n", name, done.Dir)
	}
	var taken *kernelspec.TakenError
	switch {
	case errors.As(done.GophernotesErr, &taken):
		fmt.Fprintf(a.stdout, "kernel gophernotes in %s is unchanged; its notebooks continue to use it\n",
			taken.Dir)
	case done.GophernotesErr != nil:
		fmt.Fprintf(a.stdout, "not installed as gophernotes: %s\n", present.OneLine(done.GophernotesErr))
	case done.GophernotesDir != "":
		fmt.Fprintf(a.stdout, "also installed as gophernotes, for notebooks that name that kernel, in %s\n",
			done.GophernotesDir)
	}
	return err
}

func (a *app) kernelUninstallCommand() *cobra.Command {
	var place kernelspec.Place
	var name string
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Remove the kernelspecs that install wrote", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dataDir, err := place.Dir(cmd.Context(), a.lookup)
			if err != nil {
				return err
			}
			removed, err := kernelspec.Uninstall(dataDir, name)
			for _, r := range removed {
				fmt.Fprintf(a.stdout, "removed kernel %s from %s\n", r.Name, r.Dir)
			}
			return err
		},
	}
	addPlaceFlags(cmd, &place)
	addNameFlag(cmd, &name, "name of the kernel")
	return cmd
}

func (a *app) kernelRunCommand() *cobra.Command {
	var bare bool
	cmd := &cobra.Command{
		Use: "run CONNECTION_FILE", Short: "Run the kernel; Jupyter calls this", Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.interrupts.release() // the kernel handles interrupts itself
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
				Version:  experiments.Version(),
				Tracker: func(ctx context.Context) (*tracker.Tracker, error) {
					at, err := a.address()
					if err != nil {
						return nil, err
					}
					return a.openTracker(ctx, at, 0)
				},
			})
		},
	}
	cmd.Flags().BoolVar(&bare, "no-prelude", false,
		"import nothing before the first cell; SPHERELAB_PRELUDE=off does the same")
	return cmd
}

// examineKernel checks that Jupyter knows the kernel and can start it. Training does not need it.
func (a *app) examineKernel(ctx context.Context, add reporter) {
	var ours []kernelspec.Found
	for _, found := range kernelspec.List(kernelspec.SearchPath(a.lookup)) {
		if found.Err != nil {
			add("note", "kernel", "%s", present.OneLine(found.Err))
		} else if found.Spec.Ours() {
			ours = append(ours, found)
		}
	}
	if len(ours) == 0 {
		add("note", "kernel", "not installed; `%s kernel install` makes it known to Jupyter", present.Program())
	}
	for _, found := range ours {
		program, err := found.Program(ctx)
		if err != nil {
			add("note", "kernel", "%s in %s cannot start: %s; `%s kernel install` repairs it", found.Name, found.Dir,
				present.OneLine(err), present.Program())
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
