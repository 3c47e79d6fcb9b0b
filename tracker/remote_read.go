package tracker

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker/rest"
)

// errNoRows says that what was asked for is not there, as a database says it.
var errNoRows = sql.ErrNoRows

// info is a run of the server.
func (m *remote) info(ctx context.Context, r rest.Run) (RunInfo, error) {
	experiment, err := m.experimentName(ctx, r.Info.Experiment)
	if err != nil {
		return RunInfo{}, err
	}
	out := RunInfo{ID: r.Info.ID, Name: r.Info.Name, Experiment: experiment, Status: r.Info.Status, User: r.Info.User,
		Start: unixTime((*int64)(r.Info.Start)), End: unixTime((*int64)(r.Info.End)), ArtifactURI: r.Info.URI,
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
		out.Metrics[x.Key], out.Steps[x.Key] = fromMLflow(float64(x.Value), false), int64(x.Step)
	}
	if isRemoteID(out.ID) {
		m.setURI(out.ID, out.ArtifactURI)
		out.folder = m.folder(out.ID)
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

// experiments returns the ids of all experiments, also deleted ones, and learns their names.
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

// runs is Runs for a tracking server.
func (m *remote) runs(ctx context.Context, f Filter) (out []RunInfo, err error) {
	err = m.t.retry(ctx, "reading runs", func(ctx context.Context) error {
		out = nil
		return m.each(ctx, f, func(info RunInfo) bool {
			out = append(out, info)
			return f.Limit == 0 || len(out) < f.Limit
		})
	})
	if err == nil {
		err = wrap(m.fill(ctx, out), "reading the results of runs")
	}
	return out, err
}

// each calls do for every run that passes the filter, newest first, until it returns false.
func (m *remote) each(ctx context.Context, f Filter, do func(RunInfo) bool) error {
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
		page = f.Limit + 1 // one may be a group
	}
	var failed error
	err = m.c.SearchRuns(ctx, rest.Search{Experiments: ids, Filter: searchFor(f), Deleted: f.Deleted, Page: page},
		func(r rest.Run) bool {
			info, err := m.info(ctx, r)
			if err != nil {
				failed = err
				return false
			}
			return !f.keeps(info) || do(info)
		})
	return cmp.Or(failed, err)
}

func (m *remote) eachByID(ctx context.Context, f Filter, do func(RunInfo) bool) error {
	var list []RunInfo
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
		if f.keeps(info) && !slices.ContainsFunc(list, func(x RunInfo) bool { return x.ID == info.ID }) {
			list = append(list, info)
		}
	}
	slices.SortStableFunc(list, func(a, b RunInfo) int {
		return cmp.Or(b.Start.Compare(a.Start), strings.Compare(a.ID, b.ID))
	})
	for _, info := range list {
		if !do(info) {
			break
		}
	}
	return nil
}

// keeps reports whether a run passes a filter.
func (f Filter) keeps(r RunInfo) bool {
	if r.Deleted != f.Deleted || f.Experiment != "" && r.Experiment != f.Experiment ||
		f.Status != "" && r.Status != string(f.Status) || f.Name != "" && r.Name != f.Name ||
		r.Tags[TagGroup] != "" && !f.wantsGroups() {
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

// searchFor writes a filter in MLflow's language, as far as that can say it: it has no escapes for quotes.
func searchFor(f Filter) string {
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
	for _, key := range sortedKeys(f.Params) {
		if checkKey("param", key) == nil {
			equal("params.`"+key+"`", f.Params[key])
		}
	}
	for _, key := range sortedKeys(f.Tags) {
		if checkKey("tag", key) == nil {
			equal("tags.`"+key+"`", f.Tags[key])
		}
	}
	return strings.Join(terms, " AND ")
}

// find is findRun for a tracking server.
func (m *remote) find(ctx context.Context, ref string, deleted bool) (found RunInfo, err error) {
	err = m.t.retry(ctx, "looking for run "+ref, func(ctx context.Context) error {
		list, named, err := m.candidates(ctx, strings.TrimSpace(ref), deleted)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return m.notFound(ctx, ref, deleted)
		case len(list) > 1 && !named:
			rows := make([]runRow, len(list))
			for i, r := range list {
				start := r.Start.UnixMilli()
				rows[i] = runRow{ID: r.ID, Name: r.Name, Status: r.Status, Start: &start}
			}
			return ambiguous(ref, rows)
		}
		found = list[0]
		found.SameName = len(list) - 1
		return nil
	})
	if err == nil {
		list := []RunInfo{found}
		err = wrap(m.fill(ctx, list), "reading the results of run "+ref)
		found = list[0]
	}
	return found, err
}

// candidates returns the runs that ref may mean, as candidates of a database does.
func (m *remote) candidates(ctx context.Context, ref string, deleted bool) (list []RunInfo, named bool, err error) {
	collect := func(f Filter, keep func(RunInfo) bool) error {
		f.Deleted = deleted
		return m.each(ctx, f, func(r RunInfo) bool {
			if keep(r) {
				list = append(list, r)
			}
			return f.Limit == 0 || len(list) < f.Limit
		})
	}
	all := func(RunInfo) bool { return true }
	if ref == "last" {
		return list, false, collect(Filter{Limit: 1}, all)
	}
	id := strings.ToLower(ref)
	if fullID.MatchString(id) {
		if err := collect(Filter{IDs: []string{id}}, all); err != nil || len(list) > 0 {
			return list, false, err
		}
	}
	if err := collect(Filter{Name: ref, Groups: true}, all); err != nil || len(list) > 0 {
		return list, true, err
	}
	if hexPattern.MatchString(id) {
		err := collect(Filter{Groups: true}, func(r RunInfo) bool { return strings.HasPrefix(r.ID, id) })
		return list, false, err
	}
	return nil, false, nil
}

func (m *remote) notFound(ctx context.Context, ref string, deleted bool) error {
	if list, _, err := m.candidates(ctx, strings.TrimSpace(ref), !deleted); err == nil && len(list) > 0 && ref != "last" {
		if !deleted {
			return errorf(CodeNotFound, nil, "run %s (%s) is deleted", ref, list[0].Name).
				with(hint.Hint{Action: hint.RestoreRun, Subject: list[0].ID})
		}
		return errorf(CodeNotFound, nil, "run %s (%s) is not deleted", ref, list[0].Name)
	}
	var names []namedRun
	const most = 2000
	err := m.each(ctx, Filter{Deleted: deleted, Limit: most}, func(r RunInfo) bool {
		names = append(names, namedRun{r.ID, r.Name})
		return len(names) < most
	})
	if err != nil {
		return err
	}
	return noSuchRun(ref, names, deleted)
}

// points is points for a tracking server; nil is every key.
func (m *remote) points(ctx context.Context, run string, key *string) (points []MetricPoint, err error) {
	err = m.t.retry(ctx, "reading the metrics of run "+run, func(ctx context.Context) error {
		keys := []string{}
		if key != nil {
			keys = append(keys, *key)
		} else if keys, err = m.keys(ctx, run); err != nil {
			return err
		}
		stored, err := m.histories(ctx, run, keys)
		if isMissing(err) { // as a database has no points of a run that is not there
			return nil
		}
		if err != nil {
			return err
		}
		points = make([]MetricPoint, len(stored))
		for i, x := range stored {
			points[i] = MetricPoint{x.Key, Point{int64(x.Step), time.UnixMilli(int64(x.Time)).UTC(),
				fromMLflow(float64(x.Value), false)}}
		}
		return nil
	})
	slices.SortStableFunc(points, func(a, b MetricPoint) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), a.Time.Compare(b.Time), strings.Compare(a.Key, b.Key),
			cmp.Compare(a.Value, b.Value))
	})
	return points, err
}

