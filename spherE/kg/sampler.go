package kg

import (
	"fmt"
	"math"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/draw"
)

// Sampling is how the corrupted side of a negative is chosen.
type Sampling string

const (
	// Uniform corrupts head and tail equally often.
	Uniform Sampling = "uniform"
	// Bernoulli corrupts the tail with probability hpt/(hpt+tph), where tph is the relation's mean number of tails per
	// head and hpt its mean number of heads per tail (Wang et al., AAAI 2014).
	Bernoulli Sampling = "bernoulli"
	// Alternate corrupts one side per step: the tail in the first step, the head in the second, and so on. The
	// positives of a side are the training triples in an order of their own for every pass over them. A batch at the
	// end of a pass is filled from the next one.
	Alternate Sampling = "alternate"
)

// Samplings lists all of them.
func Samplings() []string { return []string{string(Bernoulli), string(Uniform), string(Alternate)} }

// Negative is a corruption of a positive triple: Entity replaces the entity of the triple on Side.
type Negative struct {
	Entity int32
	Side   Side
}

// Sampler draws positives from the training triples, with replacement unless it alternates, and negatives that are not
// training triples. A draw depends only on (seed, step, item). A Sampler is safe for concurrent use and does not
// allocate.
type Sampler struct {
	train     []Triple
	index     *Index
	entities  int32
	seed      uint64
	tail      []uint64 // per relation, the probability of corrupting the tail in units of 2^-32
	alternate int      // positives of a step of Alternate, else 0
	typed     uint64   // share of typed negatives in units of 2^-32
}

// NewSampler prepares sampling from the training triples of g. It fails if a training triple cannot be corrupted on
// either side, because every entity is an answer. Only Alternate needs the number of positives in a step.
func NewSampler(g *Graph, s Sampling, seed uint64, batch int) (*Sampler, error) {
	if len(g.Train) == 0 {
		return nil, fmt.Errorf("graph %s has no training triples", g.Name)
	}
	sampler := &Sampler{
		train: g.Train, index: g.Index(Train), entities: int32(g.Entities.Len()), seed: seed,
		tail: make([]uint64, g.Relations.Len()),
	}
	for r := range sampler.tail {
		p := 0.5
		switch s {
		case Uniform, Alternate:
		case Bernoulli:
			tails, heads := sampler.index.TailsPerHead(int32(r)), sampler.index.HeadsPerTail(int32(r))
			if tails+heads > 0 {
				p = heads / (heads + tails)
			}
		default:
			return nil, fmt.Errorf("sampling %q is unknown: use %s", s, strings.Join(Samplings(), ", "))
		}
		sampler.tail[r] = uint64(float64(p * (1 << 32)))
	}
	if s == Alternate {
		sampler.alternate = batch
	}
	for _, t := range g.Train {
		if sampler.free(t.Query(HeadSide)) == 0 && sampler.free(t.Query(TailSide)) == 0 {
			return nil, fmt.Errorf("graph %s has no negative for (%s, %s, %s): every entity is an answer on both sides",
				g.Name, g.Entities.Name(t.Head), g.Relations.Name(t.Relation), g.Entities.Name(t.Tail))
		}
	}
	return sampler, nil
}

// Typed returns the sampler with that share of typed negatives: their entities are drawn from those that training has
// on the corrupted side of the relation (pseudo-typed negatives). A negative is drawn from all entities if every such
// entity is an answer, or if 16 draws in a row met answers.
func (s *Sampler) Typed(share float64) *Sampler {
	typed := *s
	typed.typed = uint64(float64(share * (1 << 32)))
	return &typed
}

func (s *Sampler) free(q Query) int32 { return s.entities - int32(len(s.index.Answers(q))) }

// Side returns the side on which the positives of a step are answers: the corrupted side if all negatives of the step
// have the same one, otherwise the tail.
func (s *Sampler) Side(step uint64) Side {
	if s.alternate > 0 && step%2 == 1 {
		return HeadSide
	}
	return TailSide
}

