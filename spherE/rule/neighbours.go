package rule

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

// neighbours lets similar entities vote. The similarity of two entities is the cosine of their traits. Votes go to the
// answers of entities that are similar to the known one, and to entities that are similar to its known answers.
type neighbours struct {
	graph  *kg.Graph
	index  *kg.Index
	prior  *frequency
	traits [2]*traits // plain, and through hierarchies if there are any, otherwise nil
	voting Voting
	spare  sync.Pool // of *ballot
}

// Voting are the ways to vote by side and relation.
type Voting struct {
	Head []Way `json:"head"`
	Tail []Way `json:"tail"`
}

func (v *Voting) side(s kg.Side) []Way {
	if s == kg.HeadSide {
		return v.Head
	}
	return v.Tail
}

// Way is how votes are counted.
type Way struct {
	Hierarchy bool    `json:"hierarchy"` // ancestors of neighbours are shared too
	Power     int     `json:"power"`     // of the cosine: 1, 2, 4 or 8
	Answers   float64 `json:"answers"`   // weight of the votes by known answers
}

// check returns an error if the ways do not fit the graph.
func (v *Voting) check(g *kg.Graph) error {
	if v == nil || len(v.Head) != g.Relations.Len() || len(v.Tail) != g.Relations.Len() {
		return fmt.Errorf("rule: votes are not for the %d relations of graph %s", g.Relations.Len(), g.Name)
	}
	for _, w := range slices.Concat(v.Head, v.Tail) {
		if !slices.Contains(powers, w.Power) || !(w.Answers >= 0 && w.Answers <= math.MaxFloat32) {
			return fmt.Errorf("rule: votes with power %d and weight %v", w.Power, w.Answers)
		}
	}
	return nil
}

// maxVoters is the largest number of known answers that vote. If there are more, an even sample votes.
const maxVoters = 32

// priorShare is the weight of an entity's frequency next to votes. It orders entities without votes.
const priorShare = 1e-6

func newNeighbours(g *kg.Graph, v Voting) *neighbours {
	n := &neighbours{graph: g, index: g.Index(kg.Train), prior: newFrequency(g), voting: v}
	n.traits[0] = newTraits(g, nil)
	if h := newHierarchy(g); h.parents != nil {
		n.traits[1] = newTraits(g, h)
	}
	n.spare.New = func() any {
		size := g.Entities.Len()
		return &ballot{alike: alike{sum: make([]float64, size)}, known: make([]float64, size),
			answers: make([]float64, size)}
	}
	return n
}

// ballot has the votes of one query. It belongs to one worker.
type ballot struct {
	alike
	known   []float64 // by entity: votes of entities that are similar to the known one
	answers []float64 // by entity: votes of the known answers that it is similar to
}

// sight are the similarities that a query needs, whatever their power.
type sight struct {
	known   similar
	answers []similar
}

// similar has the entities that are similar to one, with cosines.
type similar struct {
	entities []int32
	cosines  []float64
}

// look finds the similarities of a query.
func (n *neighbours) look(b *ballot, q kg.Query, usesHierarchy bool) sight {
	t := n.traits[0]
	if usesHierarchy && n.traits[1] != nil {
		t = n.traits[1]
	}
	find := func(e int32) similar {
		b.compare(t, e)
		defer b.clear()
		s := similar{entities: slices.Clone(b.touched), cosines: make([]float64, len(b.touched))}
		for i, other := range s.entities {
			s.cosines[i] = b.sum[other]
		}
		return s
	}
	s := sight{known: find(q.Known)}
	answers := n.index.Answers(q)
	voters := min(len(answers), maxVoters)
	for i := range voters {
		s.answers = append(s.answers, find(answers[i*len(answers)/voters]))
	}
	return s
}

// vote fills dst with logarithms of votes.
func (n *neighbours) vote(b *ballot, q kg.Query, s *sight, w Way, dst []float32) {
	clear(b.known)
	clear(b.answers)
	all := 0.0
	for i, e := range s.known.entities {
		same := kg.Query{Side: q.Side, Relation: q.Relation, Known: e}
		answers := n.index.Answers(same)
		if len(answers) == 0 {
			continue
		}
		vote := power(s.known.cosines[i], w.Power)
		all += vote
		for _, a := range answers {
			b.known[a] += vote
		}
	}
	if w.Answers > 0 {
		for _, voter := range s.answers {
			for i, e := range voter.entities {
				b.answers[e] += power(voter.cosines[i], w.Power)
			}
		}
	}
	n.prior.score(q, dst)
	share := w.Answers / float64(max(1, len(s.answers)))
	for e, prior := range dst {
		score := 0.0
		if b.known[e] > 0 {
			score = b.known[e] / all
		}
		if b.answers[e] > 0 {
			score += float64(share * b.answers[e])
		}
		if score == 0 {
			dst[e] = lnPriorShare + prior
			continue
		}
		dst[e] = float32(exact.Log(score + float64(priorShare*exact.Exp(float64(prior)))))
	}
}

// lnPriorShare is ln(priorShare).
var lnPriorShare = float32(exact.Log(priorShare))

// powers are the powers of Way.
var powers = []int{1, 2, 4, 8}

// power returns x to the power of one of powers.
func power(x float64, p int) float64 {
	for ; p > 1; p /= 2 {
		x *= x
	}
	return x
}

func (n *neighbours) score(q kg.Query, dst []float32) {
	b := n.spare.Get().(*ballot)
	defer n.spare.Put(b)
	w := n.voting.side(q.Side)[q.Relation]
	s := n.look(b, q, w.Hierarchy)
	n.vote(b, q, &s, w, dst)
}
