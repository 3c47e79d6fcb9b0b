package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) runsExportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export [RUN...]",
		Short: "Write finished runs to files, one each",
		Long: `Write everything that was logged with each finished RUN, or with all of them, to a file of compressed lines of JSON:
config, every metric of every epoch, environment and checkpoint digest. Checkpoints stay where they are, and so do
the names of this machine and its folders. The same run gives the same bytes.`,
		Args: arguments(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			single := strings.HasSuffix(out, experiments.ArchiveEnding)
			if single && len(args) != 1 {
				return usagef("--out %s is one file, for one RUN; for several give a folder", out)
			}
			ctx := cmd.Context()
			return a.withTracker(ctx, func(t *tracker.Tracker) error {
				var runs []tracker.RunInfo
				for _, ref := range args {
					run, err := a.findRun(ctx, t, ref)
					if err != nil {
						return err
					}
					runs = append(runs, run)
				}
				if len(args) == 0 {
					var err error
					if runs, err = t.Runs(ctx, tracker.Filter{Status: tracker.Finished}); err != nil {
						return err
					}
					if len(runs) == 0 {
						return errors.New("there is no finished run to export; `spherelab train` makes some")
					}
				}
				for _, run := range runs {
					archive, err := experiments.ArchiveRun(ctx, t, run)
					if err != nil {
						return err
					}
					file := out
					if !single {
						file = filepath.Join(out, archive.FileName())
					}
					if err := experiments.SaveArchiveAs(archive, file); err != nil {
						return err
					}
					fmt.Fprintln(a.stdout, file)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&out, "out", ".", "`folder`, or for one run a file that ends in "+experiments.ArchiveEnding)
	return cmd
}

func (a *app) runsImportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import [FILE...]",
		Short: "Put exported runs into the tracker; without a file, the results inside the program",
		Long: `Put runs that runs export wrote into the tracker, under their own ids and tagged as imported. Without a FILE the
results inside the program are taken. A run that is there already with the same contents is skipped; one with other
contents is an error, and then nothing is imported.`,
		Args: arguments(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var files []experiments.ArchiveFile
			for _, name := range args {
				f, err := experiments.OpenArchive(name)
				if errors.Is(err, fs.ErrNotExist) {
					return usageError{err}
				}
				if err != nil {
					return err
				}
				files = append(files, f)
			}
			if len(args) == 0 {
				var err error
				if files, err = experiments.EmbeddedResults(); err != nil {
					return err
				}
				if len(files) == 0 {
					fmt.Fprintln(a.stderr, "there are no results inside this program; name a file")
					return nil
				}
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				done, err := experiments.Import(cmd.Context(), t, files)
				for _, d := range done {
					if d.Skipped {
						fmt.Fprintf(a.stderr, "%s (%s) is in the tracker already; skipped\n", d.RunID, d.RunName)
					} else {
						fmt.Fprintf(a.stdout, "imported %s (%s)\n", d.RunID, d.RunName)
					}
				}
				return err
			})
		},
	}
}
