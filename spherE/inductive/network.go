// Package inductive answers queries on a graph that it was not trained on. Its network has no parameter of an entity or
// a relation. It passes messages over the graph of relations, and uses the results to pass messages over the graph of
// entities. The model is ULTRA (Galkin et al., "Towards Foundation Models for Knowledge Graph Reasoning", ICLR 2024),
// whose public checkpoints it reads.
//
// All sums have one order, so scores are the same bits for any number of threads and queries at once, and on every SIMD
// path.
package inductive

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// epsilon is added to the variance of a row before it is normalized.
const epsilon = 1e-5

// Tensor is an array of a checkpoint, row-major.
type Tensor struct {
	Shape []int
	Data  []float32
}

// Network has the weights of an inductive model. It is read-only and safe for concurrent use.
type Network struct {
	width    int // floats per relation and entity
	relation []relationLayer
	entity   []entityLayer

	// The score of an entity with row x is last . max(0, first [x, query] + firstBias) + lastBias.
	firstEntity, firstQuery []float32 // transposed: width rows of 2*width
	firstBias, last         []float32 // 2*width
	lastBias                []float32 // 1

	tensors map[string]Tensor // as they were read
	digest  string
}

// layer turns a row x and the sum of its messages into x + max(0, normalized linear [x, sum]).
type layer struct {
	own, sum          []float32 // transposed halves of the linear map: width rows of width
	bias, gain, shift []float32 // width
}

// relationLayer is a layer over the graph of relations.
type relationLayer struct {
	layer
	meeting []float32 // a row per kind of meeting, by plane
}

// entityLayer is a layer over the graph of entities. A relation's weights are two linear maps of its representation.
// Between them, numbers below 0 become 0.
type entityLayer struct {
	layer
	first, second         []float32 // transposed: width rows of width
	firstBias, secondBias []float32
}

// Names of tensors, as the public checkpoints have them.
const (
	relationPrefix = "relation_model.layers."
	entityPrefix   = "entity_model.layers."
)

// What a checkpoint can request.
const (
	maxLayers = 64
	maxWidth  = 1 << 12
)

// New returns the network with the given tensors. Names and shapes are those of the public checkpoints; names that
// belong to no part of the network, missing tensors, other shapes and floats that are not finite are errors.
func New(tensors map[string]Tensor) (*Network, error) {
	r := reader{tensors: tensors, used: map[string]bool{}}
	const probe = relationPrefix + "0.linear.bias"
	t, ok := tensors[probe]
	if !ok {
		return nil, fmt.Errorf("inductive: tensor %s is missing: these are not the weights of an inductive network", probe)
	}
	n := &Network{width: len(t.Data)}
	if n.width == 0 || n.width%simd.Lanes != 0 || n.width > maxWidth {
		return nil, fmt.Errorf("inductive: tensor %s has %d floats: the width must be a multiple of %d up to %d", probe,
			n.width, simd.Lanes, maxWidth)
	}
	w := n.width
	for i := range r.layers(relationPrefix) {
		at := fmt.Sprintf("%s%d.", relationPrefix, i)
		n.relation = append(n.relation, relationLayer{
			layer:   r.layer(at, w),
			meeting: planes(r.read(at+"relation.weight", meetings, w), w),
		})
	}
	for i := range r.layers(entityPrefix) {
		at := fmt.Sprintf("%s%d.", entityPrefix, i)
		n.entity = append(n.entity, entityLayer{
			layer:      r.layer(at, w),
			first:      transposed(r.read(at+"relation_projection.0.weight", w, w), w),
			firstBias:  r.read(at+"relation_projection.0.bias", w),
			second:     transposed(r.read(at+"relation_projection.2.weight", w, w), w),
			secondBias: r.read(at+"relation_projection.2.bias", w),
		})
	}
	first := transposed(r.read("entity_model.mlp.0.weight", 2*w, 2*w), 2*w)
	n.firstEntity, n.firstQuery = first[:len(first)/2], first[len(first)/2:]
	n.firstBias = r.read("entity_model.mlp.0.bias", 2*w)
	n.last = r.read("entity_model.mlp.2.weight", 1, 2*w)
	n.lastBias = r.read("entity_model.mlp.2.bias", 1)
	if r.err == nil {
		r.err = r.rest()
	}
	if r.err != nil {
		return nil, fmt.Errorf("inductive: %w", r.err)
	}
	n.tensors, n.digest = tensors, digest(tensors)
	return n, nil
}

