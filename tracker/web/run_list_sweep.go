package web

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/tracker"
)

// maxUnfolded is the max number of runs of a sweep that are shown below its row.
const maxUnfolded = 1000

// foldedRow describes the sweep that the first run of a sweep represents in the table of runs.
type foldedRow struct {
	tracker.Fold
	Name    string // of the sweep
	Gone    bool   // the sweep was deleted
	Open    bool   // the other runs follow
	More    int    // runs that do not follow although it is open
	Address string // of the table with them, or without
}

// withRunRows returns the view with a row for each run.
func (v listView) withRunRows() listView {
	v.fold, v.open = false, nil
	return v
}

// withToggled returns the view with the runs of a sweep shown, or hidden again.
func (v listView) withToggled(parent string) listView {
	if at := slices.Index(v.open, parent); at >= 0 {
		v.open = slices.Delete(slices.Clone(v.open), at, at+1)
	} else {
		v.open = append(slices.Clone(v.open), parent)
	}
	return v
}

// withOpen returns the runs of a list and those of the sweeps that are open in the view.
func (s *site) withOpen(ctx context.Context, v listView, runs []tracker.RunInfo) ([]tracker.RunInfo, error) {
	if !v.fold {
		return runs, nil
	}
	out := slices.Clone(runs)
	for _, parent := range v.open[:min(len(v.open), rowsPerPage)] {
		all := v.withRunRows()
		all.within = parent
		parts, err := s.list(ctx, all, nil, 0, maxApartRuns)
		if err != nil {
			return nil, err
		}
		for _, part := range parts.Runs {
			if !slices.ContainsFunc(runs, func(run tracker.RunInfo) bool { return run.ID == part.ID }) {
				out = append(out, part)
			}
		}
	}
	return out, nil
}

// runRows returns the rows of the table: the runs of a list and, below each run that stands for an open sweep, its
// other runs.
func (s *site) runRows(ctx context.Context, v listView, list tracker.Listed, columns []string) ([]runRow, error) {
	var parents []string
	for _, run := range list.Runs {
		if f, of := list.Folds[run.ID]; of {
			parents = append(parents, f.Parent)
		}
	}
	names := map[string]string{}
	if len(parents) > 0 {
		runs, err := s.store.Runs(ctx, tracker.Filter{IDs: parents})
		if err != nil {
			return nil, err
		}
		for _, run := range runs {
			names[run.ID] = title(run)
		}
	}
	var rows []runRow
	for _, run := range list.Runs {
		row := s.runRow(run, columns)
		f, of := list.Folds[run.ID]
		if !of {
			rows = append(rows, row)
			continue
		}
		row.Fold = &foldedRow{Fold: f, Name: names[f.Parent], Open: slices.Contains(v.open, f.Parent),
			Address: "/" + v.withToggled(f.Parent).query()}
		if row.Fold.Name == "" {
			row.Fold.Name, row.Fold.Gone = "run "+tracker.ShortID(f.Parent), true
		}
		at := len(rows)
		rows = append(rows, row)
		if !row.Fold.Open {
			continue
		}
		all := v.withRunRows()
		all.within = f.Parent
		parts, err := s.list(ctx, all, append(slices.Clone(columns), stateColumn), 0, maxUnfolded)
		if err != nil {
			return nil, err
		}
		for _, part := range parts.Runs {
			if part.ID != run.ID {
				below := s.runRow(part, columns)
				below.Part = true
				rows = append(rows, below)
			}
		}
		rows[at].Fold.More = parts.All - len(parts.Runs)
	}
	return rows, nil
}
