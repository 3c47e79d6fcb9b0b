package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/spherE/kg"
)

func (a *app) addDataFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&a.data, "data", nil, "`folder` that contains data set folders; may be repeated (the data directory's data folder is searched, too)")
}

// dataHomeSets is where `data get` puts data sets.
func (a *app) dataHomeSets() (string, error) {
	home, err := a.dataHome()
	return filepath.Join(home, "data"), err
}

// dataDirs are the folders in which graphs are searched by name.
func (a *app) dataDirs() ([]string, error) {
	own, err := a.dataHomeSets()
	return append(slices.Clone(a.data), own), err
}

func (a *app) dataCommand() *cobra.Command {
	return group("data", "Data sets: list, fetch, check", a.dataListCommand(), a.dataGetCommand(), a.dataCheckCommand())
}

func (a *app) dataListCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "ls", Short: "List the data sets that are here or can be fetched", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := experiments.CheckFormat(format, nil); err != nil {
				return err
			}
			dirs, err := a.dataDirs()
			if err != nil {
				return err
			}
			for _, dir := range a.data {
				if info, err := os.Stat(dir); err != nil {
					return usagef("--data %s cannot be listed: %w", dir, errors.Unwrap(err))
				} else if !info.IsDir() {
					return usagef("--data %s is a file; it must be a folder that contains data set folders", dir)
				}
			}
			g := &experiments.Grid{Columns: []experiments.Column{{Key: "name"}, {Key: "state"}, {Key: "megabytes", Heading: "MB", Right: true}, {Key: "path", Heading: "where"}}}
			add := func(cells ...string) { g.Rows = append(g.Rows, cells) }
			add(experiments.BundledName, "here", "", "in this program")
			here := map[string]bool{}
			for _, dir := range dirs {
				entries, err := dataset.Local(dir)
				if err != nil {
					return err
				}
				for _, e := range entries {
					state := "here"
					if e.Partial {
						state = "unfinished download"
					} else if missing := missingSplits(e.Path); len(missing) > 0 {
						state = "incomplete: no " + strings.Join(missing, ", no ")
					}
					here[e.Name] = here[e.Name] || state == "here"
					add(e.Name, state, fmt.Sprintf("%.1f", float64(e.Bytes)/1e6), e.Path)
				}
			}
			for _, set := range dataset.List() {
				if !here[set.Name] {
					add(set.Name, "can be fetched", "", set.Home)
				}
			}
			if format == "text" {
				g.Notes = []string{called("`spherelab data get NAME` fetches, `spherelab data check NAME` looks inside.", programName())}
			}
			return g.Write(a.stdout, format)
		},
	}
	addFormatFlag(cmd, &format, experiments.Formats)
	a.addDataFlag(cmd)
	return cmd
}

// missingSplits names the splits of which a graph's folder has no file in any format.
func missingSplits(dir string) []string {
	var missing []string
	for _, split := range kg.Splits() {
		there := false
		for _, ending := range []string{".txt", ".tsv", "2id.txt", ".nt"} {
			for _, packed := range []string{"", ".gz"} {
				info, err := os.Stat(filepath.Join(dir, split.String()+ending+packed))
				there = there || err == nil && info.Mode().IsRegular()
			}
		}
		if !there {
			missing = append(missing, split.String())
		}
	}
	return missing
}

func (a *app) dataGetCommand() *cobra.Command {
	var mirror string
	cmd := &cobra.Command{
		Use: "get NAME...", Short: "Fetch data sets from their public homes: " + strings.Join(dataset.Names(), ", "),
		Long: `Fetch data sets into the data directory, or into the first --data folder. Files are checked against their known
digests; an interrupted download goes on where it stopped.`,
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
				if _, err := dataset.Lookup(name); err != nil {
					return usageError{err}
				}
			}
			for _, name := range args {
				path, err := dataset.Get(cmd.Context(), name, dir, dataset.Options{BaseURL: mirror, Progress: a.transferProgress()})
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

// transferProgress reports downloads on standard error: in place on a terminal, else a line per file and some seconds.
func (a *app) transferProgress() func(file string, done, total int64) {
	width := terminalWidth(a.stderr)
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
	cmd := &cobra.Command{
		Use: "check NAME|DIR", Short: "Count a graph and look for leaks between its splits", Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, []string{"text", "json"}); err != nil {
				return err
			}
			dirs, err := a.dataDirs()
			if err != nil {
				return err
			}
			// A folder in the current one may be named without a separator.
			data := args[0]
			if data != experiments.BundledName && kg.IsGraph(data) {
				data = "./" + data
				if filepath.IsAbs(args[0]) {
					data = args[0]
				}
			}
			g, err := experiments.OpenGraph(data, dirs)
			if err != nil {
				return err
			}
			report := kg.Check(g)
			if format == "json" {
				return experiments.WriteJSON(a.stdout, report)
			}
			return writeCheck(a.stdout, report)
		},
	}
	addFormatFlag(cmd, &format, []string{"text", "json"})
	a.addDataFlag(cmd)
	return cmd
}

