package kg

import (
	"slices"
)

// CheckReport is the result of Check.
type CheckReport struct {
	Graph     string `json:"graph"`
	Source    string `json:"source"`
	Digest    string `json:"digest"`
	Division  string `json:"division,omitempty"` // of a single file, see Graph
	Entities  int    `json:"entities"`
	Relations int    `json:"relations"`
	Labelled  int    `json:"labelled_entities"` // entities with a readable label

	LabelledRelations int `json:"labelled_relations"` // relations with a readable label

	Splits     [3]SplitReport    `json:"splits"`     // train, valid, test
	Categories [4]CategoryReport `json:"categories"` // 1-1, 1-n, n-1, n-n
	PerSide    [2]SideReport     `json:"sides"`      // head queries, tail queries, of test triples

	// Degrees of the entities in training: as head, as tail, and both.
	OutDegree Distribution `json:"out_degree"`
	InDegree  Distribution `json:"in_degree"`
	Degree    Distribution `json:"degree"`

	PerRelation []RelationReport `json:"per_relation"` // by id

	// Pairs of relations with nearly the same entity pairs, reversed or not, over all splits; the largest overlap
	// first.
	Inverses       []RelationPair `json:"inverse_relations"`
	NearDuplicates []RelationPair `json:"near_duplicate_relations"`

	Leaks    [2]LeakReport `json:"leaks"` // valid, test
	Similar  []Similar     `json:"similar_names"`
	Homonyms []Homonyms    `json:"homonyms"`
	Warnings []Warning     `json:"warnings"`
}

// Place is Graph.Place of the graph.
func (r CheckReport) Place() string { return place(r.Graph, r.Source) }

// SplitReport counts a split.
type SplitReport struct {
	Split            string `json:"split"`
	Triples          int    `json:"triples"`
	Entities         int    `json:"entities"`  // distinct ones in the split
	Relations        int    `json:"relations"` // distinct ones in the split
	Loops            int    `json:"loops"`     // triples whose head is their tail
	UnseenEntities   int    `json:"unseen_entities"`
	UnseenRelations  int    `json:"unseen_relations"`
	TriplesOfUnseen  int    `json:"triples_with_unseen"` // triples with an entity or relation that is not in training
	DuplicateRemoved int    `json:"duplicates_removed"`
}

// CategoryReport counts the relations of a category and their triples.
type CategoryReport struct {
	Category  string `json:"category"`
	Relations int    `json:"relations"`
	Train     int    `json:"train"`
	Valid     int    `json:"valid"`
	Test      int    `json:"test"`
}

// SideReport counts the answers, over all splits, to the queries of one side of the test triples.
type SideReport struct {
	Side            string       `json:"side"`
	DistinctQueries int          `json:"distinct_queries"`
	PerTriple       Distribution `json:"answers_per_test_triple"`
	PerQuery        Distribution `json:"answers_per_distinct_query"`
}

// RelationReport describes one relation over all splits.
type RelationReport struct {
	Relation     string  `json:"relation"`
	Category     string  `json:"category"`
	Train        int     `json:"train"`
	Valid        int     `json:"valid"`
	Test         int     `json:"test"`
	Heads        int     `json:"heads"` // distinct
	Tails        int     `json:"tails"` // distinct
	TailsPerHead float64 `json:"tails_per_head"`
	HeadsPerTail float64 `json:"heads_per_tail"`
	Symmetric    float64 `json:"symmetric"` // share of its triples, without loops, whose reverse is a triple too
	Loops        int     `json:"loops"`     // triples whose head is their tail
	HeldOut      float64 `json:"held_out"`  // share of its triples that are in valid or test
	// Leak is the share of its triples of valid and test that training holds too: the same, reversed by the relation
	// itself or by an inverse one, or by a near duplicate.
	Leak float64 `json:"leak"`
}

// Facts is the number of its triples in all splits.
func (r RelationReport) Facts() int { return r.Train + r.Valid + r.Test }

// RelationPair is a pair of relations with many common entity pairs.
type RelationPair struct {
	First       string  `json:"first"`
	Second      string  `json:"second"`
	Shared      int     `json:"shared"`       // entity pairs of both
	FirstShare  float64 `json:"first_share"`  // of the first relation's triples
	SecondShare float64 `json:"second_share"` // of the second relation's triples
}

