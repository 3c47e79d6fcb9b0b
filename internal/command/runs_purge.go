package command

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// purgeFlags are the flags of runs purge.
type purgeFlags struct {
	age      time.Duration // 0: any
	dry, yes bool
}

func (a *app) runsPurgeCommand() *cobra.Command {
	var f purgeFlags
	cmd := &cobra.Command{
		Use: "purge [RUN...]", Short: "Remove deleted runs and their artifacts permanently", Args: arguments(0, -1),
		Long: `Remove deleted runs permanently: their rows in the database and their artifact folders. Without RUN these are all
deleted runs. Artifacts that are not below the tracker's artifact folder stay; the command names them. A purge that was
interrupted is continued by the next one.`,
		Example: `  spherelab runs purge --older-than 30d --dry-run
  spherelab runs purge --older-than 30d --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDatabase(cmd.Context(), func(t *postgres.Store) error {
				return a.purge(cmd.Context(), t, args, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.Var(ageValue(&f.age), "older-than", "only runs that were deleted at least this long ago, for example 30d")
	flags.BoolVar(&f.dry, "dry-run", false, "only list what would be removed")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

// purge removes deleted runs after asking the user.
func (a *app) purge(ctx context.Context, t *postgres.Store, refs []string, f purgeFlags) error {
	list, bytes, err := a.purgeable(ctx, t, refs, f.age)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(a.stderr, "there are no deleted runs to purge")
		return nil
	}
	if f.dry || !f.yes {
		for _, run := range list {
			fmt.Fprintf(a.stdout, "%s (%s), %s, %s\n", run.ID, visible.Line(run.Name), deletedSince(run.At),
				megabytes(run.Bytes))
		}
	}
	question := fmt.Sprintf("%s with %s of artifacts", quantity.Count(len(list), "run"), megabytes(bytes))
	if f.dry {
		fmt.Fprintf(a.stderr, "would be removed permanently: %s\n", question)
		return nil
	}
	if !f.yes && !a.confirm("remove "+question+" permanently?") {
		return usagef("nothing was removed; --yes removes without asking")
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
}

// purgeable returns the deleted runs of at least an age, all or the named ones, and the size of their artifacts.
func (a *app) purgeable(ctx context.Context, t *postgres.Store, refs []string, age time.Duration) (
	list []postgres.Deleted, bytes int64, err error,
) {
	var ids []string
	for _, ref := range refs {
		run, err := a.noteSameName(t.FindDeletedRun(ctx, ref))
		if err != nil {
			return nil, 0, err
		}
		ids = append(ids, run.ID)
	}
	all, err := t.DeletedRuns(ctx, ids)
	for _, run := range all {
		if age == 0 || !run.At.IsZero() && time.Since(run.At) >= age {
			list, bytes = append(list, run), bytes+run.Bytes
		}
	}
	return list, bytes, err
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

// confirm asks the user, if there is one, and reports whether the answer is yes.
func (a *app) confirm(question string) bool {
	if file, ok := a.stdin.(*os.File); !ok || !term.IsTerminal(int(file.Fd())) {
		return false
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (answer == "y" || answer == "yes")
}
