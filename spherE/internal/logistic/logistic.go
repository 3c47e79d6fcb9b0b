// Package logistic fits logistic regressions in exact arithmetic: in float64, in the order of the calls, no product
// fused.
package logistic

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/exact"
)

// Sums are the loss of a weighted logistic regression and its derivatives, at given weights.
type Sums struct {
	Loss     float64     // the negative log-likelihood
	Gradient []float64   // by feature
	Curve    [][]float64 // the lower half of the second derivatives: row j has j+1 numbers
}

// New returns sums over nothing.
func New(features int) *Sums {
	return &Sums{Gradient: make([]float64, features), Curve: Lower(features)}
}

// Lower returns the lower half of a symmetric matrix of zeros.
func Lower(features int) [][]float64 {
	rows, all := make([][]float64, features), make([]float64, features*(features+1)/2)
	for j := range rows {
		rows[j], all = all[:j+1:j+1], all[j+1:]
	}
	return rows
}

// Sum is at . x, the logarithm of the odds.
func Sum(at, x []float64) float64 {
	z := 0.0
	for j, w := range at {
		z += float64(w * x[j])
	}
	return z
}

// Add adds an observation of weight n: x are its features, right is 1 for a right answer and 0 for a wrong one.
func (s *Sums) Add(at, x []float64, n, right float64) {
	z := Sum(at, x)
	softplus, p := exact.Logistic(z)
	s.Loss += float64(n * (softplus - float64(right*z)))
	error, spread := float64(n*(p-right)), float64(n*float64(p*(1-p)))
	for j, v := range x {
		s.Gradient[j] += float64(error * v)
		sx, row := float64(spread*v), s.Curve[j]
		for k := range row {
			row[k] += float64(sx * x[k])
		}
	}
}

// Merge adds other sums at the same weights.
func (s *Sums) Merge(o *Sums) {
	s.Loss += o.Loss
	for j, row := range s.Curve {
		s.Gradient[j] += o.Gradient[j]
		for k := range row {
			row[k] += o.Curve[j][k]
		}
	}
}

// Pull adds the penalty (at - center)' P (at - center) / 2, of which the lower half of P is given.
func (s *Sums) Pull(at, center []float64, p [][]float64) {
	d := make([]float64, len(at))
	for j := range d {
		d[j] = at[j] - center[j]
	}
	for j, row := range p {
		sum := 0.0
		for k := range d {
			sum += float64(p[max(j, k)][min(j, k)] * d[k])
		}
		s.Gradient[j] += sum
		s.Loss += float64(float64(d[j]*sum) / 2)
		for k := range row {
			s.Curve[j][k] += row[k]
		}
	}
}

// Newton finds the weights of least loss from a start, by Newton's method with halved steps. Weights that are not free
// stay at the start. With free nil, all are free.
func Newton(start []float64, free []bool, sums func(at []float64) *Sums) []float64 {
	at := append([]float64(nil), start...)
	now := sums(at)
	for range maxSteps {
		step, ok := now.step(free)
		if !ok {
			return at
		}
		moved := false
		for range maxHalvings {
			next := append([]float64(nil), at...)
			for j := range next {
				next[j] -= step[j]
			}
			if then := sums(next); then.Loss < now.Loss {
				gain := now.Loss - then.Loss
				at, now, moved = next, then, gain > float64(leastGain*now.Loss)
				break
			}
			for j := range step {
				step[j] /= 2
			}
		}
		if !moved {
			return at
		}
	}
	return at
}

const (
	maxSteps    = 50
	maxHalvings = 12
	leastGain   = 1e-9
	leastPivot  = 1e-12 // skips a step if features carry the same information
)

// step is Curve^-1 Gradient over the free weights, by Cholesky's factors. ok is false if Curve is not positive
// definite.
func (s *Sums) step(free []bool) ([]float64, bool) {
	fixed := func(j int) bool { return free != nil && !free[j] }
	factor := Lower(len(s.Gradient))
	for j, row := range factor {
		for k := range row {
			sum := s.Curve[j][k]
			if fixed(j) || fixed(k) {
				sum = 0
				if j == k {
					sum = 1
				}
			}
			for i := range k {
				sum -= float64(row[i] * factor[k][i])
			}
			switch {
			case j > k:
				row[k] = sum / factor[k][k]
			case sum > float64(leastPivot*s.Curve[j][j]):
				row[j] = math.Sqrt(sum)
			default:
				return nil, false
			}
		}
	}
	x := make([]float64, len(s.Gradient))
	for j, row := range factor {
		sum := 0.0
		if !fixed(j) {
			sum = s.Gradient[j]
		}
		for k := range j {
			sum -= float64(row[k] * x[k])
		}
		x[j] = sum / row[j]
	}
	for j := len(x) - 1; j >= 0; j-- {
		sum := x[j]
		for k := j + 1; k < len(x); k++ {
			sum -= float64(factor[k][j] * x[k])
		}
		x[j] = sum / factor[j][j]
	}
	return x, true
}
