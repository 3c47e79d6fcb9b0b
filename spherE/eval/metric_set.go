package eval

import "iter"

// Scores are the metrics of one cut on one side (head or tail queries) of some triples. Averages are over triples, as
// in the paper, unless the name says otherwise: the F1 of a query counts once for every triple of the split with that
// query.
//
// With R the retrieved set, G the ground truth and K the known answers of a query:
//   - F1 is 2|R∩G| / (|R|+|G|), precision |R∩G| / |R|, recall |R∩G| / |G|. G is never empty. When R is empty all three
//     are 0.
//   - NovelF1 is the F1 of R\K against G\K: what the model adds to the known answers. An empty R\K scores 0, so lookup
//     scores 0. A query with an empty G\K has nothing to find (all its triples of the split are also in a known split).
//     Its triples are left out of this average; NovelTriples counts the rest.
//   - UnionF1 is the F1 of R∪K against G: the result for a user who also has the known facts.
//   - RR, the retrieve rate, is the share of triples whose own answer is in R.
type Scores struct {
	Triples int `json:"triples"`
	Queries int `json:"queries"` // distinct

	F1        float64 `json:"f1"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	RR        float64 `json:"rr"`
	Size      float64 `json:"size"`     // mean |R|
	QueryF1   float64 `json:"query_f1"` // mean over distinct queries instead of triples
	NovelF1   float64 `json:"novel_f1"`
	UnionF1   float64 `json:"union_f1"`

	NovelTriples int `json:"novel_triples"`

	// PerTriple is set if the sets of a query's triples differ, see Released and Tie. Then only the first five metrics
	// are defined.
	PerTriple bool `json:"per_triple,omitempty"`
}

var scoreNames = [...]string{"f1", "precision", "recall", "rr", "size", "query_f1", "union_f1", "novel_f1"}

// all are the values of scoreNames that are defined, by name.
func (s *Scores) all() iter.Seq2[string, float64] {
	values := []float64{s.F1, s.Precision, s.Recall, s.RR, s.Size, s.QueryF1, s.UnionF1, s.NovelF1}
	switch {
	case s.PerTriple:
		values = values[:5]
	case s.NovelTriples == 0:
		values = values[:len(values)-1]
	}
	return pairNames(scoreNames[:], values)
}

// pairNames pairs the first names with values.
func pairNames(names []string, values []float64) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for i, v := range values {
			if !yield(names[i], v) {
				return
			}
		}
	}
}

// tally sums up the queries of one side of a group.
type tally struct {
	triples, queries, novelTriples, size int64

	rr, f1, precision, recall, queryF1, novel, union float64

	perTriple bool
}

// add adds query i of a cut. Sums are in float64 and in the order of the calls. Products are converted before they are
// added, so that no compiler may fuse them.
func (t *tally) add(r *Records, c *CutRecord, i int) {
	w := float64(r.Triples[i])
	truth, known := r.Truth[i], r.Known[i]
	size, hits := c.Size[i], c.Hits[i]

	t.triples += int64(r.Triples[i])
	t.queries++
	t.rr += c.sumRR(r, i)
	if c.PerTriple {
		t.addTriples(r, c, i)
		return
	}
	t.size += int64(r.Triples[i]) * int64(size)

	f := f1(hits, size, truth)
	t.f1 += float64(w * f)
	t.queryF1 += f
	t.precision += float64(w * ratio(hits, size))
	t.recall += float64(w * ratio(hits, truth))
	if truth > known {
		t.novelTriples += int64(r.Triples[i])
		t.novel += float64(w * novelF1(r, c, i))
	}
	t.union += float64(w * unionF1(r, c, i))
}

// addTriples adds what differs between the triples of query i.
func (t *tally) addTriples(r *Records, c *CutRecord, i int) {
	t.perTriple = true
	t.f1 += c.sumF1(r, i)
	if c.Tied2 != nil {
		tied := c.tiedSums(r, i)
		t.precision += tied.precision
		t.recall += tied.rr
		t.size += tied.size
		return
	}
	own, truth := float64(c.Own[i]), r.Truth[i]
	others := float64(r.Triples[i]) - own
	size, hits := c.with(i)
	t.size += int64(r.Triples[i])*int64(c.Size[i]) + int64(c.Own[i])*int64(size-c.Size[i])
	t.precision += float64(own*ratio(hits, size)) + float64(others*ratio(c.Hits[i], c.Size[i]))
	t.recall += float64(own*ratio(hits, truth)) + float64(others*ratio(c.Hits[i], truth))
}

// novelF1 is NovelF1 of query i, 0 where all answers are known.
func novelF1(r *Records, c *CutRecord, i int) float64 {
	return f1(c.Hits[i]-c.Known[i], c.Size[i]-c.Known[i], r.Truth[i]-r.Known[i])
}

// unionF1 is UnionF1 of query i.
func unionF1(r *Records, c *CutRecord, i int) float64 {
	return f1(c.Hits[i]-c.Known[i]+r.Known[i], c.Size[i]-c.Known[i]+r.Known[i], r.Truth[i])
}

func (t *tally) scores() Scores {
	s := Scores{Triples: int(t.triples), Queries: int(t.queries), NovelTriples: int(t.novelTriples),
		PerTriple: t.perTriple}
	if t.triples == 0 {
		return s
	}
	n := float64(t.triples)
	s.F1 = t.f1 / n
	s.Precision = t.precision / n
	s.Recall = t.recall / n
	s.RR = t.rr / n
	s.Size = float64(t.size) / n
	s.QueryF1 = t.queryF1 / float64(t.queries)
	s.UnionF1 = t.union / n
	if t.novelTriples > 0 {
		s.NovelF1 = t.novel / float64(t.novelTriples)
	}
	return s
}

// f1 is the F1 of a set of the given size that holds hits of the right answers, which are truth in number.
func f1(hits, size, truth int32) float64 {
	if hits == 0 {
		return 0
	}
	return 2 * float64(hits) / (float64(size) + float64(truth))
}

// ratio is part/whole, and 0 where part is 0.
func ratio(part, whole int32) float64 {
	if part == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
