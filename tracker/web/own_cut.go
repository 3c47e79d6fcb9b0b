package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

// cutTag is the tag with the cut of a run's metrics of sets whose keys name none, such as test/head_f1.
const cutTag = "criterion"

// mixedCuts says that metrics which a page shows or ranks by are of several cuts, and which metric is of one. It is
// empty where they are of one cut. The runs have their cutTag.
func mixedCuts(all, shown []string, runs []tracker.RunInfo) string {
	for _, column := range shown {
		key, of := strings.CutPrefix(column, "metric/")
		split, metric, found := strings.Cut(key, "/")
		if !of || !found || strings.Contains(metric, "/") {
			continue
		}
		at := slices.IndexFunc(all, func(c string) bool { // a metric of sets has numbers at other cuts as well
			parts := strings.Split(c, "/")
			return len(parts) == 4 && parts[0] == "metric" && parts[1] == split && parts[3] == metric
		})
		if at < 0 {
			continue
		}
		cuts := map[string]bool{}
		for _, run := range runs {
			if _, has := run.Metrics[key]; has && run.Tags[cutTag] != "" {
				cuts[run.Tags[cutTag]] = true
			}
		}
		if len(cuts) > 1 {
			return fmt.Sprintf("Each run has %s at its own cut: these have %s. Metrics of one cut rank runs, such as %s.", key,
				strings.Join(slices.Sorted(maps.Keys(cuts)), ", "), strings.TrimPrefix(all[at], "metric/"))
		}
	}
	return ""
}
