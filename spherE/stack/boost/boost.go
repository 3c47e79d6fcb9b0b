// Package boost fits gradient-boosted trees for the logarithm of odds (Friedman 2001), by histograms and second-order
// gains (Chen and Guestrin 2016). Gradients are summed as integers, so neither the number of threads nor the order of
// additions changes a tree.
package boost

import (
	"errors"
	"fmt"
	"math"

	"github.com/spherelab/spherelab/spherE/internal/exact"
)

// Forest is a sum of trees. The zero value is the sum of none.
type Forest struct {
	Trees []Tree `json:"trees"`
}

// Tree is a complete binary tree. Node i has the children 2i+1 and 2i+2; an observation goes to the first one if its
// feature is at most the node's threshold.
type Tree struct {
	Feature   []int32   `json:"feature"`
	Threshold []float32 `json:"threshold"` // of a node that does not split: MaxFloat32
	Leaf      []float64 `json:"leaf"`      // what the tree adds to the logarithm of odds, from left to right
}

// Sum returns what the trees add for an observation of these features, which must be finite.
func (f *Forest) Sum(x []float32) float64 {
	sum := 0.0
	for i := range f.Trees {
		sum += f.Trees[i].leaf(x)
	}
	return sum
}

func (t *Tree) leaf(x []float32) float64 {
	at := 0
	for at < len(t.Feature) {
		left := x[t.Feature[at]] <= t.Threshold[at]
		at = 2*at + 2
		if left {
			at--
		}
	}
	return t.Leaf[at-len(t.Feature)]
}

// Check refuses a forest that is damaged or was made for another number of features.
func (f *Forest) Check(features int) error {
	for i, t := range f.Trees {
		if n := len(t.Feature); n != len(t.Threshold) || n+1 != len(t.Leaf) || n&(n+1) != 0 || n == 0 {
			return fmt.Errorf("boost: tree %d has %d nodes, %d thresholds and %d leaves", i+1, n, len(t.Threshold),
				len(t.Leaf))
		}
		for j, of := range t.Feature {
			if of < 0 || int(of) >= features {
				return fmt.Errorf("boost: tree %d splits by feature %d of %d", i+1, of+1, features)
			}
			if t.Threshold[j] != t.Threshold[j] {
				return fmt.Errorf("boost: a threshold of tree %d is not a number", i+1)
			}
		}
		for _, v := range t.Leaf {
			if v-v != 0 {
				return fmt.Errorf("boost: a leaf of tree %d is %v", i+1, v)
			}
		}
	}
	return nil
}

// Settings are how trees are fitted. All but Threads are required.
type Settings struct {
	Trees int
	Depth int     // splits from the root to a leaf
	Rate  float64 // the part of a leaf's best value that is used
	Ridge float64 // penalty on half the square of a leaf: as much as 4*Ridge observations of probability 1/2
	Least float64 // of the second derivatives, their least sum in a leaf
	Bins  int     // thresholds that are tried per feature, at most 255

	Threads int // 0: all cores; never changes a number
}

func (s Settings) validate() error {
	switch {
	case s.Trees < 1 || s.Depth < 1 || s.Depth > 12 || s.Bins < 1 || s.Bins > 255 || s.Threads < 0:
		return fmt.Errorf("boost: cannot fit %d trees of depth %d with %d bins and %d threads", s.Trees, s.Depth, s.Bins,
			s.Threads)
	case !(s.Rate > 0 && s.Rate <= 1 && s.Ridge >= 0 && s.Ridge <= math.MaxFloat32 && s.Least >= 0):
		return fmt.Errorf("boost: cannot fit with rate %g, ridge %g and least sum %g", s.Rate, s.Ridge, s.Least)
	}
	return nil
}

// Data are observations of equal weight.
type Data struct {
	Features int
	X        []float32 // observations x Features, finite
	Right    []bool
	Base     []float64 // logarithms of odds to begin with
}

func (d *Data) validate() error {
	n := len(d.Right)
	if d.Features < 1 || len(d.X) != n*d.Features || len(d.Base) != n {
		return fmt.Errorf("boost: %d observations of %d features with %d values and %d bases", n, d.Features, len(d.X),
			len(d.Base))
	}
	if n > maxObservations {
		return fmt.Errorf("boost: %d observations are more than %d", n, maxObservations)
	}
	for _, v := range d.X {
		if v-v != 0 {
			return errors.New("boost: a feature is not finite")
		}
	}
	return nil
}

// Losses are the negative log-likelihoods of observations with the first 0, 1, 2, ... trees.
func (f *Forest) Losses(d Data) []float64 {
	loss := make([]float64, len(f.Trees)+1)
	for i, z := range d.Base {
		x := d.X[i*d.Features : (i+1)*d.Features]
		for t := 0; ; t++ {
			softplus, _ := exact.Logistic(z)
			if loss[t] += softplus; d.Right[i] {
				loss[t] -= z
			}
			if t == len(f.Trees) {
				break
			}
			z += f.Trees[t].leaf(x)
		}
	}
	return loss
}
