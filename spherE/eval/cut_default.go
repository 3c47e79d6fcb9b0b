package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// CutChoice is the cut of one side's answers where none is named. Where it is not the usual one, the numbers say why:
// they are the union F1 of validation queries.
type CutChoice struct {
	Cut        string   `json:"cut"`
	Usual      string   `json:"usual"`               // the first candidate
	Lookup     float64  `json:"lookup,omitempty"`    // of the known answers
	With       float64  `json:"with,omitempty"`      // of the known answers and the usual cut's set
	Difference Interval `json:"difference,omitzero"` // 95 %, of With - Lookup, paired over distinct queries
}

// Moved reports whether the cut is not the usual one.
func (c CutChoice) Moved() bool { return c.Cut != c.Usual }

// Why says in words why the cut is not the usual one.
func (c CutChoice) Why() string {
	return fmt.Sprintf("on the validation facts %s lowers union F1 from %.3f to %.3f (difference %+.3f to %+.3f)", c.Usual,
		c.Lookup, c.With, c.Difference.Low, c.Difference.High)
}

// DefaultCuts are the cuts of answers where none is named.
type DefaultCuts struct {
	Head CutChoice `json:"head"`
	Tail CutChoice `json:"tail"`
}

// Of is the choice of a side.
func (d *DefaultCuts) Of(side kg.Side) *CutChoice {
	if side == kg.HeadSide {
		return &d.Head
	}
	return &d.Tail
}

// Notes are a sentence for each side whose cut is not the usual one.
func (d *DefaultCuts) Notes() []string {
	var list []string
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		if c := d.Of(side); c.Moved() {
			list = append(list, fmt.Sprintf("%ss: %s answers where no cut is named, since %s", side, c.Cut, c.Why()))
		}
	}
	return list
}

// Check refuses cuts that ChooseCuts does not choose.
func (d *DefaultCuts) Check() error {
	for _, c := range []CutChoice{d.Head, d.Tail} {
		if c.Usual != defaultCandidates[0] || c.Cut != LookupName && !slices.Contains(defaultCandidates, c.Cut) {
			return fmt.Errorf("eval: %q in place of %q is not a default cut", c.Cut, c.Usual)
		}
	}
	return nil
}

// defaultCandidates are tried in this order.
var defaultCandidates = []string{ExpectedNovel, ExpectedUnion}

// ChooseCuts chooses for each side the cut of answers where none is named: the first of the usual cut, expected-novel,
// and ExpectedUnion that does not clearly lower the union F1 of a lookup on validation queries, else the lookup alone.
// The probabilities are those of by.Promise, which are fitted on every other validation query; the others decide. No
// test fact enters. The model is the one that by was fitted to.
func ChooseCuts(ctx context.Context, m Model, g *kg.Graph, by *Calibrated, s CalibrateSettings) (*DefaultCuts, error) {
	half := &Calibrated{New: by.Promise.Calibration}
	settings := Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}, SkipRanking: true, KeepRecords: true,
		Sample: s.Sample, Threads: s.Threads, Progress: s.Progress}
	for _, name := range defaultCandidates {
		cut, _ := parseExpected(name)
		settings.Cuts = append(settings.Cuts, cut.(Limited).By(half))
	}
	e, err := New(g, settings)
	if err != nil {
		return nil, err
	}
	var rest []query
	for place, q := range e.queries {
		if place%2 == 1 {
			rest = append(rest, q)
		}
	}
	e.queries = rest
	r, err := e.Run(ctx, m)
	if err != nil {
		return nil, err
	}
	var tried [][]Worth
	for _, name := range defaultCandidates {
		all, err := WorthOf(ctx, r, name, CompareSettings{Threads: s.Threads})
		if err != nil {
			return nil, err
		}
		tried = append(tried, all)
	}
	d := new(DefaultCuts)
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		*d.Of(side) = chooseCut(side, tried)
	}
	return d, nil
}

// chooseCut is the choice of a side by what was measured, of each candidate in turn.
func chooseCut(side kg.Side, tried [][]Worth) CutChoice {
	c := CutChoice{Cut: LookupName, Usual: defaultCandidates[0]}
	for i, name := range defaultCandidates {
		at := slices.IndexFunc(tried[i], func(w Worth) bool { return w.Side == side })
		if at < 0 || tried[i][at].Verdict() != Lowers { // without queries of the side nothing speaks against a cut
			c.Cut = name
			break
		}
		if w := tried[i][at]; i == 0 {
			c.Lookup, c.With, c.Difference = w.Lookup, w.With, w.Difference
		}
	}
	return c
}
