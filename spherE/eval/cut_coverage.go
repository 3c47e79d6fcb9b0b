package eval

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Covering is the cut by split conformal prediction, "coverage-0.9". Its sets hold this share of the right new answers,
// by side and cluster of relations; Coverage says what that means.
type Covering struct {
	millionths int         // of the share
	calibrated *Calibrated // nil where only the name is known
}

const coveragePrefix = "coverage-"

// CoverageOf is the cut that covers a share of the right new answers. Shares are rounded to millionths. ok is false for
// a share that is not between 0 and 1.
func CoverageOf(share float64) (c Covering, ok bool) {
	n, ok := millionths(share)
	return Covering{millionths: n}, ok
}

func parseCovering(name string) (Cut, bool) {
	text, found := strings.CutPrefix(name, coveragePrefix)
	if !found {
		return nil, false
	}
	share, err := strconv.ParseFloat(text, 64)
	c, ok := CoverageOf(share)
	return c, ok && err == nil && c.Name() == name
}

// Share is the share of the right new answers that is covered.
func (c Covering) Share() float64 { return float64(c.millionths) / 1e6 }

func (c Covering) Name() string { return coveragePrefix + strconv.FormatFloat(c.Share(), 'f', -1, 64) }
func (c Covering) Kind() Kind   { return KindCovering }
func (c Covering) Rank() int    { return c.millionths }

func (c Covering) prepare(p *plan) (prepared, error) { return prepareLimited(c, p) }

// By is the cut with probabilities.
func (c Covering) By(by *Calibrated) Limited {
	c.calibrated = by
	return c
}

// Limits returns a Limit that finds each query's limit from the odds of its cluster. The error says how many validation
// facts the share needs where there are too few.
func (c Covering) Limits(g *kg.Graph) (Limit, error) {
	if c.calibrated == nil {
		return nil, notCalibrated(c, g)
	}
	p := &c.calibrated.Promise
	sigmoid, err := p.Calibration.Sigmoids(g)
	if err != nil || p.Coverage.check(g) != nil {
		return nil, notCalibrated(c, g)
	}
	least := map[kg.Side][]float64{}
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for _, odds := range p.Coverage.Side(side).Clusters {
			z, ok := conformal(odds, c.millionths)
			if !ok {
				return nil, fmt.Errorf("eval: cut %q needs %d right answers to %s queries of validation facts; graph %q has %d: "+
					"choose a smaller share", c.Name(), needed(c.millionths), side, g.Name, len(odds))
			}
			least[side] = append(least[side], z)
		}
	}
	return func(q kg.Query, _ []int32, values []float32) float32 {
		z := least[q.Side][p.Coverage.Side(q.Side).Cluster[q.Relation]]
		reach := sigmoid(q, values).reach(z)
		if reach < math.MaxFloat32 { // a value at the border must not fall out by rounding
			reach = after(reach)
		}
		return reach
	}, nil
}

// after returns the next greater number. v is not NaN.
func after(v float32) float32 {
	switch b := math.Float32bits(v); {
	case v > 0:
		return math.Float32frombits(b + 1)
	case v < 0:
		return math.Float32frombits(b - 1)
	}
	return math.SmallestNonzeroFloat32
}

// Text is one sentence: by what the sets are chosen. It is "" for a cut without probabilities.
func (c Covering) Text() string {
	if c.calibrated == nil {
		return ""
	}
	var by [2]string
	for i, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		n, of := 0, c.calibrated.Promise.Coverage.Side(side)
		for _, odds := range of.Clusters {
			n += len(odds)
		}
		by[i] = fmt.Sprintf("%d right answers to %s queries (%d relations have enough for a limit of their own)", n, side,
			len(of.Clusters)-1)
	}
	return fmt.Sprintf("coverage %g of right new answers by split conformal prediction, on %s and %s of validation facts",
		c.Share(), by[0], by[1])
}

// conformal returns the odds from which on a set covers the share, given those of right answers in ascending order:
// the ceil((n+1) share)-th greatest. ok is false if there are too few answers for the share.
func conformal(ascending []float64, millionths int) (z float64, ok bool) {
	n := len(ascending)
	k := int((int64(n+1)*int64(millionths) + 1e6 - 1) / 1e6)
	if k > n {
		return 0, false
	}
	return ascending[n-k], true
}

// needed is the least number of right answers for which conformal finds odds.
func needed(millionths int) int { return (1e6 - 1) / (1e6 - millionths) }
