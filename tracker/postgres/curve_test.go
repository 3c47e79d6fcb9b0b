package postgres_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// checkColumns compares points with a brute-force twin: the lowest and highest of every few values, on the first and
// the last step of these.
func checkColumns(t *testing.T, points []tracker.Point, values []float64, width int) {
	t.Helper()
	var want []float64
	var steps []int64
	for i, part := range slices.Collect(slices.Chunk(values, width)) {
		low, high, first, last := math.Inf(1), math.Inf(-1), int64(-1), int64(-1)
		for j, v := range part {
			if math.IsNaN(v) {
				continue
			}
			if low, high, last = min(low, v), max(high, v), int64(i*width+j+1); first < 0 {
				first = last
			}
		}
		steps = append(steps, first, last)
		if len(want) == 0 && len(points) > 2 { // the first column may fall
			if after := (points[2].Value + points[3].Value) / 2; math.Abs(low-after) < math.Abs(high-after) {
				low, high = high, low
			}
		} else if len(want) > 0 && math.Abs(high-want[len(want)-1]) < math.Abs(low-want[len(want)-1]) {
			low, high = high, low
		}
		want = append(want, low, high)
	}
	var got []float64
	var at []int64
	for _, p := range points {
		got, at = append(got, p.Value), append(at, p.Step)
	}
	if !slices.Equal(got, want) || !slices.Equal(at, steps) {
		t.Errorf("got %v at\n%v\nwant %v at\n%v", got, at, want, steps)
	}
}

func TestCurveHasEveryPointOrTheEndsOfEachColumn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "long")
	const n, columns = 3000, 100
	values := make([]float64, n)
	source := rand.New(rand.NewPCG(1, 2))
	for i := range values {
		values[i] = source.NormFloat64()
		metrics := map[string]float64{"loss": values[i], "other": 7}
		if i%1000 == 500 {
			metrics["loss"], values[i] = math.NaN(), math.NaN()
		}
		noError(t, run.LogMetrics(int64(i+1), metrics))
	}
	noError(t, run.LogMetrics(1<<40, map[string]float64{"far": 1}))
	noError(t, run.Finish(ctx, tracker.Finished))

	c := must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), "loss", nil, columns))
	if c.Total != n || !c.Reduced() || len(c.Points) > 2*columns {
		t.Fatalf("%d of %d points", len(c.Points), c.Total)
	}
	checkColumns(t, c.Points, values, n/columns)

	// Steps stored backwards, and a range of steps: the first guess of where they begin and end is wrong.
	odd := startRun(t, tr, "odd")
	for i := range n {
		noError(t, odd.LogMetrics(int64(1_000_000+n-i), map[string]float64{"back": float64(i % 7)}))
	}
	noError(t, odd.Finish(ctx, tracker.Finished))
	back := must[tracker.Curve](t)(tr.Curve(ctx, odd.ID(), "back", nil, columns))
	if back.Total != n || len(back.Points) != 2*columns || back.Points[0].Step != 1_000_001 ||
		back.Points[2*columns-1].Step != 1_000_000+n {
		t.Errorf("%d points of %d, from %+v to %+v", len(back.Points), back.Total, back.Points[0],
			back.Points[len(back.Points)-1])
	}
	same := startRun(t, tr, "same")
	for i := range 5 {
		noError(t, same.LogMetrics(math.MaxInt64-int64(i), map[string]float64{"far": float64(i)}))
	}
	noError(t, same.Finish(ctx, tracker.Finished))
	if far := must[tracker.Curve](t)(tr.Curve(ctx, same.ID(), "far", nil, 1)); far.Total != 5 || len(far.Points) != 2 {
		t.Errorf("steps that are equal as floats: %+v", far)
	}
	cut := must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), "loss", &tracker.Steps{From: 1201, To: 2200}, columns))
	if cut.Total != 1000 || !cut.Reduced() {
		t.Fatalf("a range of steps: %d of %d points", len(cut.Points), cut.Total)
	}
	shifted := slices.Clone(cut.Points)
	for i := range shifted {
		shifted[i].Step -= 1200
	}
	checkColumns(t, shifted, values[1200:2200], 10)

	part := must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), "loss", &tracker.Steps{From: 490, To: 510}, columns))
	if part.Total != 21 || part.Reduced() || part.Points[0].Step != 490 || !math.IsNaN(part.Points[11].Value) {
		t.Errorf("a range of steps has %+v", part)
	}
	if far := must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), "far", nil, 1)); len(far.Points) != 1 {
		t.Errorf("a single point far away: %+v", far)
	}
	if none := must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), "none", nil, 1)); none.Total != 0 || none.Reduced() {
		t.Errorf("an unknown metric: %+v", none)
	}
}

