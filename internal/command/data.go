package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/spherE/kg"
)

func (a *app) addDataFlag(cmd *cobra.Command) { a.dataFlag(cmd.Flags()) }

func (a *app) dataFlag(flags interface {
	StringArrayVar(*[]string, string, []string, string)
}) {
	flags.StringArrayVar(&a.data, "data", nil,
		"`folder` that contains graphs, each a folder, which are searched in it by name; may be repeated"+
			" (the folder data of --data-dir is searched after it)")
}

// dataHomeSets returns the folder into which `data get` downloads.
func (a *app) dataHomeSets() (string, error) {
	home, err := a.dataHome()
	return filepath.Join(home, "data"), err
}

// dataDirs returns the folders in which graphs are searched by name.
func (a *app) dataDirs() ([]string, error) {
	for _, dir := range a.data {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return nil, usagef("--data %[2]s is a file; it must be a folder that contains data set folders"+
				" (`%[1]s train %[2]s` trains on a file of triples)", present.Program(), dir)
		}
	}
	own, err := a.dataHomeSets()
	return append(slices.Clone(a.data), own), err
}

func (a *app) dataCommand() *cobra.Command {
	return group("data", "Data sets: list, fetch, check", a.dataListCommand(), a.dataGetCommand(), a.dataCheckCommand(),
		a.dataSchemaCommand(), a.dataQueriesCommand())
}

func (a *app) dataListCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "ls", Short: "List the data sets that are here or can be fetched", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dirs, err := a.dataDirs()
			if err != nil {
				return err
			}
			for _, dir := range a.data {
				if _, err := os.Stat(dir); err != nil {
					return usagef("--data %s cannot be listed: %w", dir, errors.Unwrap(err))
				}
			}
			g, err := results.DataSetGrid(dirs)
			if err != nil {
				return err
			}
			if format == "text" {
				for _, row := range g.Rows { // shortened, so that addresses fit into 80 columns
					row[len(row)-1] = strings.TrimPrefix(row[len(row)-1], "https://")
				}
				g.AddNote("`%[1]s data get NAME` downloads a data set, `%[1]s data check NAME` checks it.",
					present.Program())
			}
			return a.writeGrid(g, format)
		},
	}
	addFormatFlag(cmd, &format, nil)
	a.addDataFlag(cmd)
	return cmd
}

func (a *app) dataGetCommand() *cobra.Command {
	var mirror string
	cmd := &cobra.Command{
		Use: "get NAME...", Short: "Fetch data sets and weights from their public homes: " +
			strings.Join(dataset.FetchedNames(), ", "),
		Long: `Fetch data sets, or the weights of models that need no training, into the data directory, or into the first --data folder. Files are checked against their known
digests; an interrupted download continues where it stopped.`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.dataHomeSets()
			if err != nil {
				return err
			}
			if len(a.data) > 0 {
				dir = a.data[0]
			}
			for _, name := range args {
				if _, err := dataset.FindFetched(name); err != nil {
					return usageError{err}
				}
			}
			for _, name := range args {
				if set, err := dataset.FindFetched(name); err == nil && len(set.Training) > 0 {
					fmt.Fprintln(a.stderr, set.Origin())
				}
				path, err := dataset.Get(cmd.Context(), name, dir,
					dataset.Options{BaseURL: mirror, Progress: a.transferProgress()})
				if err != nil {
					return err
				}
				fmt.Fprintln(a.stdout, path)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&mirror, "mirror", "", "`URL` to fetch from instead of the public homes, as URL/NAME/FILE")
	a.addDataFlag(cmd)
	return cmd
}

// transferProgress reports downloads on standard error: in place on a terminal, else one line per file every few
// seconds.
func (a *app) transferProgress() func(file string, done, total int64) {
	width := present.Width(a.stderr, a.lookup)
	var last time.Time
	lastFile := ""
	return func(file string, done, total int64) {
		finished := total >= 0 && done >= total
		interval := 5 * time.Second
		if width > 0 {
			interval = 100 * time.Millisecond
		}
		if file == lastFile && !finished && time.Since(last) < interval {
			return
		}
		lastFile, last = file, time.Now()
		text := fmt.Sprintf("%s  %.1f MB", file, float64(done)/1e6)
		if total > 0 {
			text += fmt.Sprintf(" of %.1f", float64(total)/1e6)
		}
		if width == 0 {
			fmt.Fprintln(a.stderr, text)
			return
		}
		end := ""
		if finished {
			end = "\n"
		}
		fmt.Fprintf(a.stderr, "\r%-*s%s", min(width-1, 60), text, end)
	}
}

func (a *app) dataCheckCommand() *cobra.Command {
	var format string
	var set []string
	var fileFlags func() []config.FlagValue
	cmd := &cobra.Command{
		Use: "check NAME|FOLDER|FILE", Short: "Count a graph and look for leaks between its splits",
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := a.dataDirs()
			if err != nil {
				return err
			}
			g, err := a.readDivided(args[0], dirs, set, fileFlags())
			if err != nil {
				return err
			}
			report := kg.Check(g)
			if format == "json" {
				return results.WriteJSON(a.stdout, report)
			}
			return results.WriteCheck(a.stdout, report, a.page())
		},
	}
	cmd.Flags().StringArrayVar(&set, "set", nil,
		"set a config key of the split of a file, `key=value`, as for train; may be repeated")
	fileFlags = addFileFlags(cmd)
	addFormatFlag(cmd, &format, textAndJSON)
	a.addDataFlag(cmd)
	return cmd
}

// readDivided reads a graph by its name or path; a file is divided as for its training.
func (a *app) readDivided(ref string, dirs, set []string, file []config.FlagValue) (*kg.Graph, error) {
	data, _ := config.FindGraph(ref, dirs)
	configs, err := config.LoadForGraph(config.Layers{Env: a.env, Set: set, Flags: file}, data, "")
	if err != nil {
		return nil, err
	}
	return configs[0].Config().Graph(dirs)
}

// addFileFlags adds the flags for reading the lines of a file of triples. values returns those that were set.
func addFileFlags(cmd *cobra.Command) (values func() []config.FlagValue) {
	flags := []string{"columns", "relation", "quotes"}
	f := cmd.Flags()
	f.String("columns", "", "what the columns of a file hold, as `WORDS` head,tail,relation (- leaves one out); or the"+
		" names or numbers of those of head, relation and tail")
	f.String("relation", "", "`NAME` of the relation of all lines, for a file of heads and tails alone")
	f.String("quotes", "", "whether fields of a file may be in double quotes: none or csv (default: csv between commas and"+
		" semicolons)")
	return func() (list []config.FlagValue) {
		for _, flag := range flags {
			if f.Changed(flag) {
				list = append(list, config.FlagValue{Flag: flag, Key: "file." + flag, Value: f.Lookup(flag).Value.String()})
			}
		}
		return list
	}
}
