package inductive

import (
	"context"
	"errors"
	"fmt"
	"math"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Tuning decides how a network is tuned to a graph.
type Tuning struct {
	Batch        int     // positives of a step; every second one is a head query
	Together     int     // positives in a row that share relation and side, and so the pass over relations; 0: 1
	Negatives    int     // of each positive, at most all entities but known answers
	Temperature  float64 // of the weights of negatives; lower weighs hard ones more
	LearningRate float64
	Slow         int     // steps after which the learning rate is half, see Tuning.rate; 0: it does not fall
	Decay        float64 // of the weights, as a share of the learning rate
	Seed         uint64
	Threads      int // 0: one per processor; it changes no bit
}

// Constants of AdamW.
const (
	firstMoment  = .9
	secondMoment = .999
	adamEpsilon  = 1e-8
)

func (s Tuning) validate() error {
	for _, c := range []struct {
		name  string
		wrong bool
	}{
		{"batch", s.Batch < 1}, {"negatives", s.Negatives < 1}, {"temperature", !(s.Temperature > 0)},
		{"learning rate", !(s.LearningRate > 0) || math.IsInf(s.LearningRate, 0)},
		{"decay", !(s.Decay >= 0 && s.Decay < 1)}, {"slowing", s.Slow < 0},
		{"number of positives together", s.Together < 0},
	} {
		if c.wrong {
			return fmt.Errorf("inductive: the %s of tuning is out of range: %+v", c.name, s)
		}
	}
	return nil
}

// Tuner changes the weights of a network for its graphs, in the way of the paper's training. A step is on one graph,
// whose training facts are the positives; on a single graph they come in a new order each time that all were taken.
// Negatives are drawn from the entities that training does not have as answers. No message passes the edges of the
// positive itself. The weights are a pure function of the network, the graphs and the Tuning. A Tuner belongs to one
// goroutine.
type Tuner struct {
	settings Tuning
	heads    Heads
	places   []place
	kernels  *simd.Kernels
	step     int
	now      *Network
	mean     *Network // moments of gradients
	square   *Network
}

// place is a graph that a network is tuned on.
type place struct {
	graph   *kg.Graph
	known   *kg.Index
	edges   *adjacency
	meeting ways
	of      [][]kg.Triple // training facts by relation
}

// NewTuner returns the tuner of a network on graphs, before its first step. Each step draws one of them, all with the
// same probability. heads is how the network asks for heads.
func (n *Network) NewTuner(graphs []*kg.Graph, heads Heads, s Tuning) (*Tuner, error) {
	path, err := sphere.SIMDPath()
	if err != nil {
		return nil, err
	}
	return n.newTuner(graphs, heads, s, path)
}

func (n *Network) newTuner(graphs []*kg.Graph, heads Heads, s Tuning, path string) (*Tuner, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	if len(graphs) == 0 {
		return nil, errors.New("inductive: tuning needs a graph")
	}
	t := &Tuner{settings: s, heads: heads, now: n.clone(), mean: n.blank(), square: n.blank()}
	for _, g := range graphs {
		m, err := n.on("", g, path)
		if err != nil {
			return nil, err
		}
		t.kernels = m.kernels
		of := make([][]kg.Triple, g.Relations.Len())
		for _, f := range g.Train {
			of[f.Relation] = append(of[f.Relation], f)
		}
		t.places = append(t.places, place{g, g.Index(kg.Train), m.edges, newWays(m.meeting, meetings), of})
	}
	return t, nil
}

// place returns the graph of the next step.
func (t *Tuner) place() *place {
	stream := draw.New(t.settings.Seed, draw.Place, uint64(t.step), 0)
	return &t.places[stream.Uint32n(uint32(len(t.places)))]
}

// Done returns the number of finished steps.
func (t *Tuner) Done() int { return t.step }

// Network returns the weights after the finished steps. Later steps do not change it.
func (t *Tuner) Network() (*Network, error) { return New(t.now.namedTensors()) }

// Step makes a step and returns its loss. When ctx ends it returns its error, and nothing has changed. Other errors are
// about numbers that are not finite.
func (t *Tuner) Step(ctx context.Context) (float64, error) {
	at := t.place()
	examples := t.examples(at)
	n, back := t.now, t.now.transposedNetwork()
	groups, asked := map[int32]int{}, []int32(nil)
	for _, e := range examples {
		if _, ok := groups[e.of]; !ok {
			groups[e.of] = len(asked)
			asked = append(asked, e.of)
		}
	}
	passes := make([]*relations, len(asked))
	err := parallel.For(ctx, t.settings.Threads, len(asked), func() func(int) {
		return func(i int) { passes[i] = n.relationsOf(t.kernels, at.meeting.to, asked[i]) }
	})
	if err != nil {
		return 0, err
	}
	total := n.blank()
	weight, result := make([][]table, len(asked)), make([]table, len(asked))
	row := make([]float32, n.width)
	loss := 0.
	err = parallel.Ordered(ctx, t.settings.Threads, len(examples), func() func(int) exampleGradient {
		b := newBackward(t.kernels, back)
		trace := newTrace(len(n.entity), at.edges.nodes(), n.width)
		return func(i int) exampleGradient {
			e := examples[i]
			return n.example(b, trace, at.edges, passes[groups[e.of]], e, t.settings.Temperature,
				1/float32(len(examples)))
		}
	}, func(i int, g exampleGradient) {
		loss += g.loss / float64(len(examples))
		total.add(g.of)
		group, kind := groups[examples[i].of], int(examples[i].asked)
		if weight[group] == nil {
			weight[group], result[group] = g.weight, newTable(at.meeting.to.nodes(), n.width)
		} else {
			for l := range g.weight {
				add(weight[group][l].data, g.weight[l].data)
			}
		}
		result[group].get(kind, row)
		add(row, g.query)
		result[group].set(kind, row)
	})
	if err != nil {
		return 0, err
	}
	err = parallel.Ordered(ctx, t.settings.Threads, len(asked), func() func(int) *Network {
		b := newBackward(t.kernels, back)
		return func(i int) *Network {
			g := n.blank()
			n.relationsGradient(b, at.meeting, passes[i], weight[i], result[i], g)
			return g
		}
	}, func(_ int, g *Network) { total.add(g) })
	if err != nil {
		return 0, err
	}
	return loss, t.update(total, loss)
}

// add adds the floats of another network of the same shape.
func (n *Network) add(other *Network) {
	from := other.parameters()
	for i, x := range n.parameters() {
		add(x, from[i])
	}
}

// update makes a step of AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", ICLR 2019).
func (t *Tuner) update(gradient *Network, loss float64) error {
	if loss-loss != 0 {
		return fmt.Errorf("inductive: the loss of step %d is %g; a smaller learning rate may help", t.step+1, loss)
	}
	t.step++
	rate := t.settings.rate(t.step - 1)
	scale := float32(rate / (1 - exact.Power(firstMoment, uint64(t.step))))
	root := 1 - exact.Power(secondMoment, uint64(t.step))
	keep := float32(1 - float64(rate*t.settings.Decay))
	mean, square, slope := t.mean.parameters(), t.square.parameters(), gradient.parameters()
	for i, x := range t.now.parameters() {
		m, s := mean[i], square[i]
		for j, g := range slope[i] {
			m[j] = float32(firstMoment*m[j]) + float32((1-firstMoment)*g)
			s[j] = float32(secondMoment*s[j]) + float32((1-secondMoment)*float32(g*g))
			x[j] = float32(x[j]*keep) - float32(scale*m[j])/(float32(math.Sqrt(float64(s[j])/root))+adamEpsilon)
		}
	}
	return nil
}

// rate returns the learning rate after finished steps, which falls as 1 / sqrt(1 + 3 step / Slow).
func (s Tuning) rate(step int) float64 {
	if s.Slow == 0 {
		return s.LearningRate
	}
	return s.LearningRate / math.Sqrt(1+3*float64(step)/float64(s.Slow))
}

// examples returns the examples of the next step, which is at a place.
func (t *Tuner) examples(at *place) []example {
	facts, together := at.graph.Train, max(1, t.settings.Together)
	list := make([]example, t.settings.Batch)
	var fact kg.Triple
	for i := range list {
		number := t.step*t.settings.Batch + i
		stream := draw.New(t.settings.Seed, draw.Negative, uint64(t.step), uint32(i))
		if i%together == 0 {
			order := draw.NewPermutation(t.settings.Seed, uint64(number/len(facts)), uint32(len(facts)))
			fact = facts[order.At(uint32(number%len(facts)))]
		} else {
			same := at.of[fact.Relation]
			fact = same[stream.Uint32n(uint32(len(same)))]
		}
		side, answer := kg.TailSide, fact.Tail
		if number/together%2 == 1 {
			side, answer = kg.HeadSide, fact.Head
		}
		q := fact.Query(side)
		asked, of := askedFor(q, at.graph.Relations.Len(), t.heads.tunedHeads())
		list[i] = example{known: q.Known, answer: answer, asked: asked, of: of, positive: fact,
			negatives: t.negatives(at, q, &stream)}
	}
	return list
}

// negatives draws entities that training does not have as answers to a query.
func (t *Tuner) negatives(at *place, q kg.Query, stream *draw.Stream) []int32 {
	answers := at.known.Answers(q)
	others := at.graph.Entities.Len() - len(answers)
	if others == 0 {
		return nil
	}
	list := make([]int32, min(t.settings.Negatives, others))
	for i := range list {
		e := int32(stream.Uint32n(uint32(others)))
		for _, a := range answers { // ascending
			if a <= e {
				e++
			}
		}
		list[i] = e
	}
	return list
}