// Weight returns the subsampling weight of a training triple, 1/sqrt(n(h,r) + n(r,t)). A count n of training triples
// starts at 4 for the first one, as in the code of RotatE and HousE.
func (s *Sampler) Weight(t Triple) float64 {
	const before = 3
	n := len(s.index.Answers(t.Query(TailSide))) + before + len(s.index.Answers(t.Query(HeadSide))) + before
	return 1 / math.Sqrt(float64(n))
}

// Positives fills positives as Draw does.
func (s *Sampler) Positives(step uint64, first uint32, positives []Triple) {
	for i := range positives {
		item := first + uint32(i)
		if s.alternate > 0 {
			positives[i] = s.train[s.shuffled(step, item)]
			continue
		}
		stream := draw.New(s.seed, draw.Negative, step, item)
		positives[i] = s.train[stream.Uint32n(uint32(len(s.train)))]
	}
}

// shuffled returns the number of the training triple that is an item of a step of Alternate.
func (s *Sampler) shuffled(step uint64, item uint32) uint32 {
	n := uint64(len(s.train))
	at := step/2*uint64(s.alternate) + uint64(item)
	order := draw.NewPermutation(s.seed, at/n*2+step%2, uint32(n))
	return order.At(uint32(at % n))
}

// drawGroup is the number of positives that are looked up at a time, so that their memory accesses overlap.
const drawGroup = 8

// Draw fills positives with those of consecutive items starting at first, and negatives with their corruptions, an
// equal share for each. If one side of a positive has no possible corruption, Draw corrupts the other side.
func (s *Sampler) Draw(step uint64, first uint32, positives []Triple, negatives []Negative) {
	if len(positives) == 0 {
		return
	}
	each := len(negatives) / len(positives)
	for len(positives) > 0 {
		n := min(drawGroup, len(positives))
		s.draw(step, first, positives[:n], negatives, each)
		first += uint32(n)
		positives, negatives = positives[n:], negatives[n*each:]
	}
}

// draw is Draw for up to drawGroup positives, with each negatives per positive.
func (s *Sampler) draw(step uint64, first uint32, positives []Triple, negatives []Negative, each int) {
	var stream [drawGroup]draw.Stream
	var number [drawGroup]uint32
	for i := range positives {
		stream[i] = draw.New(s.seed, draw.Negative, step, first+uint32(i))
		if s.alternate > 0 {
			number[i] = s.shuffled(step, first+uint32(i))
			continue
		}
		number[i] = stream[i].Uint32n(uint32(len(s.train)))
	}
	for i := range positives {
		positives[i] = s.train[number[i]]
	}
	var known [drawGroup][2][]int32
	for i, t := range positives {
		known[i][HeadSide] = s.index.Answers(t.Query(HeadSide))
		known[i][TailSide] = s.index.Answers(t.Query(TailSide))
	}
	for i := range positives {
		loadLines(known[i][HeadSide])
		loadLines(known[i][TailSide])
	}
	for i, t := range positives {
		chance := s.tail[t.Relation]
		if s.alternate > 0 {
			chance = uint64(s.Side(step)) << 32 // 0 or 1
		}
		s.corrupt(&stream[i], chance, t.Relation, &known[i], negatives[i*each:][:each])
	}
}

// loadLines reads every cache line of a list, so that the accesses overlap. The binary search that follows would wait
// for one after the other.
//
//go:noinline
func loadLines(ids []int32) (all int32) {
	const perLine = 16
	for i := 0; i < len(ids); i += perLine {
		all |= ids[i]
	}
	return all
}

func (s *Sampler) corrupt(stream *draw.Stream, chance uint64, relation int32, known *[2][]int32, negatives []Negative) {
	free := [2]uint32{uint32(int(s.entities) - len(known[0])), uint32(int(s.entities) - len(known[1]))}
	for j := range negatives {
		side := HeadSide
		if stream.Chance(chance) {
			side = TailSide
		}
		if free[side&1] == 0 {
			side = 1 - side
		}
		negatives[j] = Negative{Entity: -1, Side: side}
		if s.typed > 0 && stream.Chance(s.typed) {
			negatives[j].Entity = s.drawTyped(stream, side, relation, known[side&1])
		}
		if negatives[j].Entity < 0 {
			negatives[j].Entity = int32(stream.Uint32n(free[side&1]))
		}
	}
	for len(negatives) > 0 {
		n := min(searchUnit, len(negatives))
		findMissing(known, negatives[:n])
		negatives = negatives[n:]
	}
}