// TestLongCurvesKeepMeansAndNaNs: a reduced curve begins as the values do, has the mean of what is finite in each
// column, and counts NaNs.
func TestLongCurvesKeepMeansAndNaNs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "falling")
	const n, columns = 4000, 100
	for i := range n {
		values := map[string]float64{"loss": 1 / float64(i+1), "rare": 0, "rising": float64(i),
			"diverged": 1e160 * float64(i), "huge": math.MaxFloat64}
		switch {
		case i >= n/2:
			values["loss"] = math.NaN()
		case i == 1000:
			values["loss"] = math.Inf(1)
		}
		if i%10 == 9 {
			values["rare"] = 1
		}
		noError(t, run.LogMetrics(int64(i+1), values))
	}
	noError(t, run.Finish(ctx, tracker.Finished))
	read := func(key string) tracker.Curve {
		return must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), key, nil, columns))
	}
	loss := read("loss")
	if loss.NaNs != n/2 || loss.Total != n || loss.Points[0].Value != 1 || loss.Points[0].Step != 1 {
		t.Errorf("%d of %d are NaN; the curve begins with %+v", loss.NaNs, loss.Total, loss.Points[0])
	}
	count := 0
	for i, p := range loss.Means {
		count += loss.Counts[i]
		if math.IsNaN(p.Value) || p.Value > 1 || i > 0 && p.Value >= loss.Means[i-1].Value {
			t.Errorf("mean %d is %v", i, p)
		}
	}
	if count != n/2-1 {
		t.Errorf("the means are of %d points", count)
	}
	for i, p := range read("rare").Means {
		if math.Abs(p.Value-0.1) > 1e-12 {
			t.Errorf("mean %d of what is 1 at each tenth step is %v", i, p)
		}
	}
	for i, p := range read("diverged").Means { // squares of such values do not fit
		if want := 1e160 * (40*float64(i) + 19.5); math.Abs(p.Value-want) > 1e-12*want {
			t.Errorf("mean %d of a diverged curve is %v, not %v", i, p.Value, want)
		}
	}
	if huge := read("huge"); len(huge.Means) != 0 || !math.IsInf(huge.Points[0].Value, 1) {
		t.Errorf("a curve of infinite values has means %v", huge.Means)
	}
	if rising := read("rising"); rising.Points[0].Value != 0 || rising.Points[1].Value != 39 {
		t.Errorf("a rising curve begins with %+v", rising.Points[:2])
	}
}

// TestLongCurvesAreKept: a reduced curve is read once while nothing is added, for each range and width. A newer point,
// or the end of the run, has it read again.
func TestLongCurvesAreKept(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Store(t)
	run := startRun(t, tr, "long")
	for i := range 100 {
		noError(t, run.LogMetrics(int64(i+1), map[string]float64{"loss": float64(i), "short": 1}))
	}
	noError(t, run.Flush(ctx))
	total := func(key string, steps *tracker.Steps, columns int) int {
		t.Helper()
		return must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), key, steps, columns)).Total
	}
	first := must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), "loss", nil, 10))
	first.Points[0].Value = -1 // its reader may change it
	part := &tracker.Steps{From: 1, To: 50}
	if n := total("loss", part, 10); n != 50 {
		t.Errorf("a range has %d points", n)
	}
	// Points that go without a trace tell which curves are read again.
	_, err := tr.DB().ExecContext(ctx, `DELETE FROM public.metrics WHERE step % 2 = 0`)
	noError(t, err)
	kept := must[tracker.Curve](t)(tr.Curve(ctx, run.ID(), "loss", nil, 10))
	if kept.Total != 100 || kept.Points[0].Value != 0 || len(kept.Points) != 20 {
		t.Errorf("the kept curve has %d points of %d, the first %+v", len(kept.Points), kept.Total, kept.Points[0])
	}
	if n := total("loss", part, 10); n != 50 {
		t.Errorf("the kept range has %d points", n)
	}
	for what, n := range map[string]int{"another width": total("loss", nil, 5), "a short curve": total("short", nil, 100),
		"another range": 10 + total("loss", &tracker.Steps{From: 1, To: 80}, 5)} {
		if n != 50 {
			t.Errorf("%s has %d points", what, n)
		}
	}
	noError(t, run.LogMetrics(101, map[string]float64{"loss": 7}))
	noError(t, run.Flush(ctx))
	if n := total("loss", nil, 10); n != 51 {
		t.Errorf("after a newer point the curve has %d points", n)
	}
	_, err = tr.DB().ExecContext(ctx, `DELETE FROM public.metrics WHERE step > 50`)
	noError(t, err)
	noError(t, run.Finish(ctx, tracker.Finished))
	if n := total("loss", nil, 5); n != 25 {
		t.Errorf("after the end the curve has %d points", n)
	}
}
