package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// shownRows is the default number of rows of a query with --format text.
const shownRows = 200

func (a *app) sqlCommand() *cobra.Command {
	var format, file string
	var limit int
	cmd := &cobra.Command{
		Use: "sql [QUERY | -]", Short: "Run a SQL query, read only, and print its result",
		Long: `Run a SQL query as a login that can only read, and print its result. The query is an argument, a file (--file), or
the standard input (-). It is one statement. docs/sql.md lists the views.`,
		Example: `  spherelab tracker sql "select * from run_wide"
  spherelab tracker sql --format csv "select run_id, epoch, loss from epoch order by run_id, epoch"
  spherelab tracker sql -f seeds.sql
  echo "select * from config" | spherelab tracker sql -`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("limit") && format != "text" {
				return usagef("flag --limit is for --format text; the other formats have all rows")
			}
			query, source, err := readQuery(args, file, a.stdin)
			if err != nil {
				return err
			}
			return a.withDatabase(cmd.Context(), func(t *postgres.Store) error {
				err := a.writeSQL(cmd.Context(), t, query, format, limit)
				if err != nil && source != "" {
					return fmt.Errorf("%s: %w", source, err)
				}
				return err
			})
		},
	}
	addFormatFlag(cmd, &format, nil)
	cmd.Flags().StringVarP(&file, "file", "f", "", "a file with the query; - for the standard input")
	cmd.Flags().Var(countValue(&limit, shownRows, 0), "limit", "rows shown with --format text; 0 for all")
	return cmd
}

// readQuery returns the query and the file that it was read from, "" for the command line.
func readQuery(args []string, file string, stdin io.Reader) (query, source string, err error) {
	switch {
	case len(args) == 1 && file != "":
		return "", "", usagef("the query is given twice: as an argument and in --file %s", file)
	case len(args) == 0 && file == "":
		return "", "", usagef("the query is missing: write it as an argument, in a file with --file, or on the standard input with -")
	case len(args) == 1 && args[0] != "-":
		query = args[0]
	case len(args) == 1 || file == "-":
		raw, err := io.ReadAll(stdin)
		if err != nil {
			return "", "", fmt.Errorf("reading the query from the standard input: %w", err)
		}
		query, source = string(raw), "standard input"
	default:
		raw, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return "", "", usagef("there is no file %s", file)
		}
		if err != nil {
			return "", "", fmt.Errorf("reading the query: %w", err)
		}
		query, source = string(raw), file
	}
	query = strings.TrimPrefix(query, "\ufeff") // as some editors write it
	if strings.TrimSpace(query) == "" {
		return "", "", usagef("the query is empty")
	}
	return query, source, nil
}

// writeSQL runs a query and writes its rows: in text the first limit rows, or all if limit is 0; in other formats all
// rows.
func (a *app) writeSQL(ctx context.Context, t *postgres.Store, query, format string, limit int) error {
	switch format {
	case "csv":
		return a.streamCSV(ctx, t, query)
	case "json":
		return a.streamJSON(ctx, t, query)
	}
	layout := time.RFC3339Nano
	if format == "text" {
		layout = time.DateTime
	} else {
		limit = 0
	}
	var table *tracker.Table
	rows := 0
	err := t.StreamSQL(ctx, query, func(columns *tracker.Table) error {
		table = columns
		return nil
	}, func(row []any) error {
		if rows++; limit == 0 || rows <= limit {
			table.Rows = append(table.Rows, slices.Clone(row))
		}
		return nil
	})
	if err != nil {
		return err
	}
	g := &results.Grid{Rows: table.Texts(layout)}
	for j, key := range table.Keys() {
		g.Columns = append(g.Columns, results.Column{Key: key, Heading: table.Columns[j], Right: table.Numeric(j)})
	}
	switch {
	case rows > len(table.Rows):
		g.AddNote("(the first %d of %d rows; %d are left out: --limit 0 shows all, --format csv and json have all)",
			len(table.Rows), rows, rows-len(table.Rows))
	case format == "text":
		g.AddNote("(%s)", quantity.Count(rows, "row"))
	}
	return a.writeGrid(g, format)
}

func (a *app) streamCSV(ctx context.Context, t *postgres.Store, query string) error {
	w := csv.NewWriter(present.CSV(a.stdout))
	var cells []string
	err := t.StreamSQL(ctx, query, func(columns *tracker.Table) error { return w.Write(columns.Keys()) },
		func(row []any) error {
			cells = tracker.Text(cells[:0], row, time.RFC3339Nano)
			return w.Write(cells)
		})
	w.Flush()
	return errors.Join(err, w.Error())
}

// streamJSON writes the same bytes as WriteJSON for the list of rows.
func (a *app) streamJSON(ctx context.Context, t *postgres.Store, query string) error {
	w := bufio.NewWriter(a.stdout)
	var keys []string
	rows := 0
	err := t.StreamSQL(ctx, query, func(columns *tracker.Table) error {
		keys = columns.Keys()
		_, err := w.WriteString("[")
		return err
	}, func(row []any) error {
		var b bytes.Buffer
		if err := results.WriteJSON(&b, tracker.Record(keys, row)); err != nil {
			return err
		}
		rows++
		return writeItem(w, b.String(), rows == 1)
	})
	if err != nil {
		return errors.Join(err, w.Flush())
	}
	end := "]\n"
	if rows > 0 {
		end = "\n]\n"
	}
	_, _ = w.WriteString(end) // Flush returns its error
	return w.Flush()
}

// writeItem writes a value of several lines as an item of an indented list.
func writeItem(w *bufio.Writer, text string, isFirst bool) error {
	separator := ",\n  "
	if isFirst {
		separator = "\n  "
	}
	_, err := w.WriteString(separator + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  "))
	return err
}
