package eval

import (
	"iter"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Ranking are the filtered ranking metrics over the values of CriterionMargin, with realistic ranks: where several
// entities have the answer's value, its rank is the mean of the best and the worst place among them.
type Ranking struct {
	Head RankScores `json:"head"`
	Tail RankScores `json:"tail"`
	Both RankScores `json:"both"` // over the head and the tail query of every triple; each side counts half

	Categories []RankGroup `json:"categories"`
	NaN        int64       `json:"nan"` // values that were NaN, over all distinct queries; they rank last
}

// RankScores are averages over triples.
type RankScores struct {
	Triples int     `json:"triples"`
	MRR     float64 `json:"mrr"`     // mean of 1/rank
	MR      float64 `json:"mr"`      // mean rank
	Hits1   float64 `json:"hits_1"`  // share of ranks <= 1
	Hits3   float64 `json:"hits_3"`  //
	Hits10  float64 `json:"hits_10"` //
}

// RankGroup are the ranking metrics of the triples of one relation category.
type RankGroup struct {
	Name string     `json:"name"`
	Head RankScores `json:"head"`
	Tail RankScores `json:"tail"`
}

var rankNames = [...]string{"mrr", "mr", "hits_1", "hits_3", "hits_10"}

// all are the values of rankNames, by name.
func (s *RankScores) all() iter.Seq2[string, float64] {
	return pairNames(rankNames[:], []float64{s.MRR, s.MR, s.Hits1, s.Hits3, s.Hits10})
}

// rankTally sums up ranks.
type rankTally struct {
	triples, rank2, hits1, hits3, hits10 int64

	reciprocal float64
}

// add adds a rank, given doubled.
func (t *rankTally) add(rank2 int32) {
	t.triples++
	t.rank2 += int64(rank2)
	t.reciprocal += 2 / float64(rank2)
	if rank2 <= 2 {
		t.hits1++
	}
	if rank2 <= 6 {
		t.hits3++
	}
	if rank2 <= 20 {
		t.hits10++
	}
}

// plus returns the tally of both groups together.
func (t rankTally) plus(o rankTally) rankTally {
	return rankTally{
		triples: t.triples + o.triples, rank2: t.rank2 + o.rank2,
		hits1: t.hits1 + o.hits1, hits3: t.hits3 + o.hits3, hits10: t.hits10 + o.hits10,
		reciprocal: t.reciprocal + o.reciprocal,
	}
}

func (t rankTally) scores() RankScores {
	if t.triples == 0 {
		return RankScores{}
	}
	n := float64(t.triples)
	return RankScores{
		Triples: int(t.triples),
		MRR:     t.reciprocal / n,
		MR:      float64(t.rank2) / 2 / n,
		Hits1:   float64(t.hits1) / n,
		Hits3:   float64(t.hits3) / n,
		Hits10:  float64(t.hits10) / n,
	}
}

// bothSides returns the scores of both sides together. Each side of a split has every triple. A sample has as many
// queries of each side, but not as many triples, so there the scores are the means of both sides. That keeps a query
// with many answers from deciding how much its side counts.
func bothSides(head, tail rankTally) RankScores {
	if head.triples == tail.triples || head.triples == 0 || tail.triples == 0 {
		return head.plus(tail).scores()
	}
	h, t := head.scores(), tail.scores()
	mean := func(a, b float64) float64 { return (a + b) / 2 }
	return RankScores{Triples: h.Triples + t.Triples, MRR: mean(h.MRR, t.MRR), MR: mean(h.MR, t.MR),
		Hits1: mean(h.Hits1, t.Hits1), Hits3: mean(h.Hits3, t.Hits3), Hits10: mean(h.Hits10, t.Hits10)}
}

// ranking sums the ranks up, in query order.
func (e *Evaluator) ranking(rec *Records) *Ranking {
	var all [2]rankTally
	var categories [4][2]rankTally // by kg.Category
	next := 0
	for i := range rec.Relation {
		side, category := rec.side(i), e.category[rec.Relation[i]]
		for _, rank2 := range rec.Rank2[next : next+int(rec.Triples[i])] {
			all[side].add(rank2)
			categories[category][side].add(rank2)
		}
		next += int(rec.Triples[i])
	}
	r := &Ranking{Head: all[0].scores(), Tail: all[1].scores(), Both: bothSides(all[0], all[1]), NaN: rec.RankNaN}
	for _, c := range kg.RelationCategories() {
		if g := categories[c]; g[0].triples+g[1].triples > 0 {
			r.Categories = append(r.Categories, RankGroup{Name: c.String(), Head: g[0].scores(), Tail: g[1].scores()})
		}
	}
	return r
}
