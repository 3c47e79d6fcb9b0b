// Package command has the commands of the program: flags, output, exit codes; one file per command.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/spelling"
	"github.com/spherelab/spherelab/internal/visible"
)

// Exit codes; scripts depend on them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// Run executes one command line, without the program's name, and returns the exit code of the process. env has the
// form of os.Environ.
func Run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: env, interrupts: newInterrupts(stderr)}
	return a.run(ctx, args)
}

// usageError is a mistake in how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run executes one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	ctx, stop := a.interrupts.start(ctx)
	defer stop()
	root := a.command()
	root.SetArgs(args)
	a.args = args
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitFailed // the reader of the output has closed it: `| head`
	}
	fmt.Fprintln(a.stderr, visible.Lines("spherelab: "+present.Error(err, present.Program())))
	var interrupted *experiments.InterruptedError
	var config *config.Error
	var usage usageError
	switch {
	case ctx.Err() != nil, errors.As(err, &interrupted):
		return exitInterrupted
	case errors.As(err, &config), errors.As(err, &usage):
		return exitUsage
	}
	return exitFailed
}

// help returns what the user types to see the help of a command. program is how this program is called.
func help(command *cobra.Command, program string) string {
	return "`" + program + strings.TrimPrefix(command.CommandPath(), "spherelab") + " --help`"
}

// app is the state that the commands share.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            []string
	interrupts     *interrupts

	args       []string // of the command line
	trackerURI string   // --tracker
	entryPoint string   // the command, without the program
	home       string   // --data-dir
	data       []string // --data
}

// command builds the tree of commands.
func (a *app) command() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "spherelab",
		Short: "Set retrieval on knowledge graphs with SpherE",
		Long: `spherelab trains SpherE, RotatE, Rotate3D, HousE, BoxE, TransE, DistMult, ComplEx and RESCAL on knowledge
graphs, combines trained models into stacks, evaluates them, logs every run to Postgres, and answers set queries.

Start with:  spherelab train            train and compare both models on the bundled graph
             spherelab doctor           check the environment`,
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.entryPoint = strings.TrimPrefix(cmd.CommandPath(), "spherelab ")
			return checkGroups(cmd)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			if version {
				_, err := fmt.Fprintln(a.stdout, versionLine(experiments.ReadEnvironment(cmd.Context())))
				return err
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version of the program")
	root.AddCommand(a.sweepCommand(), a.workerCommand())
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w%s; see %s", plainFlag(err), meantFlag(cmd, err), help(cmd, present.Program()))
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.trackerURI, "tracker", "",
		"where runs are logged: postgres://... or a server, https://... (default: $DATABASE_URL, else a private database)")
	flags.StringVar(&a.home, "data-dir", "",
		"folder for the private database, artifacts and data sets (default: $SPHERELAB_HOME, else the user's data folder)")
	root.AddCommand(a.trainCommand(), a.reproduceCommand(), a.stackCommand(), a.evalCommand(), a.judgeCommand(),
		a.queryCommand(), a.predictCommand(), a.explainCommand(), a.runsCommand(), a.tableCommand(),
		a.dataCommand(), a.uiCommand(), a.trackerCommand(), a.kernelCommand(), a.notebookCommand(),
		a.doctorCommand(), a.versionCommand(), a.licensesCommand())
	a.addCompletion(root)
	a.wrapHelp(root)
	return root
}

// meantFlag returns a suggestion for an unknown flag: a config key or the nearest flag, "" if there is none.
func meantFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	name := unknown.GetSpecifiedName()
	var flags []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, f.Name)
		}
	})
	asKey := func(name string) string {
		if key := config.KeyNamed(strings.ReplaceAll(name, "-", "_")); key != "" {
			return fmt.Sprintf("; did you mean --set %s=VALUE?", key)
		}
		return ""
	}
	candidates := flags
	if slices.Contains(flags, "set") {
		if exact := asKey(name); exact != "" {
			return exact
		}
		for _, key := range config.Keys() {
			candidates = append(candidates, key, key[strings.LastIndexByte(key, '.')+1:])
		}
	}
	near := spelling.Nearest(candidates, name, 1)
	switch {
	case len(near) == 0:
		return ""
	case slices.Contains(flags, near[0]):
		return "; did you mean --" + near[0] + "?"
	}
	return asKey(near[0])
}

// unknownCommand returns the error for an unknown command, with the nearest one and how to list all.
func unknownCommand(cmd *cobra.Command, name string) error {
	message := fmt.Sprintf("unknown command %q", strings.TrimPrefix(cmd.CommandPath()+" "+name, "spherelab "))
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		message += fmt.Sprintf("; did you mean %s? %s lists all", near[0], help(cmd, present.Program()))
		return usagef("%s", message)
	}
	return usagef("%s; %s lists all", message, help(cmd, present.Program()))
}

// arguments refuses a wrong number of arguments as a usage error.
func arguments(least, limit int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (limit < 0 || len(args) <= limit) {
			return nil
		}
		want := fmt.Sprint(least)
		switch {
		case limit < 0:
			want = fmt.Sprintf("at least %d", least)
		case least == 0:
			want = fmt.Sprintf("at most %d", limit)
		case least != limit:
			want = fmt.Sprintf("%d to %d", least, limit)
		}
		return usagef("%s: got %s, needs %s; usage: %s", strings.TrimPrefix(cmd.CommandPath(), "spherelab "),
			quantity.Count(len(args), "argument"), want, cmd.UseLine())
	}
}

// group returns a command that only has subcommands.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: func(cmd *cobra.Command,
		args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}}
	g.AddCommand(commands...)
	return g
}
