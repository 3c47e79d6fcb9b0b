package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/tracker"
)

// lookup is the value of an environment variable.
func (a *app) lookup(name string) string {
	for _, item := range a.env {
		if value, ok := strings.CutPrefix(item, name+"="); ok {
			return value
		}
	}
	return ""
}

// dataHome is the folder for everything the program keeps.
func (a *app) dataHome() (string, error) {
	dir := a.home
	if dir == "" {
		dir = a.lookup("SPHERELAB_HOME")
	}
	if dir == "" {
		if base := a.lookup("XDG_DATA_HOME"); filepath.IsAbs(base) {
			dir = filepath.Join(base, "spherelab")
		} else if home := a.lookup("HOME"); home != "" && runtime.GOOS == "darwin" {
			dir = filepath.Join(home, "Library", "Application Support", "spherelab")
		} else if home != "" {
			dir = filepath.Join(home, ".local", "share", "spherelab")
		}
	}
	if dir == "" {
		return "", errors.New("no folder to keep data in: neither HOME nor SPHERELAB_HOME is set; set SPHERELAB_HOME or give --data-dir")
	}
	return filepath.Abs(dir)
}

// address is where runs are logged, and who said so.
type address struct{ uri, origin string }

// configAddress is the tracker's address in a config.
func configAddress(c *experiments.Config) address {
	return address{c.Tracker.URI, c.Origin("tracker.uri").String()}
}

// address is the tracker's address for commands that have no config.
func (a *app) address() (address, error) {
	if a.trackerURI != "" {
		return address{a.trackerURI, "flag --tracker"}, nil
	}
	c, err := experiments.LoadConfig(experiments.Layers{Env: a.env})
	if err != nil {
		return address{}, err
	}
	return configAddress(c), nil
}

func (a *app) openTracker(ctx context.Context, at address) (*tracker.Tracker, error) {
	home, err := a.dataHome()
	if err != nil {
		return nil, err
	}
	t, err := tracker.Open(ctx, at.uri, tracker.Options{DataDir: home, ReaderURL: a.lookup("SPHERELAB_READER_URL"), Say: func(line string) { fmt.Fprintln(a.stderr, line) }})
	if err != nil {
		return nil, explainOpen(err, at, home)
	}
	return t, nil
}

// explainOpen adds to an error of opening the tracker what the user can change.
func explainOpen(err error, at address, home string) error {
	if probeErr := probeFolder(home); probeErr != nil {
		return unwritable(home, probeErr)
	}
	if at.uri == "" || errors.Is(err, context.Canceled) {
		return err
	}
	said := fmt.Errorf("%w; the address is from %s, without it the private database is used", err, at.origin)
	switch tracker.ErrorCode(err) {
	case tracker.CodeInvalid, tracker.CodeUnsupported:
		return usageError{said}
	case tracker.CodeUnavailable:
		return said
	}
	return err
}

// probeFolder reports why files cannot be made in a folder, which it makes if necessary.
func probeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func unwritable(home string, err error) error {
	return fmt.Errorf("data directory %s cannot be written (%w); set SPHERELAB_HOME or give --data-dir", home, err)
}

// findRun finds a run, and says which one it is where its name is that of several.
func (a *app) findRun(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo, error) {
	return a.noteSameName(t.FindRun(ctx, ref))
}

func (a *app) noteSameName(run tracker.RunInfo, err error) (tracker.RunInfo, error) {
	if err == nil && run.SameName > 0 {
		fmt.Fprintf(a.stderr, "note: %s is the name of %d runs; this is the newest, %s\n", run.Name, run.SameName+1, run.ID[:min(8, len(run.ID))])
	}
	return run, err
}

// closing closes c and keeps the first error.
func closing(err error, c interface{ Close() error }) error {
	if closeErr := c.Close(); err == nil {
		return closeErr
	}
	return err
}

// withTracker opens the tracker for one command.
func (a *app) withTracker(ctx context.Context, do func(*tracker.Tracker) error) (err error) {
	at, err := a.address()
	if err != nil {
		return err
	}
	t, err := a.openTracker(ctx, at)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, t) }()
	return do(t)
}

func (a *app) trackerCommand() *cobra.Command {
	return group("tracker", "The database behind the runs", a.sqlCommand(), a.psqlCommand(),
		&cobra.Command{
			Use: "url", Short: "Print the address of the database", Args: arguments(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
					_, err := fmt.Fprintln(a.stdout, t.URL())
					return err
				})
			},
		},
		&cobra.Command{
			Use: "migrate", Short: "Bring the database's tables and views up to date", Args: arguments(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error {
				return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
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

func (a *app) sqlCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "sql QUERY", Short: "Run a SQL query, read only, and print its result",
		Example: `  spherelab tracker sql "select * from run_wide"
  spherelab tracker sql --format csv "select run_id, epoch, loss from epoch order by run_id, epoch"`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, nil); err != nil {
				return err
			}
			if strings.TrimSpace(args[0]) == "" {
				return usagef("the query is empty")
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				return a.writeSQL(cmd.Context(), t, args[0], format)
			})
		},
	}
	addFormatFlag(cmd, &format, experiments.Formats)
	return cmd
}

