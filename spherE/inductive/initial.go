package inductive

import (
	"fmt"
	"math"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// Initial returns a network before any training, a pure function of its arguments. Linear maps of n numbers are drawn
// evenly from +-1/sqrt(n), the weights of meetings from +-sqrt(3), which has variance 1.
func Initial(width, layers int, seed uint64) (*Network, error) {
	if width < simd.Lanes || width%simd.Lanes != 0 || width > maxWidth || layers < 1 || layers > maxLayers {
		return nil, fmt.Errorf("inductive: no network has width %d and %d layers: the width is a multiple of %d up to %d, and "+
			"there are 1 to %d layers", width, layers, simd.Lanes, maxWidth, maxLayers)
	}
	shape := func(sizes ...int) []float32 {
		n := 1
		for _, size := range sizes {
			n *= size
		}
		return make([]float32, n)
	}
	n := &Network{width: width}
	one := func() layer {
		return layer{shape(width, width), shape(width, width), shape(width), shape(width), shape(width)}
	}
	for range layers {
		n.relation = append(n.relation, relationLayer{one(), shape(meetings, width)})
		n.entity = append(n.entity, entityLayer{layer: one(), first: shape(width, width), second: shape(width, width),
			firstBias: shape(width), secondBias: shape(width)})
	}
	n.firstEntity, n.firstQuery = shape(width, 2*width), shape(width, 2*width)
	n.firstBias, n.last, n.lastBias = shape(2*width), shape(2*width), shape(1)
	d := drawing{seed: seed}
	for i := range n.relation {
		d.layer(&n.relation[i].layer)
		d.fill(math.Sqrt(3), n.relation[i].meeting)
	}
	for i := range n.entity {
		l := &n.entity[i]
		d.layer(&l.layer)
		d.linear(width, l.first, l.firstBias)
		d.linear(width, l.second, l.secondBias)
	}
	d.linear(2*width, n.firstEntity, n.firstQuery, n.firstBias)
	d.linear(2*width, n.last, n.lastBias)
	return New(n.namedTensors())
}

// drawing fills the floats of a network, each list from a stream of its own.
type drawing struct {
	seed uint64
	list uint64
}

func (d *drawing) layer(l *layer) {
	d.linear(2*len(l.bias), l.own, l.sum, l.bias)
	for i := range l.gain {
		l.gain[i] = 1
	}
}

// linear draws the parts of a linear map of in numbers.
func (d *drawing) linear(in int, parts ...[]float32) {
	for _, x := range parts {
		d.fill(1/math.Sqrt(float64(in)), x)
	}
}

func (d *drawing) fill(bound float64, x []float32) {
	stream := draw.New(d.seed, draw.Initial, d.list, 0)
	d.list++
	for i := range x {
		x[i] = stream.Symmetric(float32(bound))
	}
}
