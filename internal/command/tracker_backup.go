package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/postgres/backup"
)

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE|FOLDER", Short: "Write the whole tracker to one file", Args: arguments(1, 1),
		Long: `Write all runs with everything that is stored of them, and their artifacts, to a new file. In a FOLDER the file is
named by the time. Programs may log meanwhile. The file gets its name when it is complete.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := args[0]
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				file = filepath.Join(file, time.Now().Format("spherelab-20060102-150405.tar"))
			}
			return a.withDatabase(cmd.Context(), func(t *postgres.Store) error {
				report, err := backup.Write(cmd.Context(), t, file)
				if err != nil {
					return err
				}
				fmt.Fprintln(a.stdout, file)
				fmt.Fprintf(a.stderr, "%s\n", backupText(report))
				if len(report.Foreign) > 0 {
					fmt.Fprintf(a.stderr, "not in it: tables of schema public that are not MLflow's, as far as this version "+
						"knows: %s\n", tableNames(report.Foreign))
				}
				if n := len(report.Elsewhere); n > 0 {
					fmt.Fprintf(a.stderr, "not in it: the artifacts of %s, which are not below %s\n", quantity.Count(n, "run"),
						t.ArtifactRoot())
				}
				if len(report.Late) > 0 {
					fmt.Fprintf(a.stderr, "not in it: the artifacts of runs that began or were resumed before the rows were "+
						"read: %s\n", tableNames(report.Late))
				}
				return nil
			})
		},
	}
}

func (a *app) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Read a backup into a new, empty tracker", Args: arguments(1, 1),
		Long: `Read a file of tracker backup into the tracker, which must be empty. Runs that were running become runs whose
program died, and can be resumed.`,
		Example: `  SPHERELAB_HOME=new spherelab tracker restore backup.tar`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := os.Stat(args[0]); errors.Is(err, fs.ErrNotExist) {
				return usageError{err}
			}
			return a.withDatabase(cmd.Context(), func(t *postgres.Store) error {
				report, err := backup.Restore(cmd.Context(), t, args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(a.stderr, "restored %s\n", backupText(report))
				if n := len(report.Elsewhere) + len(report.Late); n > 0 {
					fmt.Fprintf(a.stderr, "the file does not have the artifacts of %s\n", quantity.Count(n, "run"))
				}
				return nil
			})
		},
	}
}

// tableNames returns names of tables as text. Other programs chose them, so they are made safe for a terminal.
func tableNames(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%.63q", name)
	}
	return strings.Join(quoted, ", ")
}

func backupText(r backup.Report) string {
	text := fmt.Sprintf("%s, %s, %s, %s", quantity.Count(int(r.Runs), "run"), quantity.Count(int(r.Rows), "row"),
		quantity.Count(r.Files, "artifact"), megabytes(r.Bytes))
	if r.Interrupted > 0 {
		text += fmt.Sprintf("; %d running", r.Interrupted)
	}
	return text
}
