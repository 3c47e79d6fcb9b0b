package web_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// TestRunsOfOneNameAreToldApart: the table, its file, charts and marks have the params in which runs of one name
// differ.
func TestRunsOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	var sweep []string
	for i, rate := range []string{"0.1", "0.2", "0.1", "0.2"} {
		sweep = append(sweep, logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: "job", Params: map[string]string{"variant": "clean", "model": "rotate",
			"seed": strconv.Itoa(i / 2), "train.rate": rate, "train.same": "1", "config_hash": strconv.Itoa(i), "threads": strconv.Itoa(i)}},
			map[string]float64{"loss": float64(i)}))
	}
	for i := range 2 { // they differ in the seed alone, which is a column anyway
		logRun(t, tr, tracker.RunSpec{Experiment: "seeds", Name: "again", Params: map[string]string{"variant": "clean", "model": "rotate",
			"seed": strconv.Itoa(i), "train.rate": "3"}})
	}
	for i := range 2 {
		logRun(t, tr, tracker.RunSpec{Experiment: "cores", Name: "fast", Params: map[string]string{"variant": "clean", "model": "rotate",
			"seed": "1", "train.rate": "3", "threads": strconv.Itoa(i)}})
	}
	logRun(t, tr, tracker.RunSpec{Experiment: "alone", Name: "one", Params: map[string]string{"variant": "clean", "model": "rotate", "depth": "7"}})
	logRun(t, tr, tracker.RunSpec{Experiment: "alone", Name: "two", Params: map[string]string{"variant": "clean", "model": "rotate", "depth": "8"}})
	for experiment, want := range map[string]string{"e": "train.rate|loss|seed|", "seeds": "seed|", "alone": "|", "cores": "threads|",
		"": "train.rate|loss|seed|"} {
		tree := document(t, h, "/?experiment="+experiment)
		heads := texts(tree, "th")
		at := slices.Index(heads, "time")
		if got := strings.Join(heads[at+1:], "|"); at < 0 || !strings.HasPrefix(got, want) && want != "|" {
			t.Errorf("experiment %q: the columns are %s, want %s", experiment, got, want)
		}
		if count := strings.Join(texts(tree, "p"), "|"); !strings.Contains(count, "runs, all with model rotate") {
			t.Errorf("experiment %q: what all share is not in %s", experiment, count)
		}
	}
	for _, address := range sources(document(t, h, "/?experiment=e"), "a", "href") {
		if strings.HasPrefix(address, "/runs.csv") {
			if _, text, _ := get(t, h, address); !strings.Contains(text, ",param/train.rate,metric/loss,param/model,param/variant,param/seed\n") {
				t.Errorf("the file %s has %.200s", address, text)
			}
		}
	}
	if heads := strings.Join(texts(document(t, h, "/?experiment=e&col=param/model"), "th"), "|"); strings.Contains(heads, "rate") {
		t.Errorf("chosen columns become %s", heads)
	}
	query := url.Values{"run": sweep, "key": {"loss"}, "axis": {"metric/loss", "param/seed"}, "x": {"param/seed"}, "y": {"metric/loss"}}
	legend := fmt.Sprintf("%s: rate 0.2, seed 1", tracker.ShortID(sweep[3]))
	for _, address := range []string{"/curve.svg?", "/parallel.svg?", "/scatter.svg?", "/compare?"} {
		if _, text, _ := get(t, h, address+query.Encode()); !strings.Contains(text, legend) {
			t.Errorf("%s does not say %q", address, legend)
		}
	}
	query.Set("bands", "1")
	if _, text, _ := get(t, h, "/curve.svg?"+query.Encode()); !strings.Contains(text, "job: rate 0.2, 2 seeds") {
		t.Errorf("two bands have one name: %s", text)
	}
}

// TestColumnsOfAnotherProgram: of many params those are shown that most runs have and in which they differ.
func TestColumnsOfAnotherProgram(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	for i := range 3 {
		params := map[string]string{"aaa": "1", "bbb": "1", "ccc": "1", "ddd": "1", "rate": strconv.Itoa(i)}
		metrics := map[string]float64{"quality": 1}
		if i == 0 {
			for k := range 9 {
				params["alone-"+strconv.Itoa(k)] = "1"
				metrics["alone-"+strconv.Itoa(k)] = 1
			}
		}
		logRun(t, tr, tracker.RunSpec{Experiment: "py", Name: fmt.Sprint("run-", i), Params: params}, metrics)
	}
	for _, address := range []string{"/", "/?experiment=py"} {
		heads := strings.Join(texts(document(t, h, address), "th"), "|")
		if !strings.Contains(heads, "|time|rate|aaa|bbb|ccc|quality|") {
			t.Errorf("%s has the columns %s", address, heads)
		}
	}
}

// TestUnfoldedRunsAreToldApart: the runs of an open sweep are distinguished, though one of them stands for all.
func TestUnfoldedRunsAreToldApart(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	sweep, err := tr.OpenGroup(context.Background(), tracker.GroupSpec{Experiment: "e", Kind: "sweep", Name: "rates"})
	expect.NoError(t, err)
	for i := range 3 {
		logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: "job", Params: map[string]string{"seed": "1", "variant": "clean",
			"rate": strconv.Itoa(i)}, Tags: map[string]string{tracker.TagParent: sweep}})
	}
	for address, want := range map[string]bool{"/?fold=1": false, "/?fold=1&open=" + sweep: true} {
		if got := slices.Contains(texts(document(t, h, address), "th"), "rate"); got != want {
			t.Errorf("%s: the rate is a column: %v", address, got)
		}
	}
}

// TestLegendOfManyRunsIsWhole: ten runs of two names are all in the legend.
func TestLegendOfManyRunsIsWhole(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	query := url.Values{"key": {"loss"}}
	for i := range 10 {
		name := []string{"graph-sphere-2d-clean", "graph-rotate-clean"}[i%2]
		query.Add("run", logRun(t, tr, tracker.RunSpec{Experiment: "e", Name: name,
			Params: map[string]string{"train.learning_rate": fmt.Sprintf("0.000%d234", i), "train.batch": strconv.Itoa(i % 3)}},
			map[string]float64{"loss": 1}))
	}
	_, text, _ := get(t, h, "/curve.svg?"+query.Encode())
	for i, id := range query["run"] {
		name := fmt.Sprintf("%s: learning_rate 0.000%d234, batch %d", tracker.ShortID(id), i, i%3)
		if !strings.Contains(text, ">"+name+"</text>") {
			t.Errorf("the legend lacks %q", name)
		}
	}
}
