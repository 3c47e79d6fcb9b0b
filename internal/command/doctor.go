package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// finding is one line of doctor.
type finding struct {
	Subject string `json:"subject"`
	State   string `json:"state"` // "ok", "note" or "fail"
	Text    string `json:"text"`
}

func (a *app) doctorCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the environment: program, database, data sets, kernel", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := a.examine(cmd.Context())
			failures := 0
			for _, f := range findings {
				if f.State == "fail" {
					failures++
				}
			}
			if format == "json" {
				if err := results.WriteJSON(a.stdout, findings); err != nil {
					return err
				}
			} else {
				for _, f := range findings {
					column := fmt.Sprintf("%-5s %-15s ", f.State, f.Subject)
					fmt.Fprintln(a.stdout, column+present.Below(f.Text, a.page().Width, len(column)))
				}
			}
			if failures > 0 {
				return fmt.Errorf("%s to fix before training can be logged", quantity.Count(failures, "problem"))
			}
			return nil
		},
	}
	addFormatFlag(cmd, &format, textAndJSON)
	a.addDataFlag(cmd)
	return cmd
}

// examine checks everything that a training needs.
func (a *app) examine(ctx context.Context) []finding {
	var list []finding
	add := func(state, subject, format string, args ...any) {
		list = append(list, finding{subject, state, fmt.Sprintf(format, args...)})
	}
	e := experiments.ReadEnvironment(ctx)
	head := e.GitHead
	if head == "" {
		head = "unknown commit"
	}
	add("ok", "program", "spherelab %s (%s), numerics version %d, %s", e.BinaryVersion, head, sphere.NumericsVersion,
		e.GoVersion)
	simd, err := sphere.SIMDPath()
	var roots string
	if err == nil {
		roots, err = sphere.Roots()
	}
	if err != nil {
		add("fail", "processor", "%s", present.OneLine(err))
	} else {
		add("ok", "processor", "%s, %d threads, %s, SIMD path %s, roots by %s", e.CPU, e.Cores, e.OS, simd, roots)
	}
	home, err := a.dataHome()
	if err != nil {
		add("fail", "data directory", "%s", present.OneLine(err))
		return list
	}
	a.examineHome(home, add)
	a.examineTracker(ctx, home, add)
	a.examineGraphs(add)
	a.examineKernel(ctx, add)
	if _, err := exec.LookPath("git"); err != nil {
		add("note", "git", "not found on PATH: runs from a work tree are logged without their commit")
	} else {
		add("ok", "git", "found")
	}
	return list
}

// reporter adds a finding to the list.
type reporter func(state, subject, format string, args ...any)

// examineHome checks that the data directory can be written and has room.
func (a *app) examineHome(home string, add reporter) {
	if err := probeFolder(home); err != nil {
		add("fail", "data directory", "%s cannot be written (%s); set SPHERELAB_HOME or give --data-dir", home,
			present.OneLine(err))
		return
	}
	add("ok", "data directory", "%s", home)
	free, err := freeBytes(home)
	if err != nil {
		add("note", "free disk", "unknown: %v", err)
		return
	}
	if free /= 1e9; free < 1 {
		add("note", "free disk", "%.1f GB; a large checkpoint needs about 1 GB", free)
	} else {
		add("ok", "free disk", "%.0f GB", free)
	}
}

// probeFolder returns an error if files cannot be created in a folder. It creates the folder if necessary.
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

// examineTracker connects to the database, which starts a private one.
func (a *app) examineTracker(ctx context.Context, home string, add reporter) {
	at, err := a.address()
	if err != nil {
		add("fail", "configuration", "%s", present.OneLine(err))
		return
	}
	if at.uri == "" {
		install, err := pgprivate.Find(ctx, 0)
		if err != nil {
			add("note", "postgres", "%s", present.Error(err, present.Program()))
		} else {
			add("ok", "postgres", "version %s in %s (%s)", install.Version, install.Bin, install.Source)
		}
	}
	options, err := open.Options(home, a.lookup)
	if err != nil {
		add("fail", "token", "%s", present.OneLine(err))
		return
	}
	options.RetryFor = time.Millisecond
	t, err := open.Tracker(ctx, at.uri, options)
	if err != nil {
		add("fail", "tracker", "%s", present.Error(withOrigin(err, at), present.Program()))
		return
	}
	runs, err := t.Runs(ctx, tracker.Filter{})
	if err = closeAnd(err, t); err != nil {
		add("fail", "tracker", "%s", present.OneLine(err))
		return
	}
	where := "the database of " + at.origin
	if t.Remote() {
		where = "the tracking server of " + at.origin
	}
	if at.uri == "" {
		where = "private database in " + postgres.ClusterDir(home)
	}
	add("ok", "tracker", "%s, %s", where, quantity.Count(len(runs), "run"))
}

// examineGraphs lists the data sets.
func (a *app) examineGraphs(add reporter) {
	names := []string{config.BundledName}
	dirs, err := a.dataDirs()
	if err != nil {
		add("fail", "data sets", "%s", present.OneLine(err))
		return
	}
	for _, dir := range dirs {
		sets, err := dataset.Local(dir)
		if err != nil {
			add("note", "data sets", "%s: %s", dir, present.OneLine(err))
			continue
		}
		for _, set := range sets {
			if !set.Partial {
				names = append(names, set.Name)
			}
		}
	}
	text := strings.Join(names, ", ")
	if len(names) == 1 {
		text += fmt.Sprintf("; `%s data get fb15k-237` fetches a benchmark graph into %s", present.Program(),
			dirs[len(dirs)-1])
	}
	add("ok", "data sets", "%s", text)
}
