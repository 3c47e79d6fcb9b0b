package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) runsRadiusCommand() *cobra.Command {
	var format, picture, save string
	var top int
	cmd := &cobra.Command{
		Use:   "radius RUN",
		Short: "Show the radii of a run's entities against how often they occur",
		Long: `Show the largest and the smallest spheres of RUN, the rank correlation of radius and occurrence, and the paper's figure:
the mean radius of the entities that occur equally often.

RUN needs its checkpoint, or is one of the embedded runs of the table radius. --chart draws the figure into a file;
--save writes what the table radius shows of a run, for experiments/results/radius.`,
		Example: `  spherelab runs radius last
  spherelab runs radius last --chart radius.svg
  spherelab runs radius last --top 30 --format csv`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := a.radii(cmd.Context(), args[0], top)
			if err != nil {
				return err
			}
			if save != "" {
				if err := saveRadii(r, save); err != nil {
					return err
				}
				fmt.Fprintln(a.stderr, save)
			}
			if picture != "" {
				if err := r.Chart().WriteFile(picture); err != nil {
					return err
				}
				fmt.Fprintln(a.stderr, picture)
			}
			if format == "text" && picture == "" {
				fmt.Fprintln(a.stdout, r.Chart().String())
			}
			return a.writeGrid(results.RadiusGrid(r, format), format)
		},
	}
	f := cmd.Flags()
	f.Var(countValue(&top, 10, 1), "top", "how many of the largest and of the smallest spheres; embedded runs have 10")
	f.StringVar(&picture, "chart", "", "draw the figure into this `file`: .svg, .pdf, .png or .txt")
	f.StringVar(&save, "save", "", "write the summary into this `file`, as JSON")
	addFormatFlag(cmd, &format, nil)
	a.addDataFlag(cmd)
	return cmd
}

// radii measures the radii of a run, or finds them among the embedded ones. It finds them by the run's checkpoint
// digest if the tracker has the run without its checkpoint, otherwise by the user's name for it.
func (a *app) radii(ctx context.Context, ref string, top int) (*answer.Radii, error) {
	list, err := results.EmbeddedRadii()
	if err != nil {
		return nil, err
	}
	var measured *answer.Radii
	stored := ""
	missing := !a.hasDatabase()
	if missing {
		err = hint.With(fmt.Errorf("no run %s: nothing is logged yet", ref), hint.Hint{Action: hint.TrainConfig})
	} else {
		err = a.withTracker(ctx, func(t *tracker.Tracker) error {
			info, err := a.findModel(ctx, t, ref)
			if err != nil {
				missing = tracker.ErrorCode(err) == tracker.CodeNotFound
				return err
			}
			stored = results.Read(info).Checkpoint
			dirs, err := a.dataDirs()
			if err != nil {
				return err
			}
			run, err := a.openRun(ctx, t, info.ID, dirs)
			if err != nil {
				return err
			}
			measured, err = run.Radii(top)
			return err
		})
	}
	if err == nil {
		return measured, nil
	}
	_, untrained := errors.AsType[*answer.NotTrainedError](err)
	if found := results.FindRadii(list, ref, stored); found != nil && (missing || untrained) {
		return found.Top(top), nil
	}
	return nil, err
}

func saveRadii(r *answer.Radii, file string) error {
	raw, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = atomicfile.Write(file, append(raw, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("cannot write the radii: %w", err)
	}
	return nil
}
