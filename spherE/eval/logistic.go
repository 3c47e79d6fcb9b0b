package eval

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/exact"
)

// logistic sums up a weighted logistic regression at some weights: the negative log-likelihood, its gradient and its
// second derivatives, in float64 and in the order of the calls. No product is fused.
type logistic struct {
	loss     float64
	gradient weights
	curve    [features]weights
}

// add adds an observation of weight n: x are its features, right is 1 for a right answer and 0 for a wrong one.
func (l *logistic) add(at *weights, x *weights, n, right float64) {
	z := 0.0
	for j := range x {
		z += float64(at[j] * x[j])
	}
	softplus, p := exact.Logistic(z)
	l.loss += float64(n * (softplus - float64(right*z)))
	error, spread := float64(n*(p-right)), float64(n*float64(p*(1-p)))
	for j := range x {
		l.gradient[j] += float64(error * x[j])
		sx := float64(spread * x[j])
		for k := 0; k <= j; k++ {
			l.curve[j][k] += float64(sx * x[k])
		}
	}
}

func (l *logistic) merge(o *logistic) {
	l.loss += o.loss
	for j := range l.gradient {
		l.gradient[j] += o.gradient[j]
		for k := 0; k <= j; k++ {
			l.curve[j][k] += o.curve[j][k]
		}
	}
}

// pull adds the penalty (at - center)' P (at - center) / 2, of which the lower half of P is given.
func (l *logistic) pull(at, center *weights, p *[features]weights) {
	var d weights
	for j := range d {
		d[j] = at[j] - center[j]
	}
	for j := range d {
		sum := 0.0
		for k := range d {
			sum += float64(p[max(j, k)][min(j, k)] * d[k])
		}
		l.gradient[j] += sum
		l.loss += float64(float64(d[j]*sum) / 2)
		for k := 0; k <= j; k++ {
			l.curve[j][k] += p[j][k]
		}
	}
}

// newton finds the weights of least loss from a start, by Newton's method with halved steps. Weights that free leaves
// out stay at the start.
func newton(start weights, free [features]bool, sums func(at *weights) logistic) weights {
	at := start
	now := sums(&at)
	for range maxSteps {
		step, ok := now.step(free)
		if !ok {
			return at
		}
		moved := false
		for range maxHalvings {
			next := at
			for j := range next {
				next[j] -= step[j]
			}
			if then := sums(&next); then.loss < now.loss {
				gain := now.loss - then.loss
				at, now, moved = next, then, gain > float64(leastGain*now.loss)
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
)

// step is curve^-1 gradient over the free weights, by Cholesky's factors. It is not ok where the curve is not positive.
func (l *logistic) step(free [features]bool) (weights, bool) {
	var factor [features]weights
	for j := range factor {
		for k := 0; k <= j; k++ {
			sum := l.curve[j][k]
			if !free[j] || !free[k] {
				sum = 0
				if j == k {
					sum = 1
				}
			}
			for i := range k {
				sum -= float64(factor[j][i] * factor[k][i])
			}
			switch {
			case j > k:
				factor[j][k] = sum / factor[k][k]
			case sum > float64(leastPivot*l.curve[j][j]):
				factor[j][j] = math.Sqrt(sum)
			default:
				return weights{}, false
			}
		}
	}
	var x weights
	for j := range x {
		sum := 0.0
		if free[j] {
			sum = l.gradient[j]
		}
		for k := range j {
			sum -= float64(factor[j][k] * x[k])
		}
		x[j] = sum / factor[j][j]
	}
	for j := features - 1; j >= 0; j-- {
		sum := x[j]
		for k := j + 1; k < features; k++ {
			sum -= float64(factor[k][j] * x[k])
		}
		x[j] = sum / factor[j][j]
	}
	return x, true
}

// leastPivot leaves a step out where features say the same.
const leastPivot = 1e-12
