package session

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/tracker"
)

// reader reads what runs have logged: from the tracker, and for embedded runs from the program.
func (s *Session) reader(ctx context.Context, runs ...*Run) results.Reader {
	r := runReader{Tracker: s.tracker(ctx), embedded: map[string]*results.ArchiveFile{}}
	for _, run := range runs {
		if run.embedded != nil {
			r.embedded[run.run.Stored.ID] = run.embedded
		}
	}
	return r
}

// runReader is a tracker together with embedded runs, by id.
type runReader struct {
	*tracker.Tracker
	embedded map[string]*results.ArchiveFile
}

// Runs returns the tracker's runs that match a filter, and all embedded ones, newest first.
func (r runReader) Runs(ctx context.Context, f tracker.Filter) ([]tracker.RunInfo, error) {
	infos, err := r.Tracker.Runs(ctx, f)
	if err != nil {
		return nil, err
	}
	for _, e := range r.embedded {
		infos = append(infos, e.Info)
	}
	slices.SortStableFunc(infos, func(a, b tracker.RunInfo) int { return b.Start.Compare(a.Start) })
	return infos, nil
}

// History returns the values of one metric of a run.
func (r runReader) History(ctx context.Context, runID, key string) ([]tracker.Point, error) {
	e := r.embedded[runID]
	if e == nil {
		return r.Tracker.History(ctx, runID, key)
	}
	var points []tracker.Point
	for _, p := range e.Points {
		if p.Key == key {
			points = append(points, p.Point)
		}
	}
	return points, nil
}
