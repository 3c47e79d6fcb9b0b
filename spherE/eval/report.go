package eval

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Report is the result of one evaluation. It marshals to JSON and back.
type Report struct {
	Graph       string `json:"graph"`
	Split       string `json:"split"`        // "valid" or "test"
	Primary     string `json:"primary"`      // name of the cut behind the plain metric keys; "" without a model
	Triples     int    `json:"triples"`      // of the split
	HeadQueries int    `json:"head_queries"` // distinct
	TailQueries int    `json:"tail_queries"`
	NNTriples   int    `json:"nn_triples"` // triples of n-to-n relations, of the head queries answered

	// Sampled is set if not all queries were answered. The split has HeadOf and TailOf distinct ones.
	Sampled bool `json:"sampled,omitempty"`
	HeadOf  int  `json:"head_of,omitempty"`
	TailOf  int  `json:"tail_of,omitempty"`

	Cuts    []Result `json:"cuts"`              // the primary one first, the lookup rows last
	Ranking *Ranking `json:"ranking,omitempty"` // nil when skipped

	// Reliability of the probabilities that Judging named; nil without.
	Reliability *ReliabilityBySide `json:"reliability,omitempty"`

	Resamples int    `json:"resamples"` // behind the intervals
	Seed      uint64 `json:"seed"`

	Records *Records `json:"records,omitempty"` // with Settings.KeepRecords
}

// Result is everything measured about one cut.
type Result struct {
	Name string `json:"name"` // of the cut; ParseCut reads it
	Head Scores `json:"head"`
	Tail Scores `json:"tail"`
	// NNF1 is the mean of head and tail F1 over the triples of n-to-n relations, 0 when there are none. Of a cut under
	// protocol tie it is that over all triples.
	NNF1       float64             `json:"nn_f1"`
	Categories []Group             `json:"categories"`          // of the split, in the order 1-1, 1-n, n-1, n-n
	Relations  []Group             `json:"relations"`           // of the split, by name
	Intervals  map[string]Interval `json:"intervals,omitempty"` // by metric key: head_f1, tail_union_f1, nn_f1
	NaN        int64               `json:"nan"`                 // values that were NaN, over all distinct queries
	// Distractors is the share of the graph's distractors that is retrieved, over both sides; nil where it has none.
	Distractors *float64 `json:"distractors,omitempty"`
}

// Group has the metrics of the triples of one relation category or one relation.
type Group struct {
	Name     string `json:"name"` // "n-n", or the relation's name
	Category string `json:"category"`
	Head     Scores `json:"head"`
	Tail     Scores `json:"tail"`
}

// Interval is a 95 % interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Cut returns the result of the cut of that name.
func (r *Report) Cut(name string) (*Result, bool) {
	for i := range r.Cuts {
		if r.Cuts[i].Name == name {
			return &r.Cuts[i], true
		}
	}
	return nil, false
}

// Metrics flattens the report by Key without the split. The primary cut has plain keys (head_f1, tail_rr, nn_f1). Other
// cuts have their name in front (top-10/head_f1). Interval ends are <key>_lo and <key>_hi. F1 and retrieve rate of the
// primary cut per relation category are category/n-n/head_f1 and so on. What is not defined on this split (nn_f1
// without n-to-n triples, novel F1 without novel answers) is left out. nan_values is included only if it is not 0.
func (r *Report) Metrics() map[string]float64 { return r.metrics("") }

// LoggedMetrics are Metrics with the split in front, as a run logs them: test/head_f1.
func (r *Report) LoggedMetrics() map[string]float64 { return r.metrics(r.Split) }

func (r *Report) metrics(split string) map[string]float64 {
	m := make(map[string]float64)
	add := func(k Key, value float64) {
		k.Split = split
		m[k.String()] = value
	}
	for _, c := range r.Cuts {
		cut := c.Name
		if c.Name == r.Primary {
			cut = ""
			if c.NaN > 0 {
				add(Key{Metric: nanValues}, float64(c.NaN))
			}
			for _, g := range c.Categories {
				for side, s := range []Scores{g.Head, g.Tail} {
					if s.Triples == 0 {
						continue
					}
					add(Key{Category: g.Name, Metric: sidePrefix[side] + "f1"}, s.F1)
					add(Key{Category: g.Name, Metric: sidePrefix[side] + "rr"}, s.RR)
				}
			}
		}
		for side, s := range []Scores{c.Head, c.Tail} {
			for name, v := range s.all() {
				add(Key{Cut: cut, Metric: sidePrefix[side] + name}, v)
			}
		}
		if r.NNTriples > 0 {
			add(Key{Cut: cut, Metric: nnF1}, c.NNF1)
		}
		if c.Distractors != nil {
			add(Key{Cut: cut, Metric: distractors}, *c.Distractors)
		}
		for metric, v := range c.Intervals {
			add(Key{Cut: cut, Metric: metric, End: Low}, v.Low)
			add(Key{Cut: cut, Metric: metric, End: High}, v.High)
		}
	}
	if r.Ranking != nil {
		for name, v := range r.Ranking.Both.all() {
			add(Key{Metric: name}, v)
		}
		for side, s := range []RankScores{r.Ranking.Head, r.Ranking.Tail} {
			for name, v := range s.all() {
				add(Key{Metric: sidePrefix[side] + name}, v)
			}
		}
	}
	if r.Reliability != nil {
		r.Reliability.metrics(func(metric string, value float64) { add(Key{Metric: metric}, value) })
	}
	return m
}

