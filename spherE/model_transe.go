package sphere

import (
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// TransE measures a triple by the 1-norm of h + r - t (Bordes et al., NeurIPS 2013): blocks are numbers, which
// relations move. TransEL2 measures it by the 2-norm, the other one of that paper.
const (
	TransE   = "transe"
	TransEL2 = "transe-l2"
)

// translation adds a number to every block.
type translation struct {
	k     *simd.Kernels
	bound float32 // of initial numbers
}

// translational builds TransE.
func translational(k *simd.Kernels, s Settings) design {
	bound := (s.Gamma + s.Epsilon) / float64(s.Dimension)
	r := &translation{k, float32(bound)}
	return design{rotation: r, norm: k.Taxicab, normQ: k.Taxicab, swaps: true, swapsQ: true, bound: bound}
}

// euclidean builds TransEL2.
func euclidean(k *simd.Kernels, s Settings) design {
	d := translational(k, s)
	d.isWhole = true
	return d
}

func (*translation) planes() int      { return 1 }
func (*translation) coordinates() int { return 1 }
func (*translation) width() int       { return 1 }
func (*translation) prepared() int    { return 1 }

func (*translation) points() (q, p int) { return 1, 1 }

func (r *translation) initial(_ int, raw []float32, s *draw.Stream) { drawSymmetric(raw, r.bound, s) }

func (*translation) prepare(turn, raw []float32) { copy(turn, raw) }

func (r *translation) forward(q, h, turn []float32) {
	copy(q, h)
	r.k.Add(q, turn)
}

func (*translation) inverse(p, t, turn []float32) {
	for j, x := range t {
		p[j] = x - turn[j]
	}
}

func (*translation) gradient(gh, gt, g, _, _, _, gq, _, gp, _ []float32) {
	copy(gh, gq)
	copy(gt, gp)
	for j, x := range gq {
		g[j] = x - gp[j]
	}
}

func (*translation) rawGradient(_, _, _ []float32) {}

func (*translation) words() (center, phase string) {
	return "[entities, blocks, 1]: the number of every block, in units of distance",
		"[relations, blocks]: what is added to the number of every block of a head"
}
