package mlflow

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/form"
	"github.com/spherelab/spherelab/tracker/rest"
)

// info is a run as the server returns it.
func (m *remote) info(ctx context.Context, r rest.Run) (tracker.RunInfo, error) {
	experiment, err := m.experimentName(ctx, r.Info.Experiment)
	if err != nil {
		return tracker.RunInfo{}, err
	}
	out := tracker.RunInfo{ID: r.Info.ID, Name: r.Info.Name, Experiment: experiment, Status: r.Info.Status,
		User:  r.Info.User,
		Start: form.UnixTime((*int64)(r.Info.Start)), End: form.UnixTime((*int64)(r.Info.End)), ArtifactURI: r.Info.URI,
		Params: map[string]string{}, Tags: map[string]string{}, Metrics: map[string]float64{},
		Steps: map[string]int64{}, Deleted: r.Info.Stage == "deleted"}
	if r.Info.End != nil && *r.Info.End == 0 {
		out.End = time.Time{}
	}
	for _, p := range r.Data.Params {
		out.Params[p.Key] = p.Value
	}
	for _, t := range r.Data.Tags {
		out.Tags[t.Key] = t.Value
	}
	for _, x := range r.Data.Metrics {
		out.Metrics[x.Key], out.Steps[x.Key] = form.FromMLflow(float64(x.Value), false), int64(x.Step)
	}
	if isRemoteID(out.ID) {
		m.setURI(out.ID, out.ArtifactURI)
		out.KeepIn(m.folder(out.ID), false)
	}
	return out, nil
}

func (m *remote) experimentName(ctx context.Context, id string) (string, error) {
	m.mu.Lock()
	name, ok := m.names[id]
	m.mu.Unlock()
	if ok {
		return name, nil
	}
	if _, err := m.experiments(ctx); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names[id], nil
}

// experiments returns the ids of all experiments, including deleted ones, and remembers their names.
func (m *remote) experiments(ctx context.Context) ([]string, error) {
	all, err := m.c.Experiments(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(all))
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range all {
		ids[i] = e.ID
		m.names[e.ID] = e.Name
	}
	return ids, nil
}

// Runs returns the runs that pass a filter, newest first.
func (m *remote) Runs(ctx context.Context, f tracker.Filter) (out []tracker.RunInfo, err error) {
	err = m.each(ctx, f, func(info tracker.RunInfo) bool {
		out = append(out, info)
		return f.Limit == 0 || len(out) < f.Limit
	})
	if err != nil {
		return nil, serverFault(err)
	}
	return out, tracker.Wrap(serverFault(m.fill(ctx, out)), "reading the results of runs")
}

// each calls do for every run that passes the filter, newest first, until it returns false.
func (m *remote) each(ctx context.Context, f tracker.Filter, do func(tracker.RunInfo) bool) error {
	if f.IDs != nil {
		return m.eachByID(ctx, f, do)
	}
	ids, err := m.experiments(ctx)
	if err != nil || len(ids) == 0 {
		return err
	}
	if f.Experiment != "" {
		e, err := m.c.ExperimentByName(ctx, f.Experiment)
		if isMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		ids = []string{e.ID}
	}
	page := 0
	if f.Limit > 0 && f.Status == "" && f.Name == "" && len(f.Params)+len(f.Tags) == 0 {
		page = f.Limit + 1 // one of them may be a group
	}
	var failed error
	err = m.c.SearchRuns(ctx, rest.Search{Experiments: ids, Filter: searchFor(f), Deleted: f.Deleted, Page: page},
		func(r rest.Run) bool {
			info, err := m.info(ctx, r)
			if err != nil {
				failed = err
				return false
			}
			return !isMatch(f, info) || do(info)
		})
	return cmp.Or(failed, err)
}

func (m *remote) eachByID(ctx context.Context, f tracker.Filter, do func(tracker.RunInfo) bool) error {
	var list []tracker.RunInfo
	for _, id := range f.IDs {
		if !isRemoteID(id) {
			continue
		}
		r, err := m.c.Run(ctx, id)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return err
		}
		info, err := m.info(ctx, r)
		if err != nil {
			return err
		}
		if isMatch(f, info) && !slices.ContainsFunc(list, func(x tracker.RunInfo) bool { return x.ID == info.ID }) {
			list = append(list, info)
		}
	}
	slices.SortStableFunc(list, func(a, b tracker.RunInfo) int {
		return cmp.Or(b.Start.Compare(a.Start), strings.Compare(a.ID, b.ID))
	})
	for _, info := range list {
		if !do(info) {
			break
		}
	}
	return nil
}

