package web

import (
	"context"
	"net/url"
	"strconv"

	"github.com/spherelab/spherelab/tracker"
)

// How many finished runs a run that failed is compared with, the newest ones, and how many params that differ are
// shown.
const (
	maxNearby     = 200
	maxDifferent  = 12
	hashOfSetting = "config_hash" // it differs where any param does
)

// lastWords are what is known of the end of a run that did not finish.
type lastWords struct {
	Error     string // what its program said last, "" if it said nothing
	Nearest   tracker.RunInfo
	Different []differentParam // from the nearest run, by name
	More      int              // that are not shown
	Compare   string           // address of the comparison with the nearest run, "" if there is none
}

type differentParam struct{ Key, Here, There string }

// lastWords returns the end of a run, nil for one that runs or has finished. The nearest run is the finished one of the
// experiment that differs in the fewest params, the newest of several.
func (s *site) lastWords(ctx context.Context, run tracker.RunInfo) (*lastWords, error) {
	if run.Status != string(tracker.Failed) && run.Status != string(tracker.Killed) {
		return nil, nil
	}
	w := &lastWords{Error: run.Tags[tracker.TagError]}
	if len(run.Params) == 0 {
		return w, nil
	}
	worked, err := s.store.Runs(ctx, tracker.Filter{Experiment: run.Experiment, Status: tracker.Finished,
		Limit: maxNearby})
	if err != nil {
		return nil, err
	}
	for i, other := range worked {
		differ := differentParams(run, other)
		if i > 0 && len(differ) >= len(w.Different) {
			continue
		}
		w.Nearest, w.Different = other, differ
		w.Compare = "/compare?" + url.Values{"run": {run.ID, other.ID}}.Encode()
	}
	if len(w.Different) > maxDifferent {
		w.More, w.Different = len(w.Different)-maxDifferent, w.Different[:maxDifferent]
	}
	return w, nil
}

// Same says that the nearest run has the same params.
func (w *lastWords) Same() bool { return w.Compare != "" && len(w.Different) == 0 }

// Count is the number of params that differ, in words.
func (w *lastWords) Count() string {
	if n := len(w.Different) + w.More; n != 1 {
		return strconv.Itoa(n) + " params"
	}
	return "one param"
}

// differentParams returns the params in which two runs differ.
func differentParams(a, b tracker.RunInfo) (list []differentParam) {
	all := map[string]string{}
	for _, params := range []map[string]string{a.Params, b.Params} {
		for key := range params {
			all[key] = ""
		}
	}
	delete(all, hashOfSetting)
	for _, p := range pairs(all) {
		here, hasHere := a.Params[p.Key]
		there, hasThere := b.Params[p.Key]
		if here != there || hasHere != hasThere {
			list = append(list, differentParam{p.Key, here, there})
		}
	}
	return list
}
