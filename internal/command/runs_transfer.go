package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) runsExportCommand() *cobra.Command {
	var out string
	var brief bool
	cmd := &cobra.Command{
		Use:   "export [RUN...]",
		Short: "Write finished runs to files",
		Long: `Write everything that was logged with each finished RUN, or with all of them, to a file of compressed lines of JSON:
config, every metric of every epoch, results per relation, environment and checkpoint digest. Checkpoints and the names
of this machine and its folders are not exported. The same run gives the same bytes. A folder gets one file for each
run; a file that is named by --out holds all of them. --brief leaves out the results per relation, of which runs with
fitted thresholds have thousands.`,
		Args: arguments(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.withTracker(ctx, func(t *tracker.Tracker) error {
				runs, err := a.findExported(ctx, t, args)
				if err != nil {
					return err
				}
				return a.export(ctx, t, runs, out, brief)
			})
		},
	}
	cmd.Flags().StringVar(&out, "out", ".", "`folder`, or one file that ends in "+results.ArchiveEnding)
	cmd.Flags().BoolVar(&brief, "brief", false, "leave out the results per relation")
	return cmd
}

// findExported returns the runs that are named, or all finished ones.
func (a *app) findExported(ctx context.Context, t *tracker.Tracker, refs []string) ([]tracker.RunInfo, error) {
	if len(refs) > 0 {
		return a.findRuns(ctx, t, refs)
	}
	runs, err := t.Runs(ctx, tracker.Filter{Status: tracker.Finished})
	if err == nil && len(runs) == 0 {
		err = hint.With(errors.New("there are no finished runs to export"), hint.Hint{Action: hint.TrainConfig})
	}
	return runs, err
}

// export writes runs into one file if out names one, otherwise each into a file of its own.
func (a *app) export(ctx context.Context, t *tracker.Tracker, runs []tracker.RunInfo, out string, brief bool) error {
	single := strings.HasSuffix(out, results.ArchiveEnding)
	var archives []*results.Archive
	for _, run := range runs {
		archive, err := results.ArchiveRun(ctx, t, run)
		if err != nil {
			return err
		}
		if brief {
			archive.Relations = nil
		}
		archives = append(archives, archive)
		if single {
			continue
		}
		file := filepath.Join(out, archive.FileName())
		if err := a.wrote(file, results.SaveArchive(archive, file)); err != nil {
			return err
		}
	}
	switch {
	case !single:
		return nil
	case len(archives) == 1:
		return a.wrote(out, results.SaveArchive(archives[0], out))
	}
	return a.wrote(out, results.SaveArchives(archives, out))
}

// wrote prints the name of a file, unless writing it failed.
func (a *app) wrote(file string, err error) error {
	if err == nil {
		fmt.Fprintln(a.stdout, file)
	}
	return err
}

func (a *app) runsImportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import [FILE|FOLDER...]",
		Short: "Store exported runs in the tracker; without a file, the embedded results",
		Long: `Store files of runs export in the tracker, under the runs' own ids and tagged as imported. A FOLDER stands for
every exported run in it. Without an argument these are the embedded results on data sets; those on generated graphs are
the file ` + results.PatternResults + `. A run that is stored already with the same contents is skipped; if the contents differ, nothing is
imported and the command fails.`,
		Args: arguments(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := results.OpenArchives(args...)
			if errors.Is(err, fs.ErrNotExist) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			if len(args) == 0 {
				if files, err = results.EmbeddedResults(); err != nil {
					return err
				}
				if len(files) == 0 {
					fmt.Fprintln(a.stderr, "there are no embedded results; name a file")
					return nil
				}
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				done, err := results.Import(cmd.Context(), t, files)
				for _, d := range done {
					if d.Skipped {
						fmt.Fprintf(a.stderr, "%s (%s) is in the tracker already; skipped\n", d.RunID, visible.Line(d.RunName))
					} else {
						fmt.Fprintf(a.stdout, "imported %s (%s)\n", d.RunID, visible.Line(d.RunName))
					}
				}
				return err
			})
		},
	}
}
