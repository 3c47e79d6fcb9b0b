package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) runsPurgeCommand() *cobra.Command {
	var older string
	var dry, yes bool
	cmd := &cobra.Command{
		Use: "purge [RUN...]", Short: "Remove deleted runs and their artifacts for good", Args: arguments(0, -1),
		Long: `Remove deleted runs for good: their rows in the database and their artifact folders. Without RUN these are all
deleted runs. Artifacts that are not below the tracker's artifact folder stay; the command names them. A purge that was
interrupted is continued by the next one.`,
		Example: `  spherelab runs purge --older-than 30d --dry-run
  spherelab runs purge --older-than 30d --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			age, err := parseAge(older)
			if err != nil {
				return usagef("--older-than must be a time such as 30d or 12h, not %q", older)
			}
			ctx := cmd.Context()
			return a.withDatabase(ctx, func(t *tracker.Tracker) error {
				var ids []string
				for _, ref := range args {
					run, err := a.noteSameName(t.FindDeletedRun(ctx, ref))
					if err != nil {
						return err
					}
					ids = append(ids, run.ID)
				}
				all, err := t.DeletedRuns(ctx, ids)
				if err != nil {
					return err
				}
				var list []tracker.Deleted
				var bytes int64
				for _, run := range all {
					if older == "" || !run.At.IsZero() && time.Since(run.At) >= age {
						list, bytes = append(list, run), bytes+run.Bytes
					}
				}
				if len(list) == 0 {
					fmt.Fprintln(a.stderr, "there is no deleted run to purge")
					return nil
				}
				if dry || !yes {
					for _, run := range list {
						fmt.Fprintf(a.stdout, "%s (%s), %s, %s\n", run.ID, visible.Line(run.Name), deletedSince(run.At),
							megabytes(run.Bytes))
					}
				}
				question := fmt.Sprintf("%s with %s of artifacts", countText(len(list), "run"), megabytes(bytes))
				if dry {
					fmt.Fprintf(a.stderr, "would be removed for good: %s\n", question)
					return nil
				}
				if !yes && !a.agrees("remove "+question+" for good?") {
					return usagef("nothing was removed; --yes removes without a question")
				}
				for _, run := range list {
					if err := t.Purge(ctx, run.ID); err != nil {
						return err
					}
					fmt.Fprintf(a.stdout, "purged %s (%s)\n", run.ID, visible.Line(run.Name))
					if run.Folder == "" {
						fmt.Fprintf(a.stderr, "its artifacts stay: %s is not below the place of this program's artifacts\n",
							visible.Line(run.URI))
					}
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&older, "older-than", "", "only runs that were deleted at least this long ago, for example 30d")
	f.BoolVar(&dry, "dry-run", false, "only list what would be removed")
	f.BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// parseAge is time.ParseDuration with days.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = strconv.ErrRange
	}
	return d, err
}

func deletedSince(at time.Time) string {
	if at.IsZero() {
		return "deleted at an unknown time"
	}
	return "deleted " + at.Local().Format("2006-01-02 15:04")
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// agrees asks the user, if there is one.
func (a *app) agrees(question string) bool {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (answer == "y" || answer == "yes")
}
