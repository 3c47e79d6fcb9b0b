package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
)

// shownDifferences is the max number of differences that are listed.
const shownDifferences = 10

func (a *app) runsVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify RUN [RUN|FILE]",
		Short: "Compare every number of a run with those of another one, bit by bit",
		Long: `Compare every number that a finished RUN has logged, and its checkpoint's digest, with those of a second RUN or of an
exported FILE; without one, with the embedded result that has the same config, seed and graph. Of a file of several runs
the one with these counts. Times, speeds and sizes (system/) are not compared, nor are results per relation where one of
the runs has none, as the runs of earlier versions. The command fails where anything differs.`,
		Example: `  spherelab train fb15k-237/sphere-2d
  spherelab runs verify last`,
		Args: arguments(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.withTracker(ctx, func(t *tracker.Tracker) error {
				info, err := a.findFinished(ctx, t, args[0])
				if err != nil {
					return err
				}
				run := results.Read(info)
				var other results.ArchiveFile // without an archive: another run of the tracker
				switch {
				case len(args) == 1:
					other, err = results.EmbeddedTwin(run)
				case strings.HasSuffix(args[1], results.ArchiveEnding):
					other, err = results.FileTwin(args[1], run)
				default:
					other.File = "this tracker"
					info, err = a.findFinished(ctx, t, args[1])
				}
				if err != nil {
					return err
				}
				if other.Archive != nil {
					info = other.Info
				}
				return a.verify(ctx, t, run, results.Read(info), other.File, other.Archive)
			})
		},
	}
}

// verify compares a run with a second one, which is in this tracker if archive is nil. It writes the result, and fails
// if the runs differ.
func (a *app) verify(ctx context.Context, t *tracker.Tracker, run, second results.Run, from string,
	archive *results.Archive) error {
	v, err := results.VerifyRun(ctx, t, run, second, archive)
	if err != nil {
		return err
	}
	if err := a.writeVerification(run, second, from, v); err != nil {
		return err
	}
	if n := len(v.Differences); n > 0 {
		return fmt.Errorf("the runs differ in %s", quantity.Count(n, "place"))
	}
	return nil
}

// writeVerification writes what was compared, with the lines wrapped to the terminal.
func (a *app) writeVerification(first, second results.Run, from string, v results.Verification) error {
	return a.writeAnswer(a.stdout, func(w io.Writer, _ int) error {
		fmt.Fprintf(w, "first:  %s (%s)\nsecond: %s (%s), from %s\n", first.Stored.ID,
			visible.Line(first.Stored.Name), second.Stored.ID, visible.Line(second.Stored.Name), visible.Line(from))
		fmt.Fprintf(w, "equal, bit for bit: %s; %d times, speeds and sizes of the first are not compared\n",
			quantity.Count(v.Equal, "number"), v.Times)
		for _, text := range v.Unlogged {
			fmt.Fprintln(w, "note: "+visible.Line(text))
		}
		n := len(v.Differences)
		for _, text := range v.Differences[:min(n, shownDifferences)] {
			fmt.Fprintln(w, "  "+visible.Line(text))
		}
		switch {
		case n > shownDifferences:
			fmt.Fprintf(w, "  ... and %d more\n", n-shownDifferences)
		case n == 0 && first.Checkpoint != "":
			fmt.Fprintf(w, "the same checkpoint digest: %s\n", first.Checkpoint)
		}
		return nil
	})
}
