package eval

import (
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestKeysReadBack: every key that a report logs is read, and made again from what was read.
func TestKeysReadBack(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(10), 20, 4, 0).graph(t)
	m := &fake{g: g, levels: 9, gamma: 3, nan: 9}
	list, err := Fit(t.Context(), m, g, FitSettings{})
	expect.NoError(t, err)
	r := mustRun(t, m, g, Settings{Resamples: 20, Cuts: slices.Concat(every, Tops(1, 10), cutsOf(list),
		[]Cut{TopMean{}})})
	plain := r.Metrics()
	logged := r.LoggedMetrics()
	ends := 0
	for text, value := range logged {
		k, ok := ParseKey(text)
		if !ok || k.String() != text || k.Split != "test" {
			t.Errorf("%s is read as %+v, %v", text, k, ok)
		}
		if k.End != Value {
			ends++
		}
		k.Split = ""
		if v, ok := plain[k.String()]; !ok || v != value {
			t.Errorf("%s is %v with its split and %v (present: %v) without", text, value, v, ok)
		}
	}
	if len(plain) != len(logged) || ends == 0 {
		t.Errorf("%d keys with their split, %d ends of intervals, %d without", len(logged), ends, len(plain))
	}
	for text, want := range map[string]Key{
		"test/head_f1":               {Split: "test", Metric: "head_f1"},
		"mrr":                        {Metric: "mrr"},
		"valid/head_hits_10":         {Split: "valid", Metric: "head_hits_10"},
		"test/top-10/tail_f1_lo":     {Split: "test", Cut: "top-10", Metric: "tail_f1", End: Low},
		"lookup-train/nn_f1_hi":      {Cut: "lookup-train", Metric: "nn_f1", End: High},
		"test/category/n-n/head_rr":  {Split: "test", Category: "n-n", Metric: "head_rr"},
		"fitted-side-novel/tail_f1":  {Cut: "fitted-side-novel", Metric: "tail_f1"},
		"test/top-mean/head_size":    {Split: "test", Cut: "top-mean", Metric: "head_size"},
		"intersect/head_union_f1":    {Cut: "intersect", Metric: "head_union_f1"},
		"sphere/category/1-n/nn_f1":  {Cut: "sphere", Category: "1-n", Metric: "nn_f1"},
		"test/margin/head_novel_f1":  {Split: "test", Cut: "margin", Metric: "head_novel_f1"},
		"test/top-3/head_precision":  {Split: "test", Cut: "top-3", Metric: "head_precision"},
		"test/lookup/tail_recall_hi": {Split: "test", Cut: "lookup", Metric: "tail_recall", End: High},
	} {
		if k, ok := ParseKey(text); !ok || k != want {
			t.Errorf("%s is read as %+v, %v, want %+v", text, k, ok, want)
		}
	}
	for _, text := range []string{"", "loss", "learning_rate", "system/epoch_seconds", "system/head_f1", "test",
		"test/",
		"f1", "test/loss", "top-0/head_f1", "top-01/head_f1", "top-/head_f1", "category/head_f1", "test/test/head_f1",
		"margin/sphere/head_f1", "head_f1_lo_hi", "head_f1_hi_lo", "/head_f1"} {
		if k, ok := ParseKey(text); ok {
			t.Errorf("%q is read as %+v", text, k)
		}
	}
}

// TestCutNames: names are read back, and cuts are ordered as tables list them.
func TestCutNames(t *testing.T) {
	t.Parallel()
	names := append(strings.Fields("top-1 top-3 top-100 top-mean margin sphere intersect"), FittedNames()...)
	names = append(names, "fitted-mine")
	names = append(names, ExpectedNames()...)
	names = append(names, "precision-0.5", "precision-0.85", "recall-0.2", "recall-0.5", "coverage-0.8", "coverage-0.9",
		"lookup", "lookup-train")
	var previous Cut
	for i, name := range names {
		c, ok := ParseCut(name)
		if again, _ := ParseCut(name); !ok || c.Name() != name || c != again {
			t.Fatalf("%s is read as %v, %v", name, c, ok)
		}
		if i > 0 && (CompareCuts(previous, c) >= 0 || CompareCuts(c, previous) <= 0) {
			t.Errorf("%s is not before %s", previous.Name(), name)
		}
		previous = c
	}
	for _, name := range []string{"", "top", "top-", "top-0", "top--1", "top-x", "margins", "lookup-", "fitted",
		"category", "test", "expected-", "expected-f2", "precision-.8", "precision-1", "recall-0", "recall-x", "coverage-1", "coverage-.9",
		"precision-0.1234567"} {
		if c, ok := ParseCut(name); ok {
			t.Errorf("%q is read as %v", name, c)
		}
	}
}