// LeakReport counts the triples of a split that leak from training. A triple can count in several fields; loops count
// in InTrain only.
type LeakReport struct {
	Split         string `json:"split"`
	Triples       int    `json:"triples"`
	InTrain       int    `json:"in_train"`       // the same triple
	Symmetric     int    `json:"symmetric_twin"` // (t, r, h) is in training
	Inverse       int    `json:"inverse"`        // (t, r', h) is in training, with r' of Inverses
	NearDuplicate int    `json:"near_duplicate"` // (h, r', t) is in training, with r' of NearDuplicates
	Twins         int    `json:"twins"`          // one of the last three
	Reversed      int    `json:"reversed"`       // (t, x, h) is in training, with any relation x
	Parallel      int    `json:"parallel"`       // (h, x, t) is in training, with any relation x but r
}

// Distribution summarises a list of counts.
type Distribution struct {
	Count  int     `json:"count"` // number of counts
	Mean   float64 `json:"mean"`
	Min    int     `json:"min"`
	Median float64 `json:"median"`
	P90    int     `json:"p90"` // the smallest number that 90 % do not exceed
	P99    int     `json:"p99"`
	Max    int     `json:"max"`
	// Buckets counts the numbers 0, 1, 2-3, 4-7, 8-15 and so on.
	Buckets []Bucket `json:"buckets"`
}

// Bucket counts the numbers from From to To, both included.
type Bucket struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Count int `json:"count"`
}

// Two relations are reported as a pair if they share at least minOverlap entity pairs, and these are at least
// minOverlapShare of one of them. The first condition excludes chance in tiny relations.
const (
	minOverlapShare = 0.8
	minOverlap      = 5
)

// Check computes statistics of a graph and finds leaks between its splits. Time and memory are proportional to the
// number of triples, except for entity pairs in very many relations.
func Check(g *Graph) CheckReport {
	all, train := g.Index(), g.Index(Train)
	categories := all.Categories()
	r := CheckReport{
		Graph: g.Name, Source: g.Source, Digest: g.Digest(), Division: g.Division,
		Entities: g.Entities.Len(), Relations: g.Relations.Len(),
		Warnings: slices.Clone(g.Warnings),
	}
	r.Labelled, r.LabelledRelations = g.entities().labelledNames(), g.relations().labelledNames()
	for _, s := range Splits() {
		r.Splits[s] = checkSplit(g, s)
	}
	for i, c := range RelationCategories() {
		r.Categories[i].Category = c.String()
	}
	r.PerRelation = checkRelations(g, all, categories)
	for id, rel := range r.PerRelation {
		c := &r.Categories[categories[id]]
		c.Relations++
		c.Train += rel.Train
		c.Valid += rel.Valid
		c.Test += rel.Test
	}
	for i, sd := range [2]Side{HeadSide, TailSide} {
		r.PerSide[i] = checkSide(g, all, sd)
	}
	out, in := make([]int, r.Entities), make([]int, r.Entities)
	for _, t := range g.Train {
		out[t.Head]++
		in[t.Tail]++
	}
	r.OutDegree, r.InDegree = distribution(out), distribution(in)
	for e := range out {
		out[e] += in[e]
	}
	r.Degree = distribution(out)

	inverses, duplicates := relationPairs(all)
	r.Inverses, r.NearDuplicates = name(g, inverses), name(g, duplicates)
	pairs := newPairSet(g.Train)
	leaks := make([]int, r.Relations)
	for i, s := range [2]Split{Valid, Test} {
		r.Leaks[i] = checkLeaks(g, s, train, pairs, partners(inverses), partners(duplicates), leaks)
	}
	for id := range r.PerRelation {
		rel := &r.PerRelation[id]
		rel.HeldOut = mean(rel.Valid+rel.Test, rel.Facts())
		rel.Leak = mean(leaks[id], rel.Valid+rel.Test)
	}
	r.Similar, r.Homonyms = similar(g), append([]Homonyms{}, homonyms(g)...)
	r.warnOfLeaks()
	return r
}