// drawTyped draws from the entities that training has on a side of a relation until one is not an answer. It returns
// the entity's number among all entities that are not, or -1 after typedTries answers.
func (s *Sampler) drawTyped(stream *draw.Stream, side Side, relation int32, answers []int32) int32 {
	on := s.index.On(side, relation)
	if len(on) == len(answers) {
		return -1
	}
	for range typedTries {
		e := on[stream.Uint32n(uint32(len(on)))]
		before := lowerBound(answers, e)
		if before == len(answers) || answers[before] != e {
			return e - int32(before)
		}
	}
	return -1
}

// typedTries bounds the draws of a typed negative whose side is full of answers.
const typedTries = 16

const (
	searchUnit  = 32 // negatives that findMissing takes at most
	searchGroup = 4  // searches in one list side by side: a search alone waits for its loads
)

// findMissing replaces the numbers u of negatives by the ids that nthMissing returns for them.
func findMissing(known *[2][]int32, negatives []Negative) {
	// By side, without branches, because sides are random.
	var order [2][searchUnit + 1]uint8
	heads, tails := 0, 0
	for j, n := range negatives {
		order[HeadSide][heads%len(order[0])] = uint8(j)
		order[TailSide][tails%len(order[0])] = uint8(j)
		tail := int(n.Side & TailSide)
		tails += tail
		heads += 1 - tail
	}
	for side, count := range [2]int{HeadSide: heads, TailSide: tails} {
		ids, list := known[side], order[side][:count]
		for ; len(list) >= searchGroup; list = list[searchGroup:] {
			var u [searchGroup]int32
			for k := range u {
				u[k] = negatives[list[k]].Entity
			}
			nthMissing4(ids, &u)
			for k, e := range u {
				negatives[list[k]].Entity = e
			}
		}
		for _, j := range list {
			negatives[j].Entity = nthMissing(ids, negatives[j].Entity)
		}
	}
}

// nthMissing returns id number u, from 0, among the ids that are not in the ascending list.
func nthMissing(ids []int32, u int32) int32 {
	// The answer is u + (number of ids at or below it). The search uses conditional moves: its outcomes are random, so
	// branches would be mispredicted half of the time.
	low, n := 0, len(ids)
	for n > 1 {
		half := n >> 1
		middle := low + half
		if ids[middle-1]-int32(middle-1) <= u {
			low = middle
		}
		n -= half
	}
	if n == 1 && ids[low]-int32(low) <= u {
		low++
	}
	return u + int32(low)
}

// nthMissing4 is nthMissing of four numbers. Their searches take the same number of steps, and step without branches: a
// difference is negative, and its shifted bits all ones, where the id in the middle is at or below the answer.
func nthMissing4(ids []int32, u *[searchGroup]int32) {
	u0, u1, u2, u3 := u[0]+1, u[1]+1, u[2]+1, u[3]+1
	var i, j, k, l int32
	n := int32(len(ids))
	for n > 1 {
		half := n >> 1
		last := half - 1
		i += half & ((ids[i+last] - (i + last) - u0) >> 31)
		j += half & ((ids[j+last] - (j + last) - u1) >> 31)
		k += half & ((ids[k+last] - (k + last) - u2) >> 31)
		l += half & ((ids[l+last] - (l + last) - u3) >> 31)
		n -= half
	}
	if n == 1 {
		i -= (ids[i] - i - u0) >> 31
		j -= (ids[j] - j - u1) >> 31
		k -= (ids[k] - k - u2) >> 31
		l -= (ids[l] - l - u3) >> 31
	}
	*u = [searchGroup]int32{u0 - 1 + i, u1 - 1 + j, u2 - 1 + k, u3 - 1 + l}
}