// keys are the names of a run's metrics, sorted bytewise.
func (m *remote) keys(ctx context.Context, run string) ([]string, error) {
	r, err := m.c.Run(ctx, run)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, x := range r.Data.Metrics {
		keys = append(keys, x.Key)
	}
	slices.Sort(keys)
	return keys, nil
}

// reload is reload for a tracking server, which cannot say whether another machine writes the run.
func (m *remote) reload(ctx context.Context, r *Run) error {
	stored, err := m.c.Run(ctx, r.id)
	if err != nil {
		return err
	}
	clear(r.params)
	for _, p := range stored.Data.Params {
		r.params[p.Key] = p.Value
	}
	var keys []string
	for _, x := range stored.Data.Metrics {
		keys = append(keys, x.Key)
	}
	points, err := m.histories(ctx, r.id, keys)
	if err != nil {
		return err
	}
	r.previous = map[string]map[int64]metricValue{}
	for _, p := range points {
		if r.previous[p.Key] == nil {
			r.previous[p.Key] = map[int64]metricValue{}
		}
		value, isNaN := toMLflow(float64(p.Value))
		r.previous[p.Key][int64(p.Step)] = metricValue{value, isNaN}
	}
	m.forget(r.id)
	relations, err := m.relations.stored(ctx, m, r.id)
	if err != nil {
		return err
	}
	results, err := m.results.stored(ctx, m, r.id)
	if err != nil {
		return err
	}
	clear(r.results)
	for _, result := range results {
		r.results[result.key()] = result
	}
	clear(r.relations)
	for _, result := range relations {
		r.relations[result.key()] = result
	}
	return m.c.UpdateRun(ctx, r.id, string(Running), 0)
}

// setStage deletes or restores a run.
func (m *remote) setStage(ctx context.Context, id, to string) error {
	doing := "changing run " + id
	return m.t.retry(ctx, doing, func(ctx context.Context) error {
		r, err := m.c.Run(ctx, id)
		if isMissing(err) || err == nil && r.Info.Stage == to {
			return errorf(CodeNotFound, nil, "there is no such run %s to change: it is %s or not there", id, to)
		}
		if err != nil {
			return err
		}
		if to == "deleted" {
			return m.c.DeleteRun(ctx, id)
		}
		return m.c.RestoreRun(ctx, id)
	})
}

// endDead marks a run whose program died as FAILED, at the time of its last record, unless it has ended.
func (m *remote) endDead(ctx context.Context, id string, last int64) (Status, error) {
	r, err := m.c.Run(ctx, id)
	if err != nil {
		return "", err
	}
	if Status(r.Info.Status) != Running {
		return Status(r.Info.Status), nil
	}
	if r.Info.Start != nil {
		last = max(last, int64(*r.Info.Start))
	}
	return Failed, m.c.UpdateRun(ctx, id, string(Failed), last)
}
