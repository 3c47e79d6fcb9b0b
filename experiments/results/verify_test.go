package results

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

func TestVerify(t *testing.T) {
	point := func(key string, step int64, value float64) tracker.MetricPoint {
		return tracker.MetricPoint{Key: key, Point: tracker.Point{Step: step, Time: time.UnixMilli(step), Value: value}}
	}
	const cuts = `{"head":{"cut":"lookup","usual":"expected-novel"},` +
		`"tail":{"cut":"expected-union","usual":"expected-novel"}}`
	archive := func(change func(*Archive)) *Archive {
		a := &Archive{Info: tracker.RunInfo{ID: "a", Params: map[string]string{"gamma": "6", "threads": "1",
			"data":        "here",
			"config_hash": "h"}, Tags: map[string]string{"checkpoint_digest": "d", "default_cut": cuts}},
			Points: []tracker.MetricPoint{point("loss", 1, .5), point("loss", 1, .5), point("loss", 2, math.NaN()),
				point("valid/mrr", 2, 0), point("system/epoch_seconds", 1, 7)}}
		if change != nil {
			change(a)
		}
		return a
	}
	for name, c := range map[string]struct {
		change func(*Archive)
		equal  int
		want   []string
	}{
		"the same": {nil, 3, nil},
		"other times": {func(a *Archive) {
			a.Points[4].Value = 8
			maps.Copy(a.Info.Params, map[string]string{"threads": "2", "data": "there", "config_hash": "i"})
		}, 3, nil},
		"one bit": {func(a *Archive) { a.Points[0].Value, a.Points[1].Value = .5, math.Nextafter(.5, 1) }, 2,
			[]string{"loss at step 1: 0.5 and 0.5000000000000001"}},
		"negative zero": {func(a *Archive) { a.Points[3].Value = math.Copysign(0, -1) }, 2,
			[]string{"valid/mrr at step 2: 0 and -0"}},
		"less": {func(a *Archive) { a.Points = a.Points[:3] }, 2,
			[]string{"valid/mrr at step 2: only in the first"}},
		"more": {func(a *Archive) { a.Points = append(a.Points, point("loss", 3, 1)) }, 3,
			[]string{"loss at step 3: only in the second"}},
		"params": {func(a *Archive) { a.Info.Params["gamma"] = "7" }, 3, []string{`param gamma: "6" and "7"`}},
		"checkpoint": {func(a *Archive) { a.Info.Tags["checkpoint_digest"] = "e" }, 3,
			[]string{`checkpoint digest: "d" and "e"`}},
		"default cut": {func(a *Archive) {
			a.Info.Tags["default_cut"] = strings.Replace(cuts, "expected-union", "expected-novel", 1)
		}, 3, []string{"default cut: lookup and expected-union, not lookup and expected-novel"}},
		"no default cut": {func(a *Archive) { delete(a.Info.Tags, "default_cut") }, 3, nil},
	} {
		v := Verify(archive(nil), archive(c.change))
		if v.Equal != c.equal || !slices.Equal(v.Differences, c.want) || v.Times != 1 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestVerifyUnlogged: a param that one run has not logged is taken as today's default, which is said; of a param that
// did not exist when the run was logged it is known what the run had.
func TestVerifyUnlogged(t *testing.T) {
	archive := func(params map[string]string) *Archive {
		all := map[string]string{"config_hash": "h", "gamma": "6"}
		maps.Copy(all, params)
		return &Archive{Info: tracker.RunInfo{ID: "a", Params: all}}
	}
	for name, c := range map[string]struct {
		first, second map[string]string
		unlogged      []string
		differences   []string
	}{
		"both":    {map[string]string{"train.batch": "64"}, map[string]string{"train.batch": "64"}, nil, nil},
		"neither": {nil, nil, nil, nil},
		"the default": {nil, map[string]string{"eval.bootstrap": "1000"},
			[]string{`the first has not logged eval.bootstrap; the default "1000" is compared`}, nil},
		"another value": {map[string]string{"eval.bootstrap": "7"}, nil,
			[]string{`the second has not logged eval.bootstrap; the default "1000" is compared`},
			[]string{`param eval.bootstrap: "7" and "1000"`}},
		"a later key":          {nil, map[string]string{"split.test": "0.1"}, nil, nil},
		"another value of one": {nil, map[string]string{"split.test": "0.2"}, nil, []string{`param split.test: "0.1" and "0.2"`}},
		"no number":            {nil, map[string]string{"threads": "3"}, nil, nil},
	} {
		v := Verify(archive(c.first), archive(c.second))
		if !slices.Equal(v.Unlogged, c.unlogged) || !slices.Equal(v.Differences, c.differences) {
			t.Errorf("%s: unlogged %q, differences %q", name, v.Unlogged, v.Differences)
		}
	}
}

// TestVerifyLaterIntervals: where one run has no interval of novel F1 and union F1, as runs of earlier programs, those
// of the other are not compared, which is said. Where both have some, they are. So it is with ECE and Brier score,
// which earlier programs did not log of stacks.
func TestVerifyLaterIntervals(t *testing.T) {
	archive := func(keys ...string) *Archive {
		a := &Archive{Info: tracker.RunInfo{ID: "a"}}
		for i, key := range append(keys, "test/head_f1_lo", "test/top-3/tail_novel_f1") {
			p := tracker.Point{Step: 1, Value: float64(len(key))}
			if i < len(keys) && strings.HasSuffix(key, "!") {
				key, p.Value = strings.TrimSuffix(key, "!"), -1
			}
			a.Points = append(a.Points, tracker.MetricPoint{Key: key, Point: p})
		}
		return a
	}
	later := []string{"test/head_novel_f1_lo", "test/top-3/tail_union_f1_hi"}
	note := func(which string) []string {
		return []string{which + " has not logged intervals of novel F1 and union F1; they are not compared"}
	}
	probable := []string{"test/head_ece", "valid/tail_brier"}
	scored := []string{"the first has not logged ECE and Brier score; they are not compared"}
	for name, c := range map[string]struct {
		first, second []string
		equal         int
		unlogged      []string
		differences   []string
	}{
		"neither":    {nil, nil, 2, nil, nil},
		"both":       {later, later, 4, nil, nil},
		"the first":  {later, nil, 2, note("the second"), nil},
		"the second": {nil, later, 2, note("the first"), nil},
		"one is missing": {later, later[:1], 3, nil,
			[]string{"test/top-3/tail_union_f1_hi at step 1: only in the first"}},
		"one differs": {later, []string{later[0], later[1] + "!"}, 3, nil,
			[]string{"test/top-3/tail_union_f1_hi at step 1: 27 and -1"}},
		"the second has ECE": {nil, probable, 2, scored, nil},
		"one ECE differs": {probable, []string{probable[0], probable[1] + "!"}, 3, nil,
			[]string{"valid/tail_brier at step 1: 16 and -1"}},
		"another interval": {append(later, "test/head_rr_lo"), nil, 2, note("the second"),
			[]string{"test/head_rr_lo at step 1: only in the first"}},
	} {
		v := Verify(archive(c.first...), archive(c.second...))
		if v.Equal != c.equal || !slices.Equal(v.Unlogged, c.unlogged) || !slices.Equal(v.Differences, c.differences) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestVerifyRelations(t *testing.T) {
	archive := func(change func([]tracker.RelationResult) []tracker.RelationResult) *Archive {
		return &Archive{Info: tracker.RunInfo{ID: "a"}, Relations: change(handMadeRelations())}
	}
	same := func(r []tracker.RelationResult) []tracker.RelationResult { return r }
	const perResult = 11
	for name, c := range map[string]struct {
		change func([]tracker.RelationResult) []tracker.RelationResult
		equal  int
		want   []string
	}{
		"the same": {same, 2 * perResult, nil},
		// A run of an earlier version has none; everything else can still be verified.
		"none": {func([]tracker.RelationResult) []tracker.RelationResult { return nil }, 0, nil},
		"one bit": {func(r []tracker.RelationResult) []tracker.RelationResult {
			r[0].NovelF1 = math.Nextafter(r[0].NovelF1, 1)
			return r
		}, 2*perResult - 1, []string{`relation "r", side head, at cut top-10: novel_f1 0.4 and 0.4000000000000001`}},
		"a count": {func(r []tracker.RelationResult) []tracker.RelationResult {
			r[1].Queries, r[1].Category = 2, "n-n"
			return r
		}, 2*perResult - 1, []string{`relation "r", side tail, at cut top-10: category 1-n and n-n`,
			`relation "r", side tail, at cut top-10: queries 3 and 2`}},
		"other": {func(r []tracker.RelationResult) []tracker.RelationResult {
			r[1].Cut = "margin"
			return r
		}, perResult, []string{`relation "r", side tail, at cut top-10: only in the first`,
			`relation "r", side tail, at cut margin: only in the second`}},
	} {
		for _, swapped := range []bool{false, true} {
			a, b := archive(same), archive(c.change)
			if swapped {
				a, b = b, a
			}
			v := Verify(a, b)
			var unlogged []string
			if name == "none" {
				which := map[bool]string{false: "the second", true: "the first"}[swapped]
				unlogged = []string{which + " has not logged results per relation; they are not compared"}
			}
			if !slices.Equal(v.Unlogged, unlogged) {
				t.Errorf("%s: unlogged %q", name, v.Unlogged)
			}
			if v.Equal != c.equal || len(v.Differences) != len(c.want) ||
				!swapped && !slices.Equal(v.Differences, c.want) {
				t.Errorf("%s: %+v", name, v)
			}
		}
	}
}

func TestEmbeddedTwin(t *testing.T) {
	file := func(id, config, graph, version string) ArchiveFile {
		return ArchiveFile{id, &Archive{Info: tracker.RunInfo{ID: id, Params: map[string]string{"config_hash": config,
			"graph_digest": graph, "numerics_version": version}}}}
	}
	files := []ArchiveFile{file("x", "other", "g", "1"), file("y", "h", "other", "1"), file("z", "h", "g", "2"),
		file("b", "h", "g", "1")}
	run := file("a", "h", "g", "1").Info
	if f, err := twin(files, Read(run)); err != nil || f.File != "b" {
		t.Errorf("%v, %v", f.File, err)
	}
	if _, err := twin(files[:3], Read(run)); err == nil || !strings.Contains(err.Error(), "name a second run") {
		t.Errorf("no twin: %v", err)
	}
	if _, err := twin(append(files, file("a", "h", "g", "1")), Read(run)); err == nil || !strings.Contains(err.Error(),
		"is the embedded result itself") {
		t.Errorf("a run is not a twin of itself: %v", err)
	}
}
