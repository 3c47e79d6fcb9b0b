package eval

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Promised is the cut at one probability of new answers, "precision-0.8" or "recall-0.5": the smallest one with at
// least that precision of the new answers of all queries taken together, or the greatest with at least that recall. The
// threshold is fitted on one half of the validation queries. Outcome has what the other half shows.
type Promised struct {
	millionths int // of the share
	ofRecall   bool
	calibrated *Calibrated // nil where only the name is known
}

var promisePrefix = map[bool]string{false: "precision-", true: "recall-"}

// PromisedPrecision is the cut that promises a precision, PromisedRecall that of a recall. Shares are rounded to
// millionths. ok is false for a share that is not between 0 and 1.
func PromisedPrecision(share float64) (c Promised, ok bool) { return promised(share, false) }

// PromisedRecall is like PromisedPrecision.
func PromisedRecall(share float64) (c Promised, ok bool) { return promised(share, true) }

func promised(share float64, ofRecall bool) (Promised, bool) {
	n, ok := millionths(share)
	return Promised{millionths: n, ofRecall: ofRecall}, ok
}

// millionths rounds a share. ok is false if it is not between 0 and 1.
func millionths(share float64) (n int, ok bool) {
	if !(share > 0 && share < 1) {
		return 0, false
	}
	n = int(float64(share*1e6) + .5)
	return n, n > 0 && n < 1e6
}

func parsePromised(name string) (Cut, bool) {
	for ofRecall, prefix := range promisePrefix {
		if text, found := strings.CutPrefix(name, prefix); found {
			share, err := strconv.ParseFloat(text, 64)
			c, ok := promised(share, ofRecall)
			return c, ok && err == nil && c.Name() == name
		}
	}
	return nil, false
}

// Share is the precision or recall that is promised.
func (c Promised) Share() float64 { return float64(c.millionths) / 1e6 }

func (c Promised) Name() string {
	return promisePrefix[c.ofRecall] + strconv.FormatFloat(c.Share(), 'f', -1, 64)
}
func (c Promised) Kind() Kind { return KindPromised }

func (c Promised) Rank() int {
	if c.ofRecall {
		return 1e6 + c.millionths
	}
	return c.millionths
}

func (c Promised) prepare(p *plan) (prepared, error) { return prepareLimited(c, p) }

// By is the cut with probabilities.
func (c Promised) By(by *Calibrated) Limited {
	c.calibrated = by
	return c
}

// Outcome is how well a promise was kept. Precision and recall are of new answers, all queries taken together.
type Outcome struct {
	Reached     bool    `json:"reached"` // false: no threshold keeps the promise, so sets are empty
	Probability float64 `json:"probability"`
	Fitted      Kept    `json:"fitted"`   // on the queries that the threshold was fitted on
	Measured    Kept    `json:"measured"` // on the other validation queries
}

// Kept is the precision and the recall of new answers. A precision of no answers is 0.
type Kept struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// leastPromised is the number of answers needed to promise a precision. Fewer may be right by chance.
const leastPromised = 10

// Outcome is zero for a cut without probabilities.
func (c Promised) Outcome() Outcome {
	if c.calibrated == nil {
		return Outcome{}
	}
	fitted, measured := c.calibrated.Promise.Fitted.Both(), c.calibrated.Promise.Measured.Both()
	at, ok := c.place()
	if !ok {
		return Outcome{}
	}
	o := Outcome{Reached: true, Fitted: fitted.kept(at), Measured: measured.kept(at)}
	if at > 0 {
		o.Probability = Sigmoid{base: odds(at)}.At(0)
	}
	return o
}

// place is the bin at which the set begins.
func (c Promised) place() (at int, ok bool) {
	r := c.calibrated.Promise.Fitted.Both()
	all := r.sum(0, bins).right
	entities, right := 0.0, 0.0
	for i := len(r.Entities) - 1; i >= 0; i-- {
		entities, right = entities+r.Entities[i], right+r.Right[i]
		switch {
		case c.ofRecall && right >= float64(c.Share()*all):
			return i, all > 0
		case !c.ofRecall && entities >= leastPromised && right >= float64(c.Share()*entities):
			at, ok = i, true
		}
	}
	return at, ok
}

// Limits returns a Limit that finds each query's limit from the probability.
func (c Promised) Limits(g *kg.Graph) (Limit, error) {
	if c.calibrated == nil {
		return nil, notCalibrated(c, g)
	}
	p := &c.calibrated.Promise
	sigmoid, err := p.Calibration.Sigmoids(g)
	if err != nil || !p.Fitted.isWhole() || !p.Measured.isWhole() {
		return nil, notCalibrated(c, g)
	}
	at, ok := c.place()
	if !ok {
		return func(kg.Query, []int32, []float32) float32 { return float32(math.Inf(-1)) }, nil
	}
	least := math.Inf(-1)
	if at > 0 {
		least = odds(at)
	}
	return func(q kg.Query, _ []int32, values []float32) float32 {
		return sigmoid(q, values).reach(least)
	}, nil
}

// Text is one sentence: what was promised and what was measured.
func (o Outcome) Text(c Promised) string {
	name := strings.TrimSuffix(promisePrefix[c.ofRecall], "-")
	if !o.Reached {
		return fmt.Sprintf("no threshold reaches %s %g with %d new answers on the validation facts, so sets are empty",
			name, c.Share(), leastPromised)
	}
	return fmt.Sprintf("%s %g of new answers begins at probability %.3f on one half of the validation queries; the other "+
		"half gives precision %.3f, recall %.3f", name, c.Share(), o.Probability, o.Measured.Precision,
		o.Measured.Recall)
}
