package inductive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// reference is the network in float64, written from the paper and without anything of the package: every edge is one
// entry of a list, every row a slice, and nothing is shared or left out.
type reference struct {
	tensors map[string]Tensor
	width   int
	// Float place of the tensor name is more by change, for differences.
	name   string
	place  int
	change float64
	// The weight of edge number edge in the layer whose name is inLayer is more by edgeChange.
	inLayer    string
	edge       int
	edgeChange float64
}

type referenceEdge struct{ to, from, kind int }

func (r *reference) at(name string, index ...int) float64 {
	t, ok := r.tensors[name]
	if !ok {
		panic(name)
	}
	place := 0
	for i, x := range index {
		place = place*t.Shape[i] + x
	}
	if name == r.name && place == r.place {
		return float64(t.Data[place]) + r.change
	}
	return float64(t.Data[place])
}

// linear is the linear map whose weight and bias begin with name.
func (r *reference) linear(name string, x []float64) []float64 {
	y := make([]float64, r.tensors[name+".weight"].Shape[0])
	for i := range y {
		y[i] = r.at(name+".bias", i)
		for j := range x {
			y[i] += r.at(name+".weight", i, j) * x[j]
		}
	}
	return y
}

func relu(x []float64) []float64 {
	for i := range x {
		x[i] = max(0, x[i])
	}
	return x
}

// layer applies one layer to rows with as many starts: weight returns float j of the weights of a kind of edge.
func (r *reference) layer(
	name string, x [][]float64, edges []referenceEdge, start [][]float64, weight func(kind, j int) float64,
) [][]float64 {
	sum := make([][]float64, len(x))
	for e := range sum {
		sum[e] = make([]float64, r.width)
	}
	for e, x := range start {
		copy(sum[e], x)
	}
	for i, edge := range edges {
		factor := 1.
		if i == r.edge && name == r.inLayer {
			factor += r.edgeChange
		}
		for j := range r.width {
			sum[edge.to][j] += factor * x[edge.from][j] * weight(edge.kind, j)
		}
	}
	out := make([][]float64, len(x))
	for e := range x {
		y := r.linear(name+"linear", append(append([]float64(nil), x[e]...), sum[e]...))
		mean, variance := 0., 0.
		for _, v := range y {
			mean += v / float64(r.width)
		}
		for _, v := range y {
			variance += (v - mean) * (v - mean) / float64(r.width)
		}
		for j := range y {
			y[j] = (y[j]-mean)/math.Sqrt(variance+1e-5)*r.at(name+"layer_norm.weight", j) +
				r.at(name+"layer_norm.bias", j)
		}
		relu(y)
		for j := range y {
			y[j] += x[e][j]
		}
		out[e] = y
	}
	return out
}

func (r *reference) layers(prefix string) (n int) {
	for ; ; n++ {
		if _, ok := r.tensors[fmt.Sprintf("%s.layers.%d.linear.bias", prefix, n)]; !ok {
			return n
		}
	}
}

func zeros(rows, width int) [][]float64 {
	x := make([][]float64, rows)
	for i := range x {
		x[i] = make([]float64, width)
	}
	return x
}

// scores answers a query by the facts, heads by the inverse relation.
func (r *reference) scores(entities, relations int, facts []kg.Triple, q kg.Query) []float64 {
	return r.scoresBy(entities, relations, facts, facts, q, Inverse)
}

// scoresBy answers a query by messages over facts; relations meet in others.
func (r *reference) scoresBy(entities, relations int, facts, others []kg.Triple, q kg.Query, h Heads) []float64 {
	return r.scoresFrom(entities, relations, facts, others, map[int32]float64{q.Known: 1}, q, h)
}

