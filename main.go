// Command spherelab trains and evaluates SpherE and its relatives on knowledge graphs, logs every run to Postgres,
// answers set queries from trained models, and is a Jupyter kernel that has all of that linked in.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/spherelab/spherelab/experiments"
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

func main() {
	a := &app{stdout: os.Stdout, stderr: os.Stderr, env: os.Environ(), interrupts: newInterrupts(os.Stderr)}
	os.Exit(a.run(context.Background(), os.Args[1:]))
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
	fmt.Fprintln(a.stderr, visible.Lines("spherelab: "+withHints(err, programName())))
	var interrupted *experiments.InterruptedError
	var config *experiments.ConfigError
	var usage usageError
	switch {
	case ctx.Err() != nil, errors.As(err, &interrupted):
		return exitInterrupted
	case errors.As(err, &config), errors.As(err, &usage):
		return exitUsage
	}
	return exitFailed
}

// oneLine puts an error of several lines, such as joined errors, on one.
func oneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}

// help is what the user types to see the help of a command; program is how this program is called.
func help(command *cobra.Command, program string) string {
	return "`" + program + strings.TrimPrefix(command.CommandPath(), "spherelab") + " --help`"
}

// app is what the commands share.
type app struct {
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
		Long: `spherelab trains SpherE, RotatE, Rotate3D, HousE, BoxE, TransE, DistMult and ComplEx on knowledge graphs, combines trained
models into stacks, evaluates them, logs every run to Postgres, and answers set queries.

Start with:  spherelab train            train and compare both models on the bundled graph
             spherelab doctor           check the environment`,
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			a.entryPoint = strings.TrimPrefix(cmd.CommandPath(), "spherelab ")
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
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w%s; see %s", plainFlag(err), meantFlag(cmd, err), help(cmd, programName()))
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.trackerURI, "tracker", "",
		"where runs are logged: postgres://... or a server, https://... (default: $DATABASE_URL, else a private database)")
	flags.StringVar(&a.home, "data-dir", "",
		"folder for the private database, artifacts and data sets (default: $SPHERELAB_HOME, else the user's data folder)")
	root.AddCommand(a.trainCommand(), a.reproduceCommand(), a.stackCommand(), a.evalCommand(), a.queryCommand(),
		a.predictCommand(), a.explainCommand(), a.runsCommand(), a.tableCommand(),
		a.dataCommand(), a.uiCommand(), a.trackerCommand(), a.kernelCommand(), a.doctorCommand(), a.versionCommand())
	a.addCompletion(root)
	a.wrapHelp(root)
	return root
}

// flagKinds say what a flag takes, by the names of pflag.
var flagKinds = map[string]string{
	"float64":      "a number, as 0.8",
	"int":          "a whole number",
	"float64Slice": "numbers with commas between, as 0.5,0.8",
	"intSlice":     "whole numbers with commas between, as 1,10",
}

// plainFlag says what a flag takes where its value was not understood.
func plainFlag(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	kind, known := flagKinds[invalid.GetFlag().Value.Type()]
	if !known {
		return err
	}
	return fmt.Errorf("--%s must be %s, not %q", invalid.GetFlag().Name, kind, invalid.GetValue())
}

// meantFlag names what an unknown flag may have meant, "" for nothing: a key of the config, or the nearest flag.
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
	if slices.Contains(flags, "set") {
		if key := experiments.KeyNamed(strings.ReplaceAll(name, "-", "_")); key != "" {
			return fmt.Sprintf("; did you mean --set %s=VALUE?", key)
		}
	}
	if near := spelling.Nearest(flags, name, 1); len(near) > 0 {
		return "; did you mean --" + near[0] + "?"
	}
	return ""
}

// unknownCommand names the nearest command and where to see all.
func unknownCommand(cmd *cobra.Command, name string) error {
	message := fmt.Sprintf("unknown command %q", strings.TrimPrefix(cmd.CommandPath()+" "+name, "spherelab "))
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		message += fmt.Sprintf("; did you mean %s? %s lists all", near[0], help(cmd, programName()))
		return usagef("%s", message)
	}
	return usagef("%s; %s lists all", message, help(cmd, programName()))
}

// arguments refuses a wrong number of arguments as a mistake in usage; most < 0 means any number.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		want := fmt.Sprint(least)
		switch {
		case most < 0:
			want = fmt.Sprintf("at least %d", least)
		case least == 0:
			want = fmt.Sprintf("at most %d", most)
		case least != most:
			want = fmt.Sprintf("%d to %d", least, most)
		}
		return usagef("%s: got %s, needs %s; usage: %s", strings.TrimPrefix(cmd.CommandPath(), "spherelab "),
			countText(len(args), "argument"), want, cmd.UseLine())
	}
}

// group is a command that only has subcommands.
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

func countText(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
