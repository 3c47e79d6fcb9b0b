package explore

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// cloud has n points whose variances fall from one direction to the next. Directions are turned against the axes.
func cloud(n, width int, variance func(j int) float64) []float32 {
	rows := make([]float32, n*width)
	for i := range n {
		row := rows[i*width:][:width]
		for j := range width {
			x := math.Sqrt(variance(j)) * math.Sqrt(12) * (spread(uint64(900000+i*width+j)) - .5)
			for k := range width { // a reflection: its columns are orthogonal
				c := -2 / float64(width)
				if j == k {
					c++
				}
				row[k] += float32(c * x)
			}
		}
		row[0] += 5 // the mean is not 0
	}
	return rows
}

// largest is the twin: the whole covariance in double precision, and its first eigenvectors by powers, one after the
// other.
func largest(rows []float32, width int) (values [2]float64, vectors [2][]float64, total float64) {
	n := len(rows) / width
	mean := make([]float64, width)
	for i, x := range rows {
		mean[i%width] += float64(x) / float64(n)
	}
	c := make([][]float64, width)
	for j := range c {
		c[j] = make([]float64, width)
		for k := range c[j] {
			for i := range n {
				c[j][k] += (float64(rows[i*width+j]) - mean[j]) * (float64(rows[i*width+k]) - mean[k])
			}
		}
		total += c[j][j]
	}
	for at := range vectors {
		v := make([]float64, width)
		for j := range v {
			v[j] = 1 / float64(j+1+at)
		}
		for range 20000 {
			next, length := make([]float64, width), 0.
			for j := range next {
				for k, x := range v {
					next[j] += c[j][k] * x
				}
				length += next[j] * next[j]
			}
			length = math.Sqrt(length)
			for j := range next {
				v[j] = next[j] / length
			}
			values[at] = length
		}
		vectors[at] = v
		for j := range c {
			for k := range c[j] {
				c[j][k] -= values[at] * v[j] * v[k]
			}
		}
	}
	return values, vectors, total
}

// The axes are those of the whole covariance, their sign too.
func TestPrincipalAxes(t *testing.T) {
	t.Parallel()
	for _, width := range []int{2, 3, 7, 40} {
		rows := cloud(300, width, func(j int) float64 { return math.Pow(.8, float64(j)) })
		p, err := FindPrincipal(t.Context(), rows, width)
		expect.NoError(t, err)
		values, vectors, total := largest(rows, width)
		if want := (values[0] + values[1]) / total; math.Abs(p.Share-want) > 1e-9 {
			t.Errorf("width %d: the share is %g, want %g", width, p.Share, want)
		}
		for at, want := range vectors {
			peak := slices.MaxFunc(want, func(a, b float64) int { return int(1e9 * (math.Abs(a) - math.Abs(b))) })
			for j := range want {
				if got := p.Axes[at][j]; math.Abs(got-math.Copysign(1, peak)*want[j]) > 1e-6 {
					t.Errorf("width %d: coordinate %d of axis %d is %g, want %g", width, j, at, got, want[j])
				}
			}
		}
		again, err := FindPrincipal(t.Context(), rows, width)
		if err != nil || !slices.Equal(again.Axes[1], p.Axes[1]) {
			t.Errorf("width %d: the axes differ from one call to the next, %v", width, err)
		}
	}
}

// What has no first direction, or none at all, has axes too.
func TestPrincipalAxesOfAnything(t *testing.T) {
	t.Parallel()
	round := cloud(200, 150, func(int) float64 { return 1 }) // no direction stands out
	for name, c := range map[string]struct {
		rows  []float32
		width int
	}{"round": {round, 150}, "one point": {slices.Repeat([]float32{1, 2, 3}, 5), 3}, "a line": {[]float32{0, 0, 1, 1, 2, 2}, 2},
		"one coordinate": {[]float32{1, 5, 2}, 1}} {
		p, err := FindPrincipal(t.Context(), c.rows, c.width)
		expect.NoError(t, err)
		if p.Share < 0 || p.Share > 1 || math.IsNaN(p.Share) {
			t.Errorf("%s: the share is %g", name, p.Share)
		}
		across := dot(p.Axes[0], p.Axes[1])
		for _, axis := range p.Axes {
			if length := dot(axis, axis); math.Abs(length-1) > 1e-9 && length != 0 || math.Abs(across) > 1e-9 {
				t.Errorf("%s: the axes are %v", name, p.Axes)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindPrincipal(ctx, round, 150); err == nil {
		t.Error("the context is canceled, and it continues")
	}
}
