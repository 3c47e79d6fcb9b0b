package tracker_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestCurveHasEveryPointOrTheEndsOfEachColumn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Open(t)
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
	if c.Total != n || !c.Reduced() || len(c.Points) > 4*columns {
		t.Fatalf("%d of %d points", len(c.Points), c.Total)
	}
	// The brute-force twin: of each 30 steps the first, the last, the lowest and the highest.
	var want []int64
	for part := range slices.Chunk(values, n/columns) {
		var finite []int
		for i, v := range part {
			if !math.IsNaN(v) {
				finite = append(finite, i)
			}
		}
		byValue := func(a, b int) int {
			if part[a] < part[b] {
				return -1
			}
			return 1
		}
		ends := []int{finite[0], finite[len(finite)-1], slices.MinFunc(finite, byValue),
			slices.MaxFunc(finite, byValue)}
		slices.Sort(ends)
		for _, i := range slices.Compact(ends) {
			want = append(want, int64(i))
		}
		want = append(want, -1)
	}
	var got []int64
	for part := range int64(columns) {
		for _, p := range c.Points {
			if (p.Step-1)/(n/columns) == part {
				got = append(got, (p.Step-1)%(n/columns))
				if p.Value != values[p.Step-1] {
					t.Errorf("step %d is %v, want %v", p.Step, p.Value, values[p.Step-1])
				}
			}
		}
		got = append(got, -1)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got steps\n%v\nwant\n%v", got, want)
	}
	if !slices.IsSortedFunc(c.Points, func(a, b tracker.Point) int { return int(a.Step - b.Step) }) {
		t.Error("the points are not in the order of steps")
	}

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