// Width returns the number of floats per entity and relation.
func (n *Network) Width() int { return n.width }

// Digest returns the SHA-256, in hexadecimal, of names, shapes and floats of the tensors.
func (n *Network) Digest() string { return n.digest }

// Parameters returns the number of floats of the network.
func (n *Network) Parameters() int {
	w := n.width
	one := 2*w*w + 3*w
	return len(n.relation)*(one+meetings*w) + len(n.entity)*(one+2*w*w+2*w) + 2*w*(2*w+2) + 1
}

// reader takes tensors out of a checkpoint and keeps the first error. After one, tensors are zeros of the right shape.
type reader struct {
	tensors map[string]Tensor
	used    map[string]bool
	err     error
}

// layers counts the layers whose names begin with prefix, at least one.
func (r *reader) layers(prefix string) int {
	n := 0
	for n < maxLayers {
		if _, ok := r.tensors[fmt.Sprintf("%s%d.linear.bias", prefix, n)]; !ok {
			break
		}
		n++
	}
	return max(n, 1)
}

func (r *reader) layer(at string, w int) layer {
	linear := transposed(r.read(at+"linear.weight", w, 2*w), 2*w)
	return layer{own: linear[:w*w], sum: linear[w*w:], bias: r.read(at+"linear.bias", w),
		gain: r.read(at+"layer_norm.weight", w), shift: r.read(at+"layer_norm.bias", w)}
}

func (r *reader) read(name string, shape ...int) []float32 {
	size := 1
	for _, n := range shape {
		size *= n
	}
	r.used[name] = true
	t, ok := r.tensors[name]
	err := error(nil)
	switch {
	case !ok:
		err = fmt.Errorf("tensor %s is missing", name)
	case !slices.Equal(t.Shape, shape) || len(t.Data) != size:
		err = fmt.Errorf("tensor %s has shape %v and %d floats, want %v", name, t.Shape, len(t.Data), shape)
	case slices.ContainsFunc(t.Data, func(x float32) bool { return x-x != 0 }):
		err = fmt.Errorf("tensor %s holds a number that is not finite", name)
	default:
		return t.Data
	}
	if r.err == nil {
		r.err = err
	}
	return make([]float32, size)
}

// rest refuses tensors that the network does not have.
func (r *reader) rest() error {
	var names []string
	for name := range r.tensors {
		if !r.used[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return fmt.Errorf("%d tensors are of another network: %s", len(names), strings.Join(names[:min(3, len(names))], ", "))
}

// transposed returns the transpose of a matrix with rows of width floats.
func transposed(x []float32, width int) []float32 {
	rows := len(x) / width
	t := make([]float32, len(x))
	for i := range rows {
		for j := range width {
			t[j*rows+i] = x[i*width+j]
		}
	}
	return t
}

// planes returns a matrix with rows of width floats by plane.
func planes(x []float32, width int) []float32 {
	t := newTable(len(x)/width, width)
	for i := range t.rows {
		t.set(i, x[i*width:][:width])
	}
	return t.data
}

// digest hashes tensors in the order of their names.
func digest(tensors map[string]Tensor) string {
	h := sha256.New()
	var word [4]byte
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		t := tensors[name]
		fmt.Fprintf(h, "%s %v\n", name, t.Shape)
		for _, x := range t.Data {
			binary.LittleEndian.PutUint32(word[:], math.Float32bits(x))
			h.Write(word[:])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
