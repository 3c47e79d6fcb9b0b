package logistic

import (
	"math"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/draw"
)

// observations are drawn with three features; where noise is false, the first one separates right from wrong.
func observations(n int, noise bool) (x [][]float64, weight, right []float64) {
	s := draw.New(7, draw.Initial, 0, 1)
	for i := range n {
		v := []float64{float64(s.Symmetric(2)), float64(s.Symmetric(1)), 1}
		r := 0.0
		if v[0]+0.5*v[1] > 0 || noise && i%5 == 0 {
			r = 1
		}
		x, weight, right = append(x, v), append(weight, 1+float64(i%3)), append(right, r)
	}
	return x, weight, right
}

// penalized are sums over the observations with a penalty.
func penalized(x [][]float64, weight, right []float64, ridge float64) func(at []float64) *Sums {
	p, zero := Lower(3), make([]float64, 3)
	for j := range p {
		p[j][j] = ridge
	}
	p[2][0] = ridge / 2
	return func(at []float64) *Sums {
		all := New(3)
		for half := range 2 { // merged sums are those of all
			s := New(3)
			for i := half; i < len(x); i += 2 {
				s.Add(at, x[i], weight[i], right[i])
			}
			all.Merge(s)
		}
		all.Pull(at, zero, p)
		return all
	}
}

// TestSums compares with the same loss in package math, its slopes with differences of losses, and second derivatives
// with differences of slopes.
func TestSums(t *testing.T) {
	t.Parallel()
	x, weight, right := observations(40, true)
	const ridge = .3
	sums := penalized(x, weight, right, ridge)
	at := []float64{.7, -.2, .1}
	want := ridge/2*(at[0]*at[0]+at[1]*at[1]+at[2]*at[2]) + ridge/2*at[0]*at[2]
	for i, v := range x {
		p := 1 / (1 + math.Exp(-(at[0]*v[0] + at[1]*v[1] + at[2]*v[2])))
		want -= weight[i] * (right[i]*math.Log(p) + (1-right[i])*math.Log(1-p))
	}
	got := sums(at)
	if math.Abs(got.Loss-want) > 1e-9*want {
		t.Errorf("loss %v, want %v", got.Loss, want)
	}
	const h = 1e-5
	for j := range at {
		up, down := append([]float64(nil), at...), append([]float64(nil), at...)
		up[j], down[j] = at[j]+h, at[j]-h
		a, b := sums(up), sums(down)
		if slope := (a.Loss - b.Loss) / (2 * h); math.Abs(slope-got.Gradient[j]) > 1e-5*(1+math.Abs(slope)) {
			t.Errorf("slope %d: %v, want %v", j, got.Gradient[j], slope)
		}
		for k := j; k < 3; k++ {
			curve := (a.Gradient[k] - b.Gradient[k]) / (2 * h)
			if math.Abs(curve-got.Curve[k][j]) > 1e-5*(1+math.Abs(curve)) {
				t.Errorf("second derivative %d, %d: %v, want %v", k, j, got.Curve[k][j], curve)
			}
		}
	}
}

// TestNewton: the slope vanishes at the result, for free weights alone, also where only the penalty keeps weights
// finite.
func TestNewton(t *testing.T) {
	t.Parallel()
	for _, noise := range []bool{true, false} {
		x, weight, right := observations(200, noise)
		sums := penalized(x, weight, right, 1e-3)
		for _, free := range [][]bool{nil, {true, false, true}} {
			start := []float64{0, .25, 0}
			w := Newton(start, free, sums)
			if start[0] != 0 || free != nil && w[1] != .25 {
				t.Errorf("start %v, fixed weight %v", start, w[1])
			}
			for j, g := range sums(w).Gradient {
				if (free == nil || free[j]) && math.Abs(g) > 1e-4 {
					t.Errorf("noise %v, free %v: slope %d is %v at %v", noise, free, j, g, w)
				}
			}
		}
	}
	// A feature twice and no penalty: no step, the start is returned.
	twice := func(at []float64) *Sums {
		s := New(2)
		s.Add(at, []float64{1, 1}, 1, 1)
		s.Add(at, []float64{2, 2}, 1, 0)
		return s
	}
	if w := Newton([]float64{1, 2}, nil, twice); w[0] != 1 || w[1] != 2 {
		t.Errorf("features that say the same: %v", w)
	}
}