func writeCheck(w io.Writer, r kg.CheckReport) error {
	where := r.Source
	if where == "" {
		where = "in this program"
	}
	fmt.Fprintf(w, "%s (%s)\ndigest %s\n%d entities (%d with a label), %d relations\n\n", r.Graph, where, r.Digest, r.Entities, r.Labelled, r.Relations)
	right := func(keys ...string) []experiments.Column {
		columns := []experiments.Column{{Key: keys[0]}}
		for _, key := range keys[1:] {
			columns = append(columns, experiments.Column{Key: key, Right: true})
		}
		return columns
	}
	row := func(name string, numbers ...int) []string {
		cells := []string{name}
		for _, n := range numbers {
			cells = append(cells, fmt.Sprint(n))
		}
		return cells
	}
	splits := &experiments.Grid{Columns: right("split", "triples", "entities", "relations", "loops", "unseen entities", "unseen relations", "duplicates")}
	for _, s := range r.Splits {
		splits.Rows = append(splits.Rows, row(s.Split, s.Triples, s.Entities, s.Relations, s.Loops, s.UnseenEntities, s.UnseenRelations, s.DuplicateRemoved))
	}
	categories := &experiments.Grid{Columns: right("category", "relations", "train", "valid", "test")}
	for _, c := range r.Categories {
		categories.Rows = append(categories.Rows, row(c.Category, c.Relations, c.Train, c.Valid, c.Test))
	}
	degrees := &experiments.Grid{Columns: right("distribution", "mean", "median", "90 %", "99 %", "largest")}
	add := func(name string, d kg.Distribution) {
		degrees.Rows = append(degrees.Rows, []string{name, fmt.Sprintf("%.1f", d.Mean), fmt.Sprintf("%g", d.Median), fmt.Sprint(d.P90), fmt.Sprint(d.P99), fmt.Sprint(d.Max)})
	}
	add("degree in training", r.Degree)
	add("  as head", r.OutDegree)
	add("  as tail", r.InDegree)
	for _, s := range r.PerSide {
		add("answers per "+s.Side+" query, by test triple", s.PerTriple)
	}
	leaks := &experiments.Grid{Columns: right("given away by training", "triples", "same", "symmetric", "inverse", "near duplicate", "any reversed", "any parallel")}
	for _, l := range r.Leaks {
		leaks.Rows = append(leaks.Rows, row(l.Split, l.Triples, l.InTrain, l.Symmetric, l.Inverse, l.NearDuplicate, l.Reversed, l.Parallel))
	}
	for _, g := range []*experiments.Grid{splits, categories, degrees, leaks} {
		if err := g.Write(w, "text"); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	pairs := func(title string, list []kg.RelationPair) {
		for i, p := range list {
			if i == 0 {
				fmt.Fprintf(w, "%s (%d)\n", title, len(list))
			}
			if i == 20 {
				fmt.Fprintf(w, "  ... and %d more; --format json has all\n", len(list)-i)
				break
			}
			fmt.Fprintf(w, "  %s - %s: %d shared, %.0f %% and %.0f %%\n", p.First, p.Second, p.Shared, 100*p.FirstShare, 100*p.SecondShare)
		}
	}
	pairs("relations that are nearly inverses of one another, or symmetric", r.Inverses)
	pairs("relations that say nearly the same", r.NearDuplicates)
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	if len(r.Warnings) == 0 {
		fmt.Fprintln(w, "no warnings")
	}
	return nil
}
