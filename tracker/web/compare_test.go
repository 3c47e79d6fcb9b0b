package web_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

func TestComparePage(t *testing.T) {
	t.Parallel()
	tr := trackertest.Open(t)
	h := web.New(tr, web.Options{})
	first := logRun(t, tr, tracker.RunSpec{Name: attack, Params: map[string]string{"same": "1", "seed": "1"},
		Tags: map[string]string{"criterion": "margin"}},
		map[string]float64{"loss": 2, "test/head_f1": 0.5, "test/head_f1_lo": 0.4, "test/top-1/head_f1": 0.25})
	second := logRun(t, tr, tracker.RunSpec{Name: "second", Params: map[string]string{"same": "1", "seed": attack},
		Tags: map[string]string{"criterion": "sphere"}}, map[string]float64{"loss": 1.5, "test/head_f1": 0.625})
	address := "/compare?" + url.Values{"run": {first, second}}.Encode()
	tree := document(t, h, address)
	if rows := strings.Join(texts(tree, "td"), "|"); rows != "margin|sphere|1|"+attack+"|2|1.5|-0.5|0.5|0.625|+0.125" {
		t.Errorf("differences %s", rows)
	}
	if n := pictures(t, h, tree); n != 2 {
		t.Errorf("%d pictures", n)
	}
	if rows := strings.Join(texts(document(t, h, address+"&all=1"), "td"), "|"); !strings.Contains(rows, "|0.4||") ||
		!strings.Contains(rows, "|1|1|") {
		t.Errorf("all %s", rows)
	}
	follow(t, h, tree)
	_, text, _ := get(t, h, "/compare.csv?run="+first+"&run="+second)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 3 || strings.Join(rows[0], " ") !=
		"run_id name status same seed loss test/head_f1 test/head_f1_lo test/top-1/head_f1" {
		t.Errorf("%v %v", rows, err)
	}
	document(t, h, "/compare")
	document(t, h, "/compare?run="+first+"&run="+first)
	if code, _, _ := get(t, h, "/compare?"+strings.Repeat("run=x&", 21)); code != http.StatusBadRequest {
		t.Errorf("21 runs: %d", code)
	}
}
