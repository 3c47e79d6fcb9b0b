package rule

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/kg"
)

// rules answers by mined path rules and by all rules with constants of one step. The latter need no mining: the index
// has the entities that have a trait, and what training says about them.
//
//	r(X, c) <- X has a trait         the known entity has it, and c is an answer of others that have it
//	r(c, Y) <- Y has a trait         known answers of c have it, and so do others
//
// Entities that no rule reaches are ordered by their frequency on the asked side.
type rules struct {
	net     *net
	traits  *traits
	prior   *frequency
	paths   [2][][]Rule // by side and relation; from the known entity
	noisyOr int
	spare   sync.Pool // of *jury
}

// Kinds of rules.
const (
	byPath = iota
	byKnown
	byAnswers
	families
)

const (
	bestKept   = 4      // confidences kept per entity and kind
	walkSteps  = 3000   // of one rule and query
	queryWork  = 300000 // steps of all path rules of a query
	traitWork  = 400000 // facts visited by the rules of a kind with constants
	priorScale = 1e-3   // weight of the frequency: below the least confidence
	triedRules = 400    // validation facts per side that choose how confidences are combined
)

// check refuses rules that do not fit the graph.
func (m *Mined) check(g *kg.Graph) error {
	if m == nil {
		return fmt.Errorf("rule: there are no rules")
	}
	for _, r := range m.Rules {
		ok := r.Relation >= 0 && int(r.Relation) < g.Relations.Len() && r.Length >= 1 && r.Length <= longest &&
			r.Support > 0 && r.Support <= r.Pairs
		for _, step := range r.Body {
			ok = ok && step >= 0 && int(step) < 2*g.Relations.Len()
		}
		if !ok {
			return fmt.Errorf("rule: %+v is not a rule of graph %s", r, g.Name)
		}
	}
	if m.Families < 0 || m.Families > bestKept {
		return fmt.Errorf("rule: noisy-or of %d confidences", m.Families)
	}
	return nil
}

func newRules(g *kg.Graph, m Mined) *rules {
	r := &rules{net: newNet(g), traits: newTraits(g, nil), prior: newFrequency(g), noisyOr: m.Families}
	for side := range r.paths {
		r.paths[side] = make([][]Rule, g.Relations.Len())
	}
	for _, mined := range m.Rules {
		r.paths[kg.TailSide][mined.Relation] = append(r.paths[kg.TailSide][mined.Relation], mined)
		mined.path = mined.reversed()
		r.paths[kg.HeadSide][mined.Relation] = append(r.paths[kg.HeadSide][mined.Relation], mined)
	}
	r.spare.New = func() any {
		return &jury{walker: newWalker(r.net), best: make([][families][bestKept]float64, g.Entities.Len()),
			count: make([]int32, max(g.Entities.Len(), len(r.traits.weight)))}
	}
	return r
}

// jury collects what rules say about one query. It belongs to one worker.
type jury struct {
	*walker
	best    [][families][bestKept]float64 // by entity and kind: the greatest confidences, 0 if fewer
	reached []int32                       // entities with a confidence
	count   []int32                       // by entity or trait; 0 between uses
	counted []int32
}

// say records a confidence.
func (j *jury) say(e int32, kind int, c float64) {
	b := &j.best[e]
	if b[byPath][0]+b[byKnown][0]+b[byAnswers][0] == 0 {
		j.reached = append(j.reached, e)
	}
	list := &b[kind]
	for i := range list {
		if c > list[i] {
			c, list[i] = list[i], c
		}
	}
}

// add counts one more.
func (j *jury) add(i int32) {
	if j.count[i] == 0 {
		j.counted = append(j.counted, i)
	}
	j.count[i]++
}

// flush calls do with what was counted often enough, and sets counts to 0.
func (j *jury) flush(do func(i int32, count int)) {
	for _, i := range j.counted {
		if n := int(j.count[i]); n >= leastSupport {
			do(i, n)
		}
		j.count[i] = 0
	}
	j.counted = j.counted[:0]
}

// hear collects the confidences of all rules.
func (r *rules) hear(j *jury, q kg.Query) {
	for _, e := range j.reached {
		j.best[e] = [families][bestKept]float64{}
	}
	j.reached = j.reached[:0]
	work := queryWork
	for i := range r.paths[q.Side][q.Relation] {
		rule := &r.paths[q.Side][q.Relation][i]
		if work <= 0 {
			break
		}
		steps := min(walkSteps, work)
		c := rule.Confidence()
		for _, y := range j.from(q.Known, rule.path, steps) {
			j.say(y, byPath, c)
		}
		work -= steps - max(0, j.tries) + 1
	}
	step := 2 * q.Relation
	if q.Side == kg.HeadSide {
		step++
	}
	r.hearKnown(j, q, step)
	r.collectAnswers(j, q, step)
}