// Add adds the cuts of another report on the same queries, in front of the lookup rows. Their values may be those of
// another model.
func (r *Report) Add(o *Report) {
	lookup := func(c Result) bool { return c.Name == LookupName }
	mine, theirs := slices.IndexFunc(r.Cuts, lookup), slices.IndexFunc(o.Cuts, lookup)
	r.Cuts = slices.Insert(r.Cuts, mine, o.Cuts[:theirs]...)
	if r.Records != nil && o.Records != nil {
		r.Records.Cuts = slices.Insert(r.Records.Cuts, mine, o.Records.Cuts[:theirs]...)
	}
}

// report computes all metrics from the counts.
func (e *Evaluator) report(ctx context.Context, rec *Records, primary string) (*Report, error) {
	r := &Report{
		Graph:     e.graph.Name,
		Split:     e.settings.Split.String(),
		Primary:   primary,
		Triples:   e.triples,
		Resamples: e.settings.Resamples,
		Seed:      e.settings.Seed,
	}
	r.HeadQueries, r.TailQueries = rec.HeadQueries, len(rec.Relation)-rec.HeadQueries
	if e.of != [2]int{r.HeadQueries, r.TailQueries} {
		r.Sampled, r.HeadOf, r.TailOf = true, e.of[0], e.of[1]
	}
	var nn [2]int
	for i, is := range rec.NN {
		if is {
			nn[rec.side(i)] += int(rec.Triples[i])
		}
	}
	if nn[1] > 0 { // the mean of both sides needs both
		r.NNTriples = nn[0]
	}
	for i := range rec.Cuts {
		r.Cuts = append(r.Cuts, e.result(rec, &rec.Cuts[i]))
	}
	if rec.Rank2 != nil {
		r.Ranking = e.ranking(rec)
	}
	if e.settings.Resamples > 0 {
		intervals, err := e.intervals(ctx, rec)
		if err != nil {
			return nil, err
		}
		for i := range r.Cuts {
			r.Cuts[i].Intervals = intervals[i]
		}
	}
	if e.settings.KeepRecords {
		r.Records = rec
	}
	return r, nil
}

// sides is a tally for head queries and one for tail queries.
type sides [2]tally

func (s *sides) add(r *Records, c *CutRecord, i int) { s[r.side(i)].add(r, c, i) }

// result sums one cut up over all queries, per category and per relation, in query order.
func (e *Evaluator) result(rec *Records, c *CutRecord) Result {
	var all sides
	var categories [4]sides // by kg.Category
	relations := make([]sides, e.graph.Relations.Len())
	for i := range rec.Relation {
		relation := rec.Relation[i]
		all.add(rec, c, i)
		relations[relation].add(rec, c, i)
		categories[e.category[relation]].add(rec, c, i)
	}
	out := Result{Name: c.Name, Head: all[0].scores(), Tail: all[1].scores(), NaN: c.NaN}
	nn := &categories[kg.NToN]
	if c.Tied2 != nil {
		nn = &all
	}
	out.NNF1 = (nn[0].scores().F1 + nn[1].scores().F1) / 2
	for _, category := range kg.RelationCategories() {
		out.Categories = categories[category].group(out.Categories, category.String(), category)
	}
	for r := range relations { // ids are in the order of names
		out.Relations = relations[r].group(out.Relations, e.graph.Relations.Name(int32(r)), e.category[r])
	}
	return out
}

// group adds the sides' metrics to groups, if there are any triples.
func (s *sides) group(groups []Group, name string, c kg.Category) []Group {
	if s[0].triples+s[1].triples == 0 { // in a sample only one side may have some
		return groups
	}
	return append(groups, Group{Name: name, Category: c.String(), Head: s[0].scores(), Tail: s[1].scores()})
}