// isMatch reports whether a run passes a filter.
func isMatch(f tracker.Filter, r tracker.RunInfo) bool {
	if r.Deleted != f.Deleted || f.Experiment != "" && r.Experiment != f.Experiment ||
		f.Status != "" && r.Status != string(f.Status) || f.Name != "" && r.Name != f.Name ||
		r.Tags[tracker.TagGroup] != "" && !f.WantsGroups() {
		return false
	}
	for key, value := range f.Params {
		if has, ok := r.Params[key]; !ok || has != value {
			return false
		}
	}
	for key, value := range f.Tags {
		if has, ok := r.Tags[key]; !ok || has != value {
			return false
		}
	}
	return true
}

// searchFor returns as much of a filter as MLflow's language can express: it has no escapes for quotes.
func searchFor(f tracker.Filter) string {
	var terms []string
	equal := func(what, value string) {
		if !strings.ContainsAny(value, `'"\`) {
			terms = append(terms, what+" = '"+value+"'")
		}
	}
	if f.Status != "" {
		equal("attributes.status", string(f.Status))
	}
	if f.Name != "" {
		equal("attributes.run_name", f.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(f.Params)) {
		if tracker.CheckKey("param", key) == nil {
			equal("params.`"+key+"`", f.Params[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.Tags)) {
		if tracker.CheckKey("tag", key) == nil {
			equal("tags.`"+key+"`", f.Tags[key])
		}
	}
	return strings.Join(terms, " AND ")
}

// Complete adds the results of evaluations to a run.
func (m *remote) Complete(ctx context.Context, run tracker.RunInfo) (tracker.RunInfo, error) {
	list := []tracker.RunInfo{run}
	err := tracker.Wrap(serverFault(m.fill(ctx, list)), "reading the results of run "+tracker.ShortID(run.ID))
	return list[0], err
}

// Names returns the ids and names of the newest runs.
func (m *remote) Names(ctx context.Context, deleted bool) (names []tracker.RunName, err error) {
	const maximum = 2000
	err = m.each(ctx, tracker.Filter{Deleted: deleted, Limit: maximum}, func(r tracker.RunInfo) bool {
		names = append(names, tracker.RunName{ID: r.ID, Name: r.Name})
		return len(names) < maximum
	})
	return names, serverFault(err)
}

// Candidates returns the runs that a reference may mean, without the results of evaluations.
func (m *remote) Candidates(ctx context.Context, ref string, deleted bool) (
	list []tracker.RunInfo, named bool, err error,
) {
	list, named, err = m.candidates(ctx, ref, deleted)
	return list, named, serverFault(err)
}

func (m *remote) candidates(ctx context.Context, ref string, deleted bool) (
	list []tracker.RunInfo, named bool, err error,
) {
	collect := func(f tracker.Filter, keep func(tracker.RunInfo) bool) error {
		f.Deleted = deleted
		return m.each(ctx, f, func(r tracker.RunInfo) bool {
			if keep(r) {
				list = append(list, r)
			}
			return f.Limit == 0 || len(list) < f.Limit
		})
	}
	all := func(tracker.RunInfo) bool { return true }
	if ref == "last" {
		return list, false, collect(tracker.Filter{Limit: 1}, all)
	}
	id := strings.ToLower(ref)
	if form.FullID.MatchString(id) {
		if err := collect(tracker.Filter{IDs: []string{id}}, all); err != nil || len(list) > 0 {
			return list, false, err
		}
	}
	if err := collect(tracker.Filter{Name: ref, Groups: true}, all); err != nil || len(list) > 0 {
		return list, true, err
	}
	if form.HexPattern.MatchString(id) {
		err := collect(tracker.Filter{Groups: true}, func(r tracker.RunInfo) bool {
			return strings.HasPrefix(r.ID,
				id)
		})
		return list, false, err
	}
	return nil, false, nil
}

// Points returns the values of one metric, or of all metrics for nil.
func (m *remote) Points(ctx context.Context, run string, key *string) (points []tracker.MetricPoint, err error) {
	keys := []string{}
	if key != nil {
		keys = append(keys, *key)
	} else if keys, err = m.Keys(ctx, run); err != nil {
		return nil, err
	}
	stored, err := m.readHistories(ctx, run, keys)
	if isMissing(err) { // as for a database, a missing run has no points
		return nil, nil
	}
	if err != nil {
		return nil, serverFault(err)
	}
	points = make([]tracker.MetricPoint, len(stored))
	for i, x := range stored {
		points[i] = tracker.MetricPoint{Key: x.Key, Point: tracker.Point{Step: int64(x.Step),
			Time: time.UnixMilli(int64(x.Time)).UTC(), Value: form.FromMLflow(float64(x.Value), false)}}
	}
	slices.SortStableFunc(points, func(a, b tracker.MetricPoint) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), a.Time.Compare(b.Time), strings.Compare(a.Key, b.Key),
			cmp.Compare(a.Value, b.Value))
	})
	return points, nil
}

// Keys returns the names of a run's metrics, sorted bytewise.
func (m *remote) Keys(ctx context.Context, run string) ([]string, error) {
	r, err := m.c.Run(ctx, run)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, serverFault(err)
	}
	var keys []string
	for _, x := range r.Data.Metrics {
		keys = append(keys, x.Key)
	}
	slices.Sort(keys)
	return keys, nil
}

// Results returns the results of a run's evaluations, of all keys.
func (m *remote) Results(ctx context.Context, run string, _ *string) ([]tracker.EvaluationResult, error) {
	list, err := m.results.read(ctx, m, run)
	return list, serverFault(err)
}

// Relations returns a run's results per relation.
func (m *remote) Relations(ctx context.Context, run string) ([]tracker.RelationResult, error) {
	list, err := m.relations.read(ctx, m, run)
	return list, serverFault(err)
}

// Resume marks a run RUNNING and returns what is stored of it. The server cannot say whether another machine writes it.
func (m *remote) Resume(ctx context.Context, run string, _ tracker.Claim, _ tracker.Place) (
	b tracker.Batch, err error,
) {
	stored, err := m.c.Run(ctx, run)
	if err != nil {
		return b, serverFault(err)
	}
	b.Params = map[string]string{}
	for _, p := range stored.Data.Params {
		b.Params[p.Key] = p.Value
	}
	var keys []string
	for _, x := range stored.Data.Metrics {
		keys = append(keys, x.Key)
	}
	points, err := m.readHistories(ctx, run, keys)
	if err != nil {
		return b, serverFault(err)
	}
	for _, p := range points { // the last of a key and step counts
		value, isNaN := form.ToMLflow(float64(p.Value))
		b.Metrics = append(b.Metrics, tracker.MetricRow{Key: p.Key, Value: value, IsNaN: isNaN,
			Timestamp: int64(p.Time),
			Step:      int64(p.Step)})
	}
	m.forget(run)
	if b.Relations, err = m.relations.readStored(ctx, m, run); err != nil {
		return b, serverFault(err)
	}
	if b.Results, err = m.results.readStored(ctx, m, run); err != nil {
		return b, serverFault(err)
	}
	return b, serverFault(m.c.UpdateRun(ctx, run, string(tracker.Running), 0))
}

// SetStage deletes or restores a run.
func (m *remote) SetStage(ctx context.Context, id string, deleted bool) error {
	to := "active"
	if deleted {
		to = "deleted"
	}
	r, err := m.c.Run(ctx, id)
	switch {
	case isMissing(err) || err == nil && r.Info.Stage == to:
		return tracker.Errorf(tracker.CodeNotFound, nil, "run %s cannot be changed: it is %s or does not exist", id, to)
	case err != nil:
	case deleted:
		err = m.c.DeleteRun(ctx, id)
	default:
		err = m.c.RestoreRun(ctx, id)
	}
	return serverFault(err)
}

// EndDead marks a run whose program died as FAILED, at the time of its last record, unless it has ended. A failure to
// do so does not mean that the server refuses the records.
func (m *remote) EndDead(ctx context.Context, id string, _ tracker.Claim, last int64) (tracker.Status, error) {
	status, err := m.endDead(ctx, id, last)
	err = serverFault(err)
	if f, ok := errors.AsType[*tracker.Fault](err); ok {
		f.Refused = false
	}
	return status, err
}

func (m *remote) endDead(ctx context.Context, id string, last int64) (tracker.Status, error) {
	r, err := m.c.Run(ctx, id)
	if err != nil {
		return "", err
	}
	if tracker.Status(r.Info.Status) != tracker.Running {
		return tracker.Status(r.Info.Status), nil
	}
	if r.Info.Start != nil {
		last = max(last, int64(*r.Info.Start))
	}
	return tracker.Failed, m.c.UpdateRun(ctx, id, string(tracker.Failed), last)
}
