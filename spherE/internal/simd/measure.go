package simd

import (
	"slices"
	"strings"
	"time"
)

// family is a group of kernels for which one way to compute roots is chosen, by the time of one of them.
type family struct {
	name string
	take func(k, from *Kernels)
	call func(k *Kernels, s *sample)
}

// sample has rows for measurements: 200 blocks, as in FB15k-237, of up to four planes. They stay in a cache, except
// those of table. Training reads other rows each time, and while it waits for them a faster way gains less.
type sample struct {
	queries, rows, own, g, out, length []float32
	mean, square                       []float32
	number, far                        []int32
	weight                             []float32
	near, pull                         []uint64
	table                              []float32
}

const (
	sampleBlocks  = 208 // padded
	sampleRows    = 16
	sampleQueries = 4
	scattered     = 128  // rows of table that one call reads
	tableRows     = 1021 // of three planes: 2.5 MB, more than the second-level cache of most processors
)

func newSample() *sample {
	state := uint32(1)
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			state = state*1664525 + 1013904223
			if i%sampleBlocks < 200 {
				x[i] = float32(int32(state)) * 0x1p-31
			}
		}
		return x
	}
	row := func() []float32 { return random(4 * sampleBlocks) }
	s := &sample{
		queries: random(sampleQueries * 4 * sampleBlocks), rows: random(sampleRows * 4 * sampleBlocks),
		own: row(), g: row(), mean: row(), square: make([]float32, 4*sampleBlocks), weight: random(sampleRows),
		out:    make([]float32, max(sampleQueries, scattered/sampleRows)*sampleRows),
		length: make([]float32, sampleRows*sampleBlocks), table: random(tableRows * 3 * sampleBlocks),
	}
	for i := range sampleRows {
		s.number = append(s.number, int32(i))
		s.near = append(s.near, Pull(int32(i), s.weight[i]))
	}
	for i := range scattered {
		e := int32(i * 389 % tableRows)
		s.far = append(s.far, e)
		s.pull = append(s.pull, Pull(e, s.weight[i%sampleRows]))
	}
	Go().Block2.Gather(s.out, s.length, s.own[:2*sampleBlocks], s.rows, s.number)
	return s
}

func (s *sample) compare(n *Norm, planes int) {
	stride := planes * sampleBlocks
	n.Rows(s.out, sampleRows, s.queries[:sampleQueries*stride], s.rows[:sampleRows*stride], stride)
}

func (s *sample) gather(n *Norm, planes int) {
	n.Gather(s.out, s.length[:sampleBlocks], s.own[:planes*sampleBlocks], s.table, s.far)
}

func (s *sample) push(n *Norm, planes int) {
	n.OwnPush(s.g[:planes*sampleBlocks], s.own[:planes*sampleBlocks], s.table, s.pull)
}

// families are those of the kernels that compute roots or quotients.
var families = []family{
	{"rows2", func(k, from *Kernels) { k.Block2.Rows = from.Block2.Rows },
		func(k *Kernels, s *sample) { s.compare(&k.Block2, 2) }},
	{"rows3", func(k, from *Kernels) { k.Block3.Rows = from.Block3.Rows },
		func(k *Kernels, s *sample) { s.compare(&k.Block3, 3) }},
	{"gather2", func(k, from *Kernels) { k.Block2.Gather = from.Block2.Gather },
		func(k *Kernels, s *sample) { s.gather(&k.Block2, 2) }},
	{"gather3", func(k, from *Kernels) { k.Block3.Gather = from.Block3.Gather },
		func(k *Kernels, s *sample) { s.gather(&k.Block3, 3) }},
	{"push2", func(k, from *Kernels) { k.Block2.OwnPush = from.Block2.OwnPush },
		func(k *Kernels, s *sample) { s.push(&k.Block2, 2) }},
	{"push3", func(k, from *Kernels) { k.Block3.OwnPush = from.Block3.OwnPush },
		func(k *Kernels, s *sample) { s.push(&k.Block3, 3) }},
	{"kept", func(k, from *Kernels) {
		k.Block2.GatherPush, k.Block3.GatherPush = from.Block2.GatherPush, from.Block3.GatherPush
	}, func(k *Kernels, s *sample) {
		g, own := s.g[:2*sampleBlocks], s.own[:2*sampleBlocks]
		k.Block2.GatherPush(g, own, s.rows, s.number, s.number, s.weight, s.length)
	}},
	{"stretched", func(k, from *Kernels) {
		k.StretchNorm3 = from.StretchNorm3
		k.Stretched.Pair, k.Stretched.Rows = from.Stretched.Pair, from.Stretched.Rows
		k.Stretched.Gather, k.Stretched.GatherPush = from.Stretched.Gather, from.Stretched.GatherPush
		k.Stretched.OwnPush = from.Stretched.OwnPush
	}, func(k *Kernels, s *sample) {
		k.Stretched.Gather(s.out, nil, s.own, s.rows, s.number)
		k.Stretched.GatherPush(s.g, s.own, s.rows, s.number, s.number, s.weight, nil)
		k.Stretched.OwnPush(s.g[:3*sampleBlocks], s.own[:3*sampleBlocks], s.rows, s.near)
	}},
	{"adam", func(k, from *Kernels) { k.Adam = from.Adam }, func(k *Kernels, s *sample) {
		for range sampleRows {
			k.Adam(s.g, s.mean, s.square, s.own, &sampleAdam, 0)
		}
	}},
}

var sampleAdam = Adam{Beta1: .9, OneMinusBeta1: .1, Beta2: .999, OneMinusBeta2: .001, Rate: 1e-9, InverseRoot: 1,
	Epsilon: 1e-8}

// rounds is how often each way is measured, in turn. The best time counts: other work on the machine only adds to it.
const rounds = 8

// gain is the least gain over instructions for which another way is chosen.
const gain = 0.97

// quickest returns the kernels of a path with the fastest way for each family. The first one of all is by instruction.
// It takes a few milliseconds. Whatever it chooses, the bits are the same.
func quickest(all []*Kernels) *Kernels {
	s := newSample()
	return assemble(all, func(f family) int {
		best := make([]time.Duration, len(all))
		for round := range rounds {
			for i, way := range all {
				start := time.Now()
				f.call(way, s)
				if d := time.Since(start); round == 0 || d < best[i] {
					best[i] = d
				}
			}
		}
		i := slices.Index(best, slices.Min(best))
		if float64(best[i]) > gain*float64(best[0]) {
			return 0
		}
		return i
	})
}

// assemble returns kernels that take each family from one element of all.
func assemble(all []*Kernels, which func(family) int) *Kernels {
	k := *all[0]
	names := make([]string, len(all))
	for _, f := range families {
		i := which(f)
		f.take(&k, all[i])
		names[i] += " " + f.name
	}
	var list []string
	for i, name := range names {
		switch {
		case len(strings.Fields(name)) == len(families):
			list = []string{all[i].Roots}
		case name != "":
			list = append(list, all[i].Roots+":"+name)
		}
	}
	k.Roots = strings.Join(list, ", ")
	return &k
}