// warnOfLeaks adds a warning of leaks if the graph has none yet. A graph in a folder has none, since it was not divided
// here.
func (r *CheckReport) warnOfLeaks() {
	leaks, held := r.Leaks[0].Twins+r.Leaks[1].Twins, r.Leaks[0].Triples+r.Leaks[1].Triples
	if leaks > 0 && !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Kind == LeakyDivision }) {
		r.Warnings = append(r.Warnings, Warning{Kind: Leak, File: r.Place(), Count: leaks,
			Message: leakMessage(leaks, held)})
	}
}

func checkSplit(g *Graph, s Split) SplitReport {
	r := SplitReport{Split: s.String()}
	trained := seenIn(g, g.Train)
	here := seenIn(g, g.Split(s))
	for e, ok := range here.entities {
		if ok {
			r.Entities++
			if !trained.entities[e] {
				r.UnseenEntities++
			}
		}
	}
	for x, ok := range here.relations {
		if ok {
			r.Relations++
			if !trained.relations[x] {
				r.UnseenRelations++
			}
		}
	}
	for _, t := range g.Split(s) {
		r.Triples++
		if t.Head == t.Tail {
			r.Loops++
		}
		if !trained.entities[t.Head] || !trained.entities[t.Tail] || !trained.relations[t.Relation] {
			r.TriplesOfUnseen++
		}
	}
	for _, w := range g.Warnings {
		if w.Kind == DuplicateTriple && w.Split == s {
			r.DuplicateRemoved += w.Count
		}
	}
	return r
}

func checkRelations(g *Graph, all *Index, categories []Category) []RelationReport {
	out := make([]RelationReport, g.Relations.Len())
	for id := range out {
		x := int32(id)
		out[id] = RelationReport{
			Relation: g.Relations.Name(x), Category: categories[id].String(),
			Heads: all.Heads(x), Tails: all.Tails(x),
			TailsPerHead: all.TailsPerHead(x), HeadsPerTail: all.HeadsPerTail(x),
		}
	}
	for _, t := range g.Train {
		out[t.Relation].Train++
	}
	for _, t := range g.Valid {
		out[t.Relation].Valid++
	}
	for _, t := range g.Test {
		out[t.Relation].Test++
	}
	twins, others := make([]int, len(out)), make([]int, len(out))
	all.each(func(t Triple) {
		if t.Head == t.Tail {
			out[t.Relation].Loops++
			return
		}
		others[t.Relation]++
		if all.Has(reversed(t, t.Relation)) {
			twins[t.Relation]++
		}
	})
	for id := range out {
		out[id].Symmetric = mean(twins[id], others[id])
	}
	return out
}

func reversed(t Triple, relation int32) Triple { return Triple{t.Tail, relation, t.Head} }

func checkSide(g *Graph, all *Index, sd Side) SideReport {
	r := SideReport{Side: sd.String()}
	perTriple := make([]int, 0, len(g.Test))
	var perQuery []int
	seen := make(map[Query]bool)
	for _, t := range g.Test {
		q := t.Query(sd)
		n := len(all.Answers(q))
		perTriple = append(perTriple, n)
		if !seen[q] {
			seen[q] = true
			perQuery = append(perQuery, n)
		}
	}
	r.DistinctQueries = len(perQuery)
	r.PerTriple, r.PerQuery = distribution(perTriple), distribution(perQuery)
	return r
}

// distribution summarises numbers >= 0. It sorts them in place.
func distribution(numbers []int) Distribution {
	d := Distribution{Count: len(numbers)}
	if len(numbers) == 0 {
		return d
	}
	slices.Sort(numbers)
	n, sum := len(numbers), 0
	for _, x := range numbers {
		sum += x
	}
	d.Mean = float64(sum) / float64(n)
	d.Min, d.Max = numbers[0], numbers[n-1]
	d.Median = float64(numbers[(n-1)/2]+numbers[n/2]) / 2
	percentile := func(p int) int { return numbers[(p*n+99)/100-1] }
	d.P90, d.P99 = percentile(90), percentile(99)
	from, to, at := 0, 0, 0
	for at < n {
		b := Bucket{From: from, To: to}
		for at < n && numbers[at] <= to {
			b.Count++
			at++
		}
		d.Buckets = append(d.Buckets, b)
		from, to = to+1, 2*to+1
	}
	return d
}