// scoresFrom is scoresBy from a fuzzy set: degrees by entity.
func (r *reference) scoresFrom(
	entities, relations int, facts, others []kg.Triple, from map[int32]float64, q kg.Query, h Heads,
) []float64 {
	relation := int(q.Relation)
	of := relation
	if q.Side == kg.HeadSide {
		relation += relations
		if h == Inverse {
			of = relation
		}
	}
	x := zeros(2*relations, r.width)
	for j := range r.width {
		x[of][j] = 1
	}
	ones := slices.Clone(x) // rows do not change
	edges := referenceRelationGraph(relations, others)
	for i := range r.layers("relation_model") {
		name := fmt.Sprintf("relation_model.layers.%d.", i)
		x = r.layer(name, x, edges, ones, func(kind, j int) float64 {
			return r.at(name+"relation.weight", kind, j)
		})
	}
	query := append([]float64(nil), x[relation]...)
	var between []referenceEdge
	for _, t := range facts {
		h, k, o := int(t.Head), int(t.Relation), int(t.Tail)
		between = append(between, referenceEdge{h, o, k}, referenceEdge{o, h, k + relations})
	}
	y := zeros(entities, r.width)
	for e, degree := range from {
		for j, f := range query {
			y[e][j] = degree * f
		}
	}
	start := slices.Clone(y)
	for i := range r.layers("entity_model") {
		name := fmt.Sprintf("entity_model.layers.%d.", i)
		weights := make([][]float64, 2*relations)
		for k := range weights {
			weights[k] = r.linear(name+"relation_projection.2",
				relu(r.linear(name+"relation_projection.0", x[k])))
		}
		y = r.layer(name, y, between, start, func(kind, j int) float64 { return weights[kind][j] })
	}
	scores := make([]float64, entities)
	for e := range scores {
		hidden := relu(r.linear("entity_model.mlp.0", append(append([]float64(nil), y[e]...), query...)))
		scores[e] = r.linear("entity_model.mlp.2", hidden)[0]
	}
	return scores
}

// referenceRelationGraph compares every pair of relations, for every kind of meeting, entity by entity.
func referenceRelationGraph(relations int, facts []kg.Triple) (edges []referenceEdge) {
	heads, tails := make([]map[int32]bool, 2*relations), make([]map[int32]bool, 2*relations)
	for r := range heads {
		heads[r], tails[r] = map[int32]bool{}, map[int32]bool{}
	}
	for _, t := range facts {
		r, back := int(t.Relation), int(t.Relation)+relations
		heads[r][t.Head], tails[r][t.Tail] = true, true
		heads[back][t.Tail], tails[back][t.Head] = true, true
	}
	meet := func(a, b map[int32]bool) bool {
		for e := range a {
			if b[e] {
				return true
			}
		}
		return false
	}
	for a := range heads {
		for kind, pair := range [][2][]map[int32]bool{{heads, heads}, {tails, tails}, {heads, tails}, {tails, heads}} {
			for b := range heads {
				if meet(pair[0][a], pair[1][b]) {
					edges = append(edges, referenceEdge{a, b, kind})
				}
			}
		}
	}
	return edges
}

// randomTensors returns the weights of a network. No two are alike, and biases are not 0, so that an exchange shows.
func randomTensors(seed uint64, width, relationLayers, entityLayers int) map[string]Tensor {
	r := rand.New(rand.NewPCG(seed, 1))
	tensors := map[string]Tensor{}
	add := func(name string, mean float64, shape ...int) {
		size := 1
		for _, n := range shape {
			size *= n
		}
		deviation := .3
		if len(shape) == 2 {
			deviation = 1.5 / math.Sqrt(float64(shape[1]))
		}
		t := Tensor{shape, make([]float32, size)}
		for i := range t.Data {
			t.Data[i] = float32(mean + deviation*r.NormFloat64())
		}
		tensors[name] = t
	}
	both := func(at string) {
		add(at+"linear.weight", 0, width, 2*width)
		add(at+"linear.bias", .1, width)
		add(at+"layer_norm.weight", 1, width)
		add(at+"layer_norm.bias", -.1, width)
	}
	for i := range relationLayers {
		at := fmt.Sprintf("relation_model.layers.%d.", i)
		both(at)
		add(at+"relation.weight", .1, 4, width)
	}
	for i := range entityLayers {
		at := fmt.Sprintf("entity_model.layers.%d.", i)
		both(at)
		for _, k := range []string{"0", "2"} {
			add(at+"relation_projection."+k+".weight", 0, width, width)
			add(at+"relation_projection."+k+".bias", .1, width)
		}
	}
	add("entity_model.mlp.0.weight", 0, 2*width, 2*width)
	add("entity_model.mlp.0.bias", .1, 2*width)
	add("entity_model.mlp.2.weight", 0, 1, 2*width)
	add("entity_model.mlp.2.bias", .4, 1)
	return tensors
}
