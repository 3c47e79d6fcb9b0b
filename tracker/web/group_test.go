package web_test

import (
	"math"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

func TestGroupsPage(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	h := web.New(tr, web.Options{})
	log := func(name, seed, gamma string, loss float64) {
		logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: name, Params: map[string]string{"seed": seed, "gamma": gamma,
			"same": "1", "threads": seed}}, map[string]float64{"loss": loss})
	}
	log("a", "1", "6", 1)
	log("b", "2", "6", 3)
	log("c", "3", "6", math.NaN())
	log(attack, "1", attack, 5)
	tree := document(t, h, "/groups")
	if heads := strings.Join(texts(tree, "th"), "|"); heads != "newest run|runs|seeds|gamma|loss|"+attack+"|c" {
		t.Errorf("heads %s", heads)
	}
	if cells := strings.Join(texts(tree, "td"), "|"); cells != "1|1|"+attack+"|5|3|1, 2, 3|6|2 ± 1.4 (2 runs)" {
		t.Errorf("cells %s", cells)
	}
	follow(t, h, tree)
	if cells := strings.Join(texts(document(t, h, "/groups?q=params.gamma+%3D+%276%27"), "td"), "|"); cells != "3|1, 2, 3|2 ± 1.4 (2 runs)" {
		t.Errorf("of a search: %s", cells)
	}
	document(t, h, "/groups?q=none")
	chosen := document(t, h, "/groups?col=metric/none")
	for _, link := range sources(chosen, "a", "href") {
		if strings.HasPrefix(link, "/groups.csv") {
			if _, text, _ := get(t, h, link); !strings.HasPrefix(text, "run_ids,name,runs,seeds,gamma,none\n") {
				t.Errorf("the CSV of chosen columns is %s", text)
			}
		}
	}
}
