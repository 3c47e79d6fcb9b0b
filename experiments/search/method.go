package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// seenPoint is a point that was tried.
type seenPoint struct {
	U     []float64 // where, see Space.Point
	Score float64   // more is better; NaN if it failed
}

// drawer draws the points of a search, one after the other.
type drawer interface {
	// Draw returns the point with index i. It depends only on i and the given trials, so an interrupted search
	// continues with the same points.
	Draw(i int, seen []seenPoint) []float64
}

// methods are the names of the methods.
func methods() []string { return []string{"grid", "random", "sobol", "tpe"} }

// newMethod returns the method of a name for a space.
func newMethod(name string, s Space, seed uint64) (drawer, error) {
	switch name {
	case "grid":
		if s.Size() == 0 {
			return nil, fmt.Errorf("method grid needs lists of values or ranges with a step")
		}
		return grid{s}, nil
	case "random":
		return random{len(s), seed}, nil
	case "sobol":
		if len(s) > sobolDimensions {
			return nil, fmt.Errorf("method sobol has at most %d keys, and the space has %d; use tpe or random",
				sobolDimensions, len(s))
		}
		return newSobol(len(s), seed), nil
	case "tpe":
		return newTPE(s, seed), nil
	}
	return nil, fmt.Errorf("no method %s; there are %s", name, strings.Join(methods(), ", "))
}

// grid takes every combination, the last key's values first.
type grid struct{ space Space }

func (g grid) Draw(i int, _ []seenPoint) []float64 {
	u := make([]float64, len(g.space))
	for at, d := range slices.Backward(g.space) {
		n := d.count()
		u[at] = (float64(i%n) + .5) / float64(n)
		i /= n
	}
	return u
}

type random struct {
	dimensions int
	seed       uint64
}

func (r random) Draw(i int, _ []seenPoint) []float64 {
	source := stream(r.seed, i)
	u := make([]float64, r.dimensions)
	for k := range u {
		u[k] = source.Float64()
	}
	return u
}

// stream is the source of random numbers of one point.
func stream(seed uint64, i int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i))) }
