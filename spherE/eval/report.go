package eval

import (
	"context"

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
	NNTriples   int    `json:"nn_triples"` // triples of n-to-n relations

	Cuts    []Cut    `json:"cuts"`              // the primary one first, the lookup rows last
	Ranking *Ranking `json:"ranking,omitempty"` // nil when skipped

	Resamples int    `json:"resamples"` // behind the intervals
	Seed      uint64 `json:"seed"`

	Records *Records `json:"records,omitempty"` // with Settings.KeepRecords
}

// Cut is everything measured about one way to cut the entities into retrieved and not retrieved.
type Cut struct {
	Name string `json:"name"` // a criterion, "top-10", "top-mean", a name of Settings.Thresholds, "lookup" (returns the known answers), "lookup-train"
	Head Scores `json:"head"`
	Tail Scores `json:"tail"`
	// NNF1 is the mean of head and tail F1 over the triples of n-to-n relations, 0 when there are none.
	NNF1       float64             `json:"nn_f1"`
	Categories []Group             `json:"categories"`          // those that occur in the split, in the order 1-1, 1-n, n-1, n-n
	Relations  []Group             `json:"relations"`           // those that occur in the split, by name
	Intervals  map[string]Interval `json:"intervals,omitempty"` // by metric key: head_f1, tail_f1, head_rr, tail_rr, nn_f1
	NaN        int64               `json:"nan"`                 // values that were NaN, over all distinct queries
}

// Group are the metrics of the triples of one relation category or one relation.
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

// Cut returns the cut of that name.
func (r *Report) Cut(name string) (*Cut, bool) {
	for i := range r.Cuts {
		if r.Cuts[i].Name == name {
			return &r.Cuts[i], true
		}
	}
	return nil, false
}

// Metrics flattens the report for a tracker. The primary cut has plain keys (head_f1, tail_rr, nn_f1, ...),
// other cuts have their name in front (top-10/head_f1, lookup/tail_f1), interval ends are <key>_lo and <key>_hi,
// F1 and retrieve rate per relation category of the primary cut are category/n-n/head_f1 and so on. What is not
// defined on this split (nn_f1 without n-to-n triples, novel F1 without novel answers) is left out. nan_values
// is there only when it is not 0.
func (r *Report) Metrics() map[string]float64 {
	m := make(map[string]float64)
	for i := range r.Cuts {
		c := &r.Cuts[i]
		prefix := c.Name + "/"
		if c.Name == r.Primary {
			prefix = ""
			if c.NaN > 0 {
				m["nan_values"] = float64(c.NaN)
			}
			for _, g := range c.Categories {
				key := "category/" + g.Name + "/"
				m[key+"head_f1"], m[key+"tail_f1"] = g.Head.F1, g.Tail.F1
				m[key+"head_rr"], m[key+"tail_rr"] = g.Head.RR, g.Tail.RR
			}
		}
		c.Head.metrics(m, prefix+"head_")
		c.Tail.metrics(m, prefix+"tail_")
		if r.NNTriples > 0 {
			m[prefix+"nn_f1"] = c.NNF1
		}
		for key, v := range c.Intervals {
			m[prefix+key+"_lo"], m[prefix+key+"_hi"] = v.Low, v.High
		}
	}
	if r.Ranking != nil {
		r.Ranking.Both.metrics(m, "")
		r.Ranking.Head.metrics(m, "head_")
		r.Ranking.Tail.metrics(m, "tail_")
	}
	return m
}

func (s Scores) metrics(m map[string]float64, prefix string) {
	m[prefix+"f1"] = s.F1
	m[prefix+"precision"] = s.Precision
	m[prefix+"recall"] = s.Recall
	m[prefix+"rr"] = s.RR
	m[prefix+"size"] = s.Size
	m[prefix+"query_f1"] = s.QueryF1
	m[prefix+"union_f1"] = s.UnionF1
	if s.NovelTriples > 0 {
		m[prefix+"novel_f1"] = s.NovelF1
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
	for i := range rec.HeadQueries {
		if rec.NN[i] {
			r.NNTriples += int(rec.Triples[i])
		}
	}
	for i := range rec.Cuts {
		r.Cuts = append(r.Cuts, e.cut(rec, &rec.Cuts[i]))
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

// cut sums one cut up over all queries, per category and per relation, in query order.
func (e *Evaluator) cut(rec *Records, c *CutRecord) Cut {
	var all sides
	var categories [4]sides // by kg.Category
	relations := make([]sides, e.graph.Relations.Len())
	for i := range rec.Relation {
		relation := rec.Relation[i]
		all.add(rec, c, i)
		relations[relation].add(rec, c, i)
		categories[e.category[relation]].add(rec, c, i)
	}
	cut := Cut{Name: c.Name, Head: all[0].scores(), Tail: all[1].scores(), NaN: c.NaN}
	nn := &categories[kg.NToN]
	cut.NNF1 = (nn[0].scores().F1 + nn[1].scores().F1) / 2
	for _, category := range kg.RelationCategories() {
		if s := &categories[category]; s[0].triples > 0 {
			name := category.String()
			cut.Categories = append(cut.Categories, Group{Name: name, Category: name, Head: s[0].scores(), Tail: s[1].scores()})
		}
	}
	for relation := range relations { // ids are in the order of names
		if s := &relations[relation]; s[0].triples > 0 {
			cut.Relations = append(cut.Relations, Group{
				Name:     e.graph.Relations.Name(int32(relation)),
				Category: e.category[relation].String(),
				Head:     s[0].scores(),
				Tail:     s[1].scores(),
			})
		}
	}
	return cut
}