// hearKnown collects the confidences of the rules by traits of the known entity, the rarest trait first.
func (r *rules) hearKnown(j *jury, q kg.Query, step int32) {
	mine := slices.Clone(r.traits.of.at(q.Known))
	slices.SortStableFunc(mine, func(a, b int32) int { return len(r.traits.having.at(a)) - len(r.traits.having.at(b)) })
	work := traitWork
	for _, x := range mine {
		having := r.traits.having.at(x)
		if work -= len(having); work <= 0 {
			return
		}
		for _, e := range having {
			if e == q.Known {
				continue
			}
			for _, y := range r.net.over(e, step) {
				j.add(y)
				work--
			}
		}
		j.flush(func(y int32, n int) {
			if c := confidence(n, len(having)); c >= leastConfidence {
				j.say(y, byKnown, c)
			}
		})
	}
}

// collectAnswers collects the confidences of the rules by traits of the known answers.
func (r *rules) collectAnswers(j *jury, q kg.Query, step int32) {
	answers, work := r.net.over(q.Known, step), traitWork
	for _, a := range answers {
		for _, x := range r.traits.of.at(a) {
			j.add(x)
		}
		if work -= len(r.traits.of.at(a)); work <= 0 {
			break
		}
	}
	type shared struct {
		trait int32
		c     float64
	}
	var all []shared
	j.flush(func(x int32, n int) {
		c := confidence(n, len(r.traits.having.at(x)))
		if n < len(r.traits.having.at(x)) && c >= leastConfidence { // otherwise no other entity has it
			all = append(all, shared{x, c})
		}
	})
	slices.SortStableFunc(all, func(a, b shared) int {
		switch {
		case a.c > b.c:
			return -1
		case a.c < b.c:
			return 1
		}
		return int(a.trait - b.trait)
	})
	work = traitWork
	for _, s := range all {
		having := r.traits.having.at(s.trait)
		if work -= len(having); work <= 0 {
			return
		}
		for _, y := range having {
			j.say(y, byAnswers, s.c)
		}
	}
}

// verdict fills dst with logarithms of odds. With noisyOr 0 the maximum decides, and between equals the next one.
func (r *rules) verdict(j *jury, q kg.Query, noisyOr int, dst []float32) {
	r.prior.score(q, dst)
	for e := range dst {
		dst[e] += lnPriorScale
	}
	if noisyOr > 0 {
		for _, e := range j.reached {
			wrong := 1.0
			for _, list := range j.best[e] {
				for _, c := range list[:noisyOr] {
					wrong = float64(wrong * (1 - c))
				}
			}
			dst[e] = float32(exact.Log((1 - wrong) / wrong))
		}
		return
	}
	type ranked struct {
		entity int32
		all    [families * bestKept]float64
	}
	order := make([]ranked, len(j.reached))
	for i, e := range j.reached {
		order[i].entity = e
		for k, list := range j.best[e] {
			copy(order[i].all[k*bestKept:], list[:])
		}
		slices.SortFunc(order[i].all[:], func(a, b float64) int {
			switch {
			case a > b:
				return -1
			case a < b:
				return 1
			}
			return 0
		})
	}
	slices.SortFunc(order, func(a, b ranked) int {
		if c := slices.Compare(b.all[:], a.all[:]); c != 0 {
			return c
		}
		return int(a.entity - b.entity)
	})
	last := float32(math.Inf(1))
	for i, o := range order {
		if i > 0 && o.all == order[i-1].all {
			dst[o.entity] = last
			continue
		}
		// If the maximum is the same, each worse one is lower by one bit.
		last = min(float32(exact.Log(o.all[0]/(1-o.all[0]))), below(last))
		dst[o.entity] = last
	}
}

// below is the greatest float32 that is less than x, which is not NaN.
func below(x float32) float32 {
	switch b := math.Float32bits(x); {
	case x == 0:
		return -math.SmallestNonzeroFloat32
	case x > 0:
		return math.Float32frombits(b - 1)
	default:
		return math.Float32frombits(b + 1)
	}
}

// lnPriorScale is ln(priorScale).
var lnPriorScale = float32(exact.Log(priorScale))

func (r *rules) score(q kg.Query, dst []float32) {
	j := r.spare.Get().(*jury)
	defer r.spare.Put(j)
	r.hear(j, q)
	r.verdict(j, q, r.noisyOr, dst)
}

// fitRules mines rules, and chooses by the MRR of validation facts how confidences are combined.
func fitRules(ctx context.Context, g *kg.Graph, s Settings) (*Mined, error) {
	mined, err := mine(ctx, g, newNet(g), s.Seed, s)
	if err != nil {
		return nil, err
	}
	m := &Mined{Rules: mined}
	r, truth := newRules(g, *m), g.Index(kg.Train, kg.Valid)
	trials := append(drawTrials(g, kg.HeadSide, triedRules), drawTrials(g, kg.TailSide, triedRules)...)
	sums := make([]float64, bestKept+1)
	err = parallel.Ordered(ctx, s.Threads, len(trials), func() func(int) []float64 {
		j, dst := r.spare.Get().(*jury), make([]float32, g.Entities.Len())
		return func(i int) []float64 {
			found := make([]float64, len(sums))
			r.hear(j, trials[i].Query)
			for k := range found {
				r.verdict(j, trials[i].Query, k, dst)
				found[k] = reciprocalRank(dst, trials[i].answer, truth.Answers(trials[i].Query))
			}
			return found
		}
	}, func(_ int, found []float64) {
		for k, x := range found {
			sums[k] += x
		}
	})
	m.Families = best(sums)
	return m, err
}
