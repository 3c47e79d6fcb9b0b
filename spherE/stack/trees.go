package stack

import (
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/stack/boost"
)

// Trees correct the logarithms of odds of entities that a model ranks among the first of a query, see nearRank. Each
// forest goes with the weights of the same name.
type Trees struct {
	All    Forests    `json:"all"`
	Halves [2]Forests `json:"halves"`
}

// Forests by the side of the query.
type Forests struct {
	Head boost.Forest `json:"head"`
	Tail boost.Forest `json:"tail"`
}

func (f *Forests) side(s kg.Side) *boost.Forest {
	if s == kg.HeadSide {
		return &f.Head
	}
	return &f.Tail
}

// nearRank is the last rank that trees correct. Entities beyond it are rarely answers, and trees take more time than
// everything else.
const nearRank = 64

// treeFeatureCount is the number of features that trees see in a stack of that many models: the logarithm of the odds
// by the weights; for every model the score, the score less the crowd, the score less the greatest one of an entity
// that is not a training answer of the query, and ln(rank); then the counts of featureCount, and ln(1 + n) for the
// training facts of the asked entity, and the entities that the relation has on the asked side and on the given one;
// then how typical the entity is of the asked side, as mean and as greatest share of its classes (kg.Typicality).
func treeFeatureCount(models int) int {
	return 1 + treesPerModel*models + counts + moreCounts + typical
}

const (
	treesPerModel = 4
	moreCounts    = 3
	typical       = 2
)

// TreeFeatureNames names the features that trees see.
func TreeFeatureNames(models []string) []string {
	names := []string{"logarithm of the odds"}
	for _, m := range models {
		names = append(names, "score of "+m, "score less crowd of "+m, "score less best of "+m, "ln rank of "+m)
	}
	all := FeatureNames(models)
	return append(append(names, all[len(all)-counts:]...), "ln(1 + facts of the asked entity)",
		"ln(1 + entities on the asked side of the relation)", "ln(1 + entities on the given side of the relation)",
		"mean share of its classes on the asked side", "greatest share of its classes on the asked side")
}

// treeFeatures appends the features of an entity to x. odds is its logarithm of odds by the weights.
func (w *row) treeFeatures(x []float32, e int32, odds float64) []float32 {
	x = append(x, float32(odds))
	for k, values := range w.values {
		score := -values[e]
		x = append(x, score, score-w.crowd[k], score-w.best[k], w.logs[w.rank[k][e]])
	}
	asked, given := w.train.Tails(w.query.Relation), w.train.Heads(w.query.Relation)
	if w.query.Side == kg.HeadSide {
		asked, given = given, asked
	}
	w.compareClasses()
	return append(x, w.fixed[0], w.fixed[1], w.with[e], w.degree[e], w.degree[w.query.Known], w.lnCount(asked),
		w.lnCount(given), w.typicalMean[e], w.typicalMost[e])
}

// compareClasses finds how typical all entities are of the asked side, unless the query before had the same one.
func (w *row) compareClasses() {
	of := kg.Query{Side: w.query.Side, Relation: w.query.Relation}
	if w.isClassless || w.typicalOf == of {
		return
	}
	w.typicalOf = of
	w.graph.Typicality(of.Side, of.Relation, w.typicalMean, w.typicalMost)
}

// near calls do once for every entity that a model ranks among the first, and whose values are finite under all models.
func (w *row) near(do func(e int32)) {
	for k, sorted := range w.sorted {
		for _, x := range sorted {
			e := int32(uint32(x))
			if w.rank[k][e] > nearRank {
				break
			}
			if w.first(k, e) && w.finite(e) {
				do(e)
			}
		}
	}
}

// first reports whether no model before k ranks the entity among the first.
func (w *row) first(k int, e int32) bool {
	for i := range k {
		if v := w.values[i][e]; v == v && w.rank[i][e] <= nearRank {
			return false
		}
	}
	return true
}

// correct adds the trees' corrections to the logarithms of odds, for entities that a model ranks among the first.
func (w *row) correct(odds []float64, by *boost.Forest) {
	if len(by.Trees) == 0 {
		return
	}
	w.near(func(e int32) {
		w.tree = w.treeFeatures(w.tree[:0], e, odds[e])
		odds[e] += by.Sum(w.tree)
	})
}

// hash writes all numbers of trees.
func (t *Trees) hash(h hash.Hash) {
	for _, of := range []*Forests{&t.All, &t.Halves[0], &t.Halves[1]} {
		for _, forest := range []*boost.Forest{&of.Head, &of.Tail} {
			_ = binary.Write(h, binary.LittleEndian, int64(len(forest.Trees))) // a hash never fails
			for _, tree := range forest.Trees {
				_ = binary.Write(h, binary.LittleEndian, tree.Feature)
				_ = binary.Write(h, binary.LittleEndian, tree.Threshold)
				_ = binary.Write(h, binary.LittleEndian, tree.Leaf)
			}
		}
	}
}

// check refuses damaged trees.
func (t *Trees) check(features int) error {
	if t == nil {
		return nil
	}
	for _, of := range []*Forests{&t.All, &t.Halves[0], &t.Halves[1]} {
		for _, forest := range []*boost.Forest{&of.Head, &of.Tail} {
			if err := forest.Check(features); err != nil {
				return fmt.Errorf("stack: %w", err)
			}
		}
	}
	return nil
}
