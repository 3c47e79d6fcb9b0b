package inductive

import (
	"context"
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
	Negatives    int     // of each positive, at most all entities but known answers
	Temperature  float64 // of the weights of negatives; lower weighs hard ones more
	LearningRate float64
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
		{"decay", !(s.Decay >= 0 && s.Decay < 1)},
	} {
		if c.wrong {
			return fmt.Errorf("inductive: the %s of tuning is out of range: %+v", c.name, s)
		}
	}
	return nil
}

// Tuner changes the weights of a network for one graph, in the way of the paper's training. The graph's training facts
// are the positives, in a new order each time that all were taken. Negatives are drawn from the entities that training
// does not have as answers. No message passes the edges of the positive itself. The weights are a pure function of the
// network, the graph and the Tuning. A Tuner belongs to one goroutine.
type Tuner struct {
	settings Tuning
	heads    Heads
	graph    *kg.Graph
	known    *kg.Index
	kernels  *simd.Kernels
	edges    *adjacency
	meeting  ways
	step     int
	now      *Network
	mean     *Network // moments of gradients
	square   *Network
}

// NewTuner returns the tuner of a network on a graph, before its first step. heads is how the network asks for heads.
func (n *Network) NewTuner(g *kg.Graph, heads Heads, s Tuning) (*Tuner, error) {
	path, err := sphere.SIMDPath()
	if err != nil {
		return nil, err
	}
	return n.newTuner(g, heads, s, path)
}

func (n *Network) newTuner(g *kg.Graph, heads Heads, s Tuning, path string) (*Tuner, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	m, err := n.on("", g, path)
	if err != nil {
		return nil, err
	}
	return &Tuner{settings: s, heads: heads, graph: g, known: g.Index(kg.Train), kernels: m.kernels, edges: m.edges,
		meeting: newWays(m.meeting, meetings), now: n.clone(), mean: n.blank(), square: n.blank()}, nil
}

// Done returns the number of finished steps.
func (t *Tuner) Done() int { return t.step }

// Network returns the weights after the finished steps. Later steps do not change it.
func (t *Tuner) Network() (*Network, error) { return New(t.now.namedTensors()) }

// Step makes a step and returns its loss. When ctx ends it returns its error, and nothing has changed. Other errors are
// about numbers that are not finite.
func (t *Tuner) Step(ctx context.Context) (float64, error) {
	examples := t.examples()
	n, back := t.now, t.now.transposedNetwork()
	groups, place := map[int32]int{}, []int32(nil)
	for _, e := range examples {
		if _, ok := groups[e.of]; !ok {
			groups[e.of] = len(place)
			place = append(place, e.of)
		}
	}
	passes := make([]*relations, len(place))
	err := parallel.For(ctx, t.settings.Threads, len(place), func() func(int) {
		return func(i int) { passes[i] = n.relationsOf(t.kernels, t.meeting.to, place[i]) }
	})
	if err != nil {
		return 0, err
	}
	total := n.blank()
	weight, result := make([][]table, len(place)), make([]table, len(place))
	row := make([]float32, n.width)
	loss := 0.
	err = parallel.Ordered(ctx, t.settings.Threads, len(examples), func() func(int) exampleGradient {
		b := newBackward(t.kernels, back)
		trace := newTrace(len(n.entity), t.edges.nodes(), n.width)
		return func(i int) exampleGradient {
			e := examples[i]
			return n.example(b, trace, t.edges, passes[groups[e.of]], e, t.settings.Temperature,
				1/float32(len(examples)))
		}
	}, func(i int, g exampleGradient) {
		loss += g.loss / float64(len(examples))
		total.add(g.of)
		at := groups[examples[i].of]
		if weight[at] == nil {
			weight[at], result[at] = g.weight, newTable(t.meeting.to.nodes(), n.width)
		} else {
			for l := range g.weight {
				add(weight[at][l].data, g.weight[l].data)
			}
		}
		asked := int(examples[i].asked)
		result[at].get(asked, row)
		add(row, g.query)
		result[at].set(asked, row)
	})
	if err != nil {
		return 0, err
	}
	err = parallel.Ordered(ctx, t.settings.Threads, len(place), func() func(int) *Network {
		b := newBackward(t.kernels, back)
		return func(i int) *Network {
			g := n.blank()
			n.relationsGradient(b, t.meeting, passes[i], weight[i], result[i], g)
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
	rate := t.settings.LearningRate
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

// examples returns the examples of the next step.
func (t *Tuner) examples() []example {
	facts := t.graph.Train
	list := make([]example, t.settings.Batch)
	for i := range list {
		number := t.step*t.settings.Batch + i
		order := draw.NewPermutation(t.settings.Seed, uint64(number/len(facts)), uint32(len(facts)))
		fact := facts[order.At(uint32(number%len(facts)))]
		side := kg.TailSide
		answer := fact.Tail
		if number%2 == 1 {
			side, answer = kg.HeadSide, fact.Head
		}
		q := fact.Query(side)
		asked, of := askedFor(q, t.graph.Relations.Len(), t.heads.tunedHeads())
		stream := draw.New(t.settings.Seed, draw.Negative, uint64(t.step), uint32(i))
		list[i] = example{known: q.Known, answer: answer, asked: asked, of: of, positive: fact,
			negatives: t.negatives(q, &stream)}
	}
	return list
}

// negatives draws entities that training does not have as answers to a query.
func (t *Tuner) negatives(q kg.Query, stream *draw.Stream) []int32 {
	answers := t.known.Answers(q)
	others := t.graph.Entities.Len() - len(answers)
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
