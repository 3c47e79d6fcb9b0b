package inductive

import "fmt"

// parameters lists the floats of the network, in one order for all networks of its shape. Matrices are transposed.
func (n *Network) parameters() [][]float32 {
	var list [][]float32
	of := func(l *layer) { list = append(list, l.own, l.sum, l.bias, l.gain, l.shift) }
	for i := range n.relation {
		of(&n.relation[i].layer)
		list = append(list, n.relation[i].meeting)
	}
	for i := range n.entity {
		l := &n.entity[i]
		of(&l.layer)
		list = append(list, l.first, l.firstBias, l.second, l.secondBias)
	}
	return append(list, n.firstEntity, n.firstQuery, n.firstBias, n.last, n.lastBias)
}

// blank returns a network of the same shape whose floats are 0, without tensors.
func (n *Network) blank() *Network {
	zeros := func(x []float32) []float32 { return make([]float32, len(x)) }
	of := func(l layer) layer {
		return layer{zeros(l.own), zeros(l.sum), zeros(l.bias), zeros(l.gain), zeros(l.shift)}
	}
	b := &Network{width: n.width, firstEntity: zeros(n.firstEntity), firstQuery: zeros(n.firstQuery),
		firstBias: zeros(n.firstBias), last: zeros(n.last), lastBias: zeros(n.lastBias)}
	for _, l := range n.relation {
		b.relation = append(b.relation, relationLayer{of(l.layer), zeros(l.meeting)})
	}
	for _, l := range n.entity {
		b.entity = append(b.entity, entityLayer{of(l.layer), zeros(l.first), zeros(l.second), zeros(l.firstBias),
			zeros(l.secondBias)})
	}
	return b
}

// clone returns a network of the same floats, without tensors.
func (n *Network) clone() *Network {
	c := n.blank()
	from := n.parameters()
	for i, x := range c.parameters() {
		copy(x, from[i])
	}
	return c
}

// namedTensors returns the floats as tensors with the names and shapes of the public checkpoints, which New reads.
func (n *Network) namedTensors() map[string]Tensor {
	w := n.width
	tensors := map[string]Tensor{}
	vector := func(name string, x []float32) { tensors[name] = Tensor{[]int{len(x)}, append([]float32(nil), x...)} }
	matrix := func(name string, in, out int, parts ...[]float32) {
		var whole []float32
		for _, p := range parts {
			whole = append(whole, p...)
		}
		tensors[name] = Tensor{[]int{out, in}, transposed(whole, out)}
	}
	both := func(at string, l layer) {
		matrix(at+"linear.weight", 2*w, w, l.own, l.sum)
		vector(at+"linear.bias", l.bias)
		vector(at+"layer_norm.weight", l.gain)
		vector(at+"layer_norm.bias", l.shift)
	}
	for i, l := range n.relation {
		at := fmt.Sprintf("%s%d.", relationPrefix, i)
		both(at, l.layer)
		rows := make([]float32, 0, len(l.meeting))
		row := make([]float32, w)
		for kind := range meetings {
			table{l.meeting, meetings, w}.get(kind, row)
			rows = append(rows, row...)
		}
		tensors[at+"relation.weight"] = Tensor{[]int{meetings, w}, rows}
	}
	for i, l := range n.entity {
		at := fmt.Sprintf("%s%d.", entityPrefix, i)
		both(at, l.layer)
		matrix(at+"relation_projection.0.weight", w, w, l.first)
		vector(at+"relation_projection.0.bias", l.firstBias)
		matrix(at+"relation_projection.2.weight", w, w, l.second)
		vector(at+"relation_projection.2.bias", l.secondBias)
	}
	matrix("entity_model.mlp.0.weight", 2*w, 2*w, n.firstEntity, n.firstQuery)
	vector("entity_model.mlp.0.bias", n.firstBias)
	tensors["entity_model.mlp.2.weight"] = Tensor{[]int{1, 2 * w}, append([]float32(nil), n.last...)}
	vector("entity_model.mlp.2.bias", n.lastBias)
	return tensors
}
