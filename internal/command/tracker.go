package command

import (
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/postgres"
)

func (a *app) trackerCommand() *cobra.Command {
	return group("tracker", "The database behind the runs", a.serveCommand(), a.sqlCommand(), a.psqlCommand(),
		a.urlCommand(), a.backupCommand(), a.restoreCommand(),
		&cobra.Command{
			Use: "migrate", Short: "Bring the database's tables and views up to date", Args: arguments(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				return a.withDatabase(cmd.Context(), func(t *postgres.Store) error {
					have, _, err := t.SchemaVersion(cmd.Context()) // opening the tracker has migrated it
					if err != nil {
						return err
					}
					_, err = fmt.Fprintf(a.stdout, "the database is up to date (schema version %d)\n", have)
					return err
				})
			},
		})
}

// timeToConnect is how long a private database stays up for a client that was given its address.
const timeToConnect = 5 * time.Minute

func (a *app) urlCommand() *cobra.Command {
	var owner bool
	cmd := &cobra.Command{
		Use: "url", Short: "Print the address of the database for other programs", Args: arguments(0, 0),
		Long: `Print the address of the database for other programs. Its login can only read; --owner prints the login that
can change everything.

A private database stays up for 5 minutes after this command, for as long as a client is connected, and for
30 seconds after the last one has left. This command starts it again, under the same address.`,
		Example: `  psql "$(spherelab tracker url)"
  mlflow ui --backend-store-uri "$(spherelab tracker url)"`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withDatabase(cmd.Context(), func(t *postgres.Store) error {
				where := t.URL()
				if !owner {
					var err error
					if where, err = t.ReaderURL(cmd.Context()); tracker.ErrorCode(err) == tracker.CodeNoReader {
						return fmt.Errorf("%w; --owner prints the owner's address", err)
					} else if err != nil {
						return err
					}
				}
				if err := t.Stay(timeToConnect); err != nil {
					return err
				}
				_, err := fmt.Fprintln(a.stdout, where)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&owner, "owner", false, "the address of the database's owner, who can change everything")
	return cmd
}

func (a *app) psqlCommand() *cobra.Command {
	return &cobra.Command{
		Use: "psql [-- ARGUMENTS]", Short: "Open psql on the database", Args: arguments(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withDatabase(cmd.Context(), func(t *postgres.Store) error {
				psql, err := pgprivate.FindProgram("psql")
				if err != nil {
					return fmt.Errorf("%w; on Debian and Ubuntu `apt-get install postgresql-client`, on macOS `brew install libpq`; "+
						"`%s tracker sql` works without psql", err, present.Program())
				}
				where, secret, err := postgres.SplitPassword(t.URL())
				if err != nil {
					return err
				}
				// The tracker stays open, so that a private server stays up while psql runs.
				c := exec.CommandContext(cmd.Context(), psql, append([]string{where}, args...)...)
				c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
				c.WaitDelay = 5 * time.Second
				c.Stdin, c.Stdout, c.Stderr = a.stdin, a.stdout, a.stderr
				c.Env = a.env
				if secret != "" {
					c.Env = append(slices.Clone(a.env), "PGPASSWORD="+secret)
				}
				defer a.interrupts.hold()() // Ctrl-C ends psql's query, not psql and not us
				if err := c.Run(); err != nil {
					return fmt.Errorf("psql: %w", err)
				}
				return nil
			})
		},
	}
}
