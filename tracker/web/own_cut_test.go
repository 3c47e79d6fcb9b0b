package web_test

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// TestPagesNameMixedCuts: where runs have a metric of sets at different cuts, every page that ranks runs says so and
// names a metric of one cut.
func TestPagesNameMixedCuts(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	h := web.New(tr, web.Options{})
	log := func(experiment, cut, seed string, f1 float64) {
		logRun(t, tr, tracker.RunSpec{Experiment: experiment, Name: cut, Params: map[string]string{"seed": seed},
			Tags: map[string]string{"criterion": cut}},
			map[string]float64{"test/head_f1": f1, "test/top-10/head_f1": f1 / 2, "test/mrr": 1 - f1})
	}
	log("mixed", "margin", "1", .5)
	log("mixed", "sphere", "2", .25)
	log("same", "margin", "3", .75)
	log("same", "margin", "4", .125)
	for address, want := range map[string]bool{"/?experiment=mixed": true, "/": true, "/?experiment=same": false,
		"/?experiment=mixed&col=metric/test/mrr":              false,
		"/?experiment=mixed&col=metric/test/top-10/head_f1":   false,
		"/?experiment=mixed&col=&sort=metric/test/head_f1":    true,
		"/groups?experiment=mixed":                            true,
		"/groups?experiment=same":                             false,
		"/params?experiment=mixed&metric=test/head_f1":        true,
		"/params?experiment=mixed&metric=test/top-10/head_f1": false,
		"/params?experiment=mixed":                            false, // by test/mrr, which has no cut
		"/params?experiment=same&metric=test/head_f1":         false,
	} {
		text := strings.Join(texts(document(t, h, address), "p"), "|")
		says := strings.Contains(text, "Each run has test/head_f1 at its own cut: these have margin, sphere. "+
			"Metrics of one cut rank runs, such as test/top-10/head_f1.")
		if says != want || strings.Contains(text, "its own cut") != want {
			t.Errorf("%s: %s", address, text)
		}
	}
}
