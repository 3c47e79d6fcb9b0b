package tracker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/spelling"
)

// ShortID returns the part of a run's id or of a digest that people see: its first eight characters.
func ShortID(id string) string { return id[:min(8, len(id))] }

// FindRun finds a run that is not deleted by its id, its name, a unique beginning of its id, or "last" (the newest that
// is not a group). If several runs have the name, it returns the newest, and SameName of the result counts the others.
// The error has CodeNotFound and suggests the nearest names, or CodeAmbiguous and lists the runs whose ids begin with
// the text.
func (t *Tracker) FindRun(ctx context.Context, ref string) (RunInfo, error) {
	return t.findRun(ctx, ref, false)
}

// FindDeletedRun is FindRun among the deleted runs.
func (t *Tracker) FindDeletedRun(ctx context.Context, ref string) (RunInfo, error) {
	return t.findRun(ctx, ref, true)
}

// FindRunWhere is FindRun for callers that need a certain kind of run. Of several runs of the same name it returns the
// newest that the first of wants accepts, otherwise the newest that the second accepts, and so on, otherwise the
// newest. With "last" it returns the newest run that any of them accepts. Passed of the result counts the newer runs
// that were passed over.
func (t *Tracker) FindRunWhere(ctx context.Context, ref string, wants ...func(RunInfo) bool) (RunInfo, error) {
	newest, err := t.FindRun(ctx, ref)
	if err != nil {
		return newest, err
	}
	f := Filter{Name: newest.Name, Groups: true}
	if strings.TrimSpace(ref) == "last" {
		f = Filter{}
		all := wants
		wants = []func(RunInfo) bool{func(r RunInfo) bool {
			return slices.ContainsFunc(all, func(want func(RunInfo) bool) bool { return want(r) })
		}}
	} else if newest.SameName == 0 {
		return newest, nil
	}
	if len(wants) == 0 || wants[0](newest) {
		return newest, nil
	}
	// Most runs are found among the first few: reading more is slow, since each comes with all its params and metrics.
	for f.Limit = 16; ; f.Limit *= 4 {
		list, err := t.Runs(ctx, f)
		if err != nil {
			return newest, err
		}
		isWhole := len(list) < f.Limit
		for i, want := range wants {
			at := slices.IndexFunc(list, want)
			if at >= 0 && (i == 0 || isWhole) {
				found := list[at]
				found.SameName, found.Passed = newest.SameName, at
				return found, nil
			}
		}
		if isWhole {
			return newest, nil
		}
	}
}

func (t *Tracker) findRun(ctx context.Context, ref string, deleted bool) (found RunInfo, err error) {
	err = t.retry(ctx, "looking for run "+ref, func(ctx context.Context) error {
		list, named, err := t.backend.Candidates(ctx, strings.TrimSpace(ref), deleted)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return t.notFound(ctx, ref, deleted)
		case len(list) > 1 && !named:
			return ambiguous(ref, list)
		}
		found, err = t.backend.Complete(ctx, list[0])
		found.SameName = len(list) - 1
		return err
	})
	return found, err
}

func ambiguous(ref string, rows []RunInfo) error {
	var list []string
	for i, r := range rows {
		if i == 8 {
			list = append(list, fmt.Sprintf("and %d more", len(rows)-i))
			break
		}
		start := r.Start.Format(time.DateTime)
		list = append(list, fmt.Sprintf("%s %s (%s, %s)", ShortID(r.ID), r.Name, r.Status, start))
	}
	return Errorf(CodeAmbiguous, nil, "%q may be any of %d runs: %s. Type more of the id",
		ref, len(rows), strings.Join(list, "; "))
}

func (t *Tracker) notFound(ctx context.Context, ref string, deleted bool) error {
	list, _, err := t.backend.Candidates(ctx, strings.TrimSpace(ref), !deleted)
	if err == nil && len(list) > 0 && ref != "last" {
		if !deleted {
			return Errorf(CodeNotFound, nil, "run %s (%s) is deleted", ref, list[0].Name).
				With(hint.Hint{Action: hint.RestoreRun, Subject: list[0].ID})
		}
		return Errorf(CodeNotFound, nil, "run %s (%s) is not deleted", ref, list[0].Name)
	}
	names, err := t.backend.Names(ctx, deleted)
	if err != nil {
		return err
	}
	return noSuchRun(ref, names, deleted)
}

// noSuchRun returns the error for a name or id that no run has, and suggests the nearest of names, which has the newest
// first.
func noSuchRun(ref string, names []RunName, deleted bool) error {
	if len(names) == 0 {
		if deleted {
			return Errorf(CodeNotFound, nil, "there are no deleted runs")
		}
		return Errorf(CodeNotFound, nil, "there are no runs yet").With(hint.Hint{Action: hint.TrainConfig})
	}
	message := fmt.Sprintf("there is no run %q", ref)
	if near := nearestRuns(names, ref); len(near) > 0 {
		message += "; nearest: " + strings.Join(near, ", ")
	}
	return Errorf(CodeNotFound, nil, "%s", message).With(hint.Hint{Action: hint.ListRuns})
}

// nearestRuns suggests the runs whose names, or whose ids cut to the length of ref, are nearest to ref, each once.
// names has the newest first.
func nearestRuns(names []RunName, ref string) (offers []string) {
	texts := map[string]string{}               // by name, and by as much of the id as ref is long
	for _, n := range slices.Backward(names) { // of the same name, the newest stays
		text := fmt.Sprintf("%s (%s)", n.Name, ShortID(n.ID))
		texts[n.Name], texts[n.ID[:min(len(ref), len(n.ID))]] = text, text
	}
	for _, word := range spelling.Nearest(slices.Sorted(maps.Keys(texts)), ref, 3) {
		if text := texts[word]; !slices.Contains(offers, text) {
			offers = append(offers, text)
		}
	}
	return offers
}