// writeSQL runs a query and writes its rows.
func (a *app) writeSQL(ctx context.Context, t *tracker.Tracker, query, format string) error {
	result, err := t.SQL(ctx, query)
	if err != nil {
		return err
	}
	g := &experiments.Grid{}
	records := make([]orderedRecord, len(result.Rows))
	keys := uniqueNames(result.Columns)
	for j, name := range result.Columns {
		right := len(result.Rows) > 0
		for _, row := range result.Rows {
			switch row[j].(type) {
			case int64, float64, nil:
			default:
				right = false
			}
		}
		g.Columns = append(g.Columns, experiments.Column{Key: keys[j], Heading: name, Right: right})
	}
	for i, row := range result.Rows {
		cells := make([]string, len(row))
		for j, value := range row {
			cells[j] = sqlText(value, format)
		}
		g.Rows = append(g.Rows, cells)
		records[i] = orderedRecord{keys, row}
	}
	g.Records = records
	if format == "text" {
		g.Notes = []string{rowCount(len(g.Rows))}
	}
	return g.Write(a.stdout, format)
}

// uniqueNames makes columns of the same name tell apart as keys: a, a_2, a_3. A query may name two columns alike; a
// JSON object and most readers of CSV cannot.
func uniqueNames(names []string) []string {
	taken := map[string]bool{}
	for _, name := range names {
		taken[name] = true
	}
	seen := map[string]bool{}
	unique := make([]string, len(names))
	for i, name := range names {
		unique[i] = name
		for n := 2; seen[unique[i]] || n > 2 && taken[unique[i]]; n++ {
			unique[i] = fmt.Sprintf("%s_%d", name, n)
		}
		seen[unique[i]] = true
	}
	return unique
}

func rowCount(n int) string {
	if n == 1 {
		return "(1 row)"
	}
	return fmt.Sprintf("(%d rows)", n)
}

// sqlText shows a value of the database: NULL is empty, times are in UTC to the second for people.
func sqlText(value any, format string) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case time.Time:
		if format == "text" {
			return v.UTC().Format("2006-01-02 15:04:05")
		}
		return v.UTC().Format(time.RFC3339Nano)
	default:
		return fmt.Sprint(v)
	}
}

// orderedRecord is a row as a JSON object with the columns in the query's order.
type orderedRecord struct {
	columns []string
	values  []any
}

// MarshalJSON writes the object; a number that JSON cannot say is null.
func (r orderedRecord) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range r.columns {
		if i > 0 {
			b.WriteByte(',')
		}
		value := r.values[i]
		if raw, ok := value.([]byte); ok {
			value = string(raw)
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(value)
		if err != nil {
			raw = []byte("null")
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(raw)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

func (a *app) psqlCommand() *cobra.Command {
	return &cobra.Command{
		Use: "psql [-- ARGUMENTS]", Short: "Open psql on the database", Args: arguments(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				psql, err := findPSQL()
				if err != nil {
					return err
				}
				where, secret, err := withoutPassword(t.URL())
				if err != nil {
					return err
				}
				// The tracker stays open, so that a private server stays up while psql runs.
				c := exec.CommandContext(cmd.Context(), psql, append([]string{where}, args...)...)
				c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
				c.WaitDelay = 5 * time.Second
				c.Stdin, c.Stdout, c.Stderr = os.Stdin, a.stdout, a.stderr
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

// withoutPassword takes the passwords out of a database's address: what stands on a command line can be read by every
// user of the machine. A password for a client key is dropped; psql asks for it.
func withoutPassword(address string) (where, password string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", "", errors.New("the tracker's address is not a URL") // the parser's error has all of it
	}
	if u.User != nil {
		if p, ok := u.User.Password(); ok {
			password = p
			u.User = url.User(u.User.Username())
		}
	}
	q := u.Query()
	if p := q.Get("password"); p != "" {
		password = p
	}
	q.Del("password")
	q.Del("sslpassword")
	u.RawQuery = q.Encode()
	return u.String(), password, nil
}

// findPSQL looks on PATH and where Linux distributions and Homebrew keep PostgreSQL's programs.
func findPSQL() (string, error) {
	if path, err := exec.LookPath("psql"); err == nil {
		return path, nil
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/psql", "/opt/homebrew/opt/postgresql*/bin/psql", "/usr/local/opt/postgresql*/bin/psql"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	return "", errors.New("psql is not installed; on Debian and Ubuntu `apt-get install postgresql-client`, on macOS `brew install libpq`; `" + programName() + " tracker sql` needs no psql")
}
