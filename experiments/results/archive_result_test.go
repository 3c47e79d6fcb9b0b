package results

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// handMadeResults are in the order in which they are stored.
func handMadeResults() []tracker.EvaluationResult {
	const at = 1_700_000_000_000
	return []tracker.EvaluationResult{
		{Step: 2, Split: "test", Metric: "head_f1", Value: 1e-300, Interval: true, Low: -1e-320, High: math.Inf(1), At: at},
		{Step: 2, Split: "test", Category: "1-n", Metric: "tail_rr", Value: 1. / 3, At: at},
		{Step: 2, Split: "test", Cut: "top-10", Metric: "head_f1", Value: math.NaN(), At: at},
		{Step: 1, Split: "valid", Metric: "mrr", Value: .5, At: at - 5},
		{Step: 1, Split: "valid", Metric: "tail_ece", Value: .25, At: at - 4},
		{Step: 2, Split: "valid", Metric: "mrr", Value: .75, At: at},
	}
}

func TestArchiveOfResults(t *testing.T) {
	t.Parallel()
	ctx, tr := context.Background(), trackertest.Open(t)
	a := handMade()
	a.Results, a.Relations = handMadeResults(), handMadeRelations()
	raw := mustBytes(t, a)
	text := unpacked(t, raw)
	want := `
{"kind":"results","step":2,"time":1700000000000,"split":"test","values":[{"metric":"head_f1","value":1e-300,"low":-1e-320,"high":"+Inf"},` +
		`{"category":"1-n","metric":"tail_rr","value":0.3333333333333333},{"cut":"top-10","metric":"head_f1","value":"NaN"}]}
{"kind":"results","step":1,"time":1699999999995,"split":"valid","values":[{"metric":"mrr","value":0.5}]}
{"kind":"results","step":1,"time":1699999999996,"split":"valid","values":[{"metric":"tail_ece","value":0.25}]}
{"kind":"results","step":2,"time":1700000000000,"split":"valid","values":[{"metric":"mrr","value":0.75}]}
{"kind":"relation",`
	if !strings.HasPrefix(text, `{"kind":"run","format":4,`) || !strings.Contains(text, want) {
		t.Errorf("file\n%s\nlacks\n%s", text, want)
	}
	back, err := readOne(raw, "x")
	expect.NoError(t, err)
	if what := a.difference(back, "a", "b"); what != "" {
		t.Error(what)
	}
	for key, value := range map[string]float64{"test/head_f1": 1e-300, "test/head_f1_lo": -1e-320, "valid/mrr": .75,
		"test/category/1-n/tail_rr": 1. / 3, "valid/tail_ece": .25} {
		if x, ok := back.Info.Metrics[key]; !ok || x != value {
			t.Errorf("%s is read as %v, want %v", key, x, value)
		}
	}
	if _, err := Import(ctx, tr, []ArchiveFile{{"x", back}}); err != nil {
		t.Fatal(err)
	}
	mustExport(t, tr, a.Info.ID, raw)
	for want, change := range map[string]func(*Archive){
		"test/category/1-n/tail_rr = 0.5 at step 2": func(a *Archive) { a.Results[1].Value = .5 },
		"test/head_f1_lo = 0,":                      func(a *Archive) { a.Results[0].Low = 0 },
		"at step 2 (2023-11-14T22:13:20.001Z)":      func(a *Archive) { a.Results[5].At++ },
		"valid/mrr = 0.75 at step 2 (2023-11-14T22:13:20Z) is only in this tracker": func(a *Archive) {
			a.Results = a.Results[:5]
		},
	} {
		changed := handMade()
		changed.Results, changed.Relations = handMadeResults(), handMadeRelations()
		change(changed)
		_, err := Import(ctx, tr, []ArchiveFile{{"changed", changed}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
	// Several runs in one file, some of an earlier version.
	other := handMade()
	other.Info.ID = strings.Repeat("f", 32)
	var several bytes.Buffer
	list := []*Archive{a, other}
	expect.NoError(t, writeArchives(&several, formatOf(list), list...))
	read, err := readArchives(&several, "two")
	if err != nil || len(read) != 2 {
		t.Fatalf("%d runs, %v", len(read), err)
	}
	for i, a := range list {
		if what := a.difference(read[i], "a", "b"); what != "" {
			t.Error(what)
		}
	}
}

// TestVerifyAcrossVersions: a number counts the same whether it was logged as a metric or as a result.
func TestVerifyAcrossVersions(t *testing.T) {
	t.Parallel()
	later, earlier := &Archive{Results: handMadeResults()}, &Archive{}
	for _, r := range later.Results {
		for key, value := range r.Numbers() {
			earlier.Points = append(earlier.Points, tracker.MetricPoint{Key: key,
				Point: tracker.Point{Step: r.Step, Time: time.UnixMilli(r.At), Value: value}})
		}
	}
	later.Points = []tracker.MetricPoint{earlier.Points[0]} // a headline
	later.latest()
	earlier.latest()
	for _, pair := range [][2]*Archive{{later, earlier}, {earlier, later}, {later, later}} {
		if v := Verify(pair[0], pair[1]); v.Equal != 8 || len(v.Differences) > 0 {
			t.Errorf("%+v", v)
		}
	}
	if len(earlier.Info.Metrics) != len(later.Info.Metrics) || len(later.Info.Metrics) != 7 {
		t.Errorf("%v and %v", earlier.Info.Metrics, later.Info.Metrics)
	}
	changed := &Archive{Results: slices.Clone(later.Results), Points: later.Points}
	changed.Results[0].Low = 0
	v := Verify(changed, earlier)
	if want := []string{"test/head_f1_lo at step 2: 0 and -1e-320"}; !slices.Equal(v.Differences, want) {
		t.Errorf("differences %q, want %q", v.Differences, want)
	}
}
