package tracker

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/spelling"
)

// ShortID is how much of a run's id or of a digest is shown to people: its first eight characters.
func ShortID(id string) string { return id[:min(8, len(id))] }

// FindRun finds a run that is not deleted by its id, its name, a unique beginning of its id, or "last" (the newest that
// is no group). If several runs have the name, the newest is found, and SameName of the result counts the others. The
// error has CodeNotFound and offers the nearest names, or has CodeAmbiguous and lists the runs whose ids begin so.
func (t *Tracker) FindRun(ctx context.Context, ref string) (RunInfo, error) {
	return t.findRun(ctx, ref, false)
}

// FindDeletedRun is FindRun among the deleted runs.
func (t *Tracker) FindDeletedRun(ctx context.Context, ref string) (RunInfo, error) {
	return t.findRun(ctx, ref, true)
}

// FindRunWhere is FindRun for callers that need a run of some kind: of several runs of a name it finds the newest that
// the first of wants takes, else the newest that the second one takes, and so on; else the newest. With "last" it finds
// the newest run that any of them takes. Passed of the result counts the newer runs that were passed over.
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
	// Most runs are found among a few: each has all its params and metrics.
	for f.Limit = 16; ; f.Limit *= 4 {
		list, err := t.Runs(ctx, f)
		if err != nil {
			return newest, err
		}
		whole := len(list) < f.Limit
		for i, want := range wants {
			at := slices.IndexFunc(list, want)
			if at >= 0 && (i == 0 || whole) {
				found := list[at]
				found.SameName, found.Passed = newest.SameName, at
				return found, nil
			}
		}
		if whole {
			return newest, nil
		}
	}
}

var hexPattern = regexp.MustCompile(`^[0-9a-f]{1,32}$`)

func (t *Tracker) findRun(ctx context.Context, ref string, deleted bool) (RunInfo, error) {
	if t.remote != nil {
		return t.remote.find(ctx, ref, deleted)
	}
	stage := "active"
	if deleted {
		stage = "deleted"
	}
	var found RunInfo
	err := t.retry(ctx, "looking for run "+ref, func(ctx context.Context) error {
		rows, named, err := t.candidates(ctx, strings.TrimSpace(ref), stage)
		switch {
		case err != nil:
			return err
		case len(rows) == 0:
			return t.notFound(ctx, ref, stage)
		case len(rows) > 1 && !named:
			return ambiguous(ref, rows)
		}
		infos, err := t.complete(ctx, rows[:1])
		if err == nil {
			found = infos[0]
			found.SameName = len(rows) - 1
		}
		return err
	})
	return found, err
}

// candidates returns the runs that ref may mean, newest first, by the first rule that finds any: "last", the id, the
// name, the beginning of an id. named says that it was the name.
func (t *Tracker) candidates(ctx context.Context, ref, stage string) (rows []runRow, named bool, err error) {
	const active = " WHERE r.lifecycle_stage = $1"
	if ref == "last" {
		err := t.db.SelectContext(ctx, &rows, selectRuns+active+" AND "+notGroup+newestFirst+" LIMIT 1", stage)
		return rows, false, err
	}
	id := strings.ToLower(ref)
	err = t.db.SelectContext(ctx, &rows, selectRuns+active+" AND r.run_uuid = $2", stage, id)
	if err != nil || len(rows) > 0 {
		return rows, false, err
	}
	err = t.db.SelectContext(ctx, &rows, selectRuns+active+" AND r.name = $2"+newestFirst, stage, ref)
	if err != nil || len(rows) > 0 {
		return rows, true, err
	}
	if hexPattern.MatchString(id) {
		err := t.db.SelectContext(ctx, &rows, selectRuns+active+" AND r.run_uuid LIKE $2"+newestFirst, stage, id+"%")
		return rows, false, err
	}
	return nil, false, nil
}

func ambiguous(ref string, rows []runRow) error {
	var list []string
	for i, r := range rows {
		if i == 8 {
			list = append(list, fmt.Sprintf("and %d more", len(rows)-i))
			break
		}
		start := unixTime(r.Start).Format(time.DateTime)
		list = append(list, fmt.Sprintf("%s %s (%s, %s)", ShortID(r.ID), r.Name, r.Status, start))
	}
	return errorf(CodeAmbiguous, nil, "%q may be any of %d runs: %s. Give more of the id",
		ref, len(rows), strings.Join(list, "; "))
}

func (t *Tracker) notFound(ctx context.Context, ref, stage string) error {
	other := "deleted"
	if stage == "deleted" {
		other = "active"
	}
	if rows, _, err := t.candidates(ctx, strings.TrimSpace(ref), other); err == nil && len(rows) > 0 && ref != "last" {
		if other == "deleted" {
			return errorf(CodeNotFound, nil, "run %s (%s) is deleted", ref, rows[0].Name).
				with(hint.Hint{Action: hint.RestoreRun, Subject: rows[0].ID})
		}
		return errorf(CodeNotFound, nil, "run %s (%s) is not deleted", ref, rows[0].Name)
	}
	var names []namedRun
	err := t.db.SelectContext(ctx, &names, `SELECT run_uuid, coalesce(name, '') AS name FROM public.runs r
		WHERE lifecycle_stage = $1`+newestFirst+` LIMIT 2000`, stage)
	if err != nil {
		return err
	}
	return noSuchRun(ref, names, stage == "deleted")
}

// noSuchRun says that no run has the name or id, and offers the nearest of names, which has the newest first.
func noSuchRun(ref string, names []namedRun, deleted bool) error {
	if len(names) == 0 {
		if deleted {
			return errorf(CodeNotFound, nil, "there is no deleted run")
		}
		return errorf(CodeNotFound, nil, "there are no runs yet").with(hint.Hint{Action: hint.TrainConfig})
	}
	message := fmt.Sprintf("there is no run %q", ref)
	if near := nearestRuns(names, ref); len(near) > 0 {
		message += "; nearest: " + strings.Join(near, ", ")
	}
	return errorf(CodeNotFound, nil, "%s", message).with(hint.Hint{Action: hint.ListRuns})
}

// namedRun is what a run can be found by.
type namedRun struct {
	ID   string `db:"run_uuid"`
	Name string
}

// nearestRuns offers the runs whose names, or as much of whose ids as ref is long, are nearest to ref, each once. names
// has the newest first.
func nearestRuns(names []namedRun, ref string) (offers []string) {
	texts := map[string]string{}               // by name, and by as much of the id as ref is long
	for _, n := range slices.Backward(names) { // of one name, the newest stays
		text := fmt.Sprintf("%s (%s)", n.Name, ShortID(n.ID))
		texts[n.Name], texts[n.ID[:min(len(ref), len(n.ID))]] = text, text
	}
	for _, word := range spelling.Nearest(sortedKeys(texts), ref, 3) {
		if text := texts[word]; !slices.Contains(offers, text) {
			offers = append(offers, text)
		}
	}
	return offers
}
