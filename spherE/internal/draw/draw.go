// Package draw is the counter-based random generator behind every random choice of spherelab: Philox4x32-10
// (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011). A draw is a pure function of
// (seed, purpose, step, item, position), so it does not matter which thread makes it, in what order, or
// whether the process was killed and resumed in between.
package draw

import "math/bits"

// Purpose keeps the draws of different uses of one seed apart.
type Purpose uint8

const (
	Initial   Purpose = iota + 1 // initial parameters; step is the tensor, item the row
	Negative                     // positives and their negatives; step is the training step, item the positive
	Bootstrap                    // resampling of queries; step is the resample, item the side
	Division                     // dividing a file of triples into splits; step and item are 0
)

const (
	multiplier0 = 0xD2511F53
	multiplier1 = 0xCD9E8D57
	weyl0       = 0x9E3779B9
	weyl1       = 0xBB67AE85
	rounds      = 10
)

// Stream is the sequence of draws of one (seed, purpose, step, item). Its zero value is a valid stream, but
// callers want New. It is a value: copying it copies its position.
type Stream struct {
	key     [2]uint32
	counter [4]uint32
	block   [4]uint32
	left    int // unread words of block
}

// New returns the stream of one item of one step. Steps run up to 2^56-1.
func New(seed uint64, p Purpose, step uint64, item uint32) Stream {
	return Stream{
		key:     [2]uint32{uint32(seed), uint32(seed >> 32)},
		counter: [4]uint32{0, item, uint32(step), uint32(step>>32)&0xFFFFFF | uint32(p)<<24},
	}
}

// Uint32 returns the next 32 random bits.
func (s *Stream) Uint32() uint32 {
	if s.left == 0 {
		s.block = philox(s.counter, s.key)
		s.counter[0]++
		s.left = 4
	}
	w := s.block[4-s.left]
	s.left--
	return w
}

// Uint64 returns the next 64 random bits, the first word of 32 in the low half.
func (s *Stream) Uint64() uint64 {
	low := s.Uint32()
	return uint64(s.Uint32())<<32 | uint64(low)
}

// Uint32n returns a uniform number in [0, n), without bias (Lemire, "Fast Random Integer Generation in an
// Interval", 2019). It panics when n is 0.
func (s *Stream) Uint32n(n uint32) uint32 {
	if n == 0 {
		panic("draw: Uint32n of 0")
	}
	product := uint64(s.Uint32()) * uint64(n)
	if low := uint32(product); low < n {
		for threshold := -n % n; low < threshold; low = uint32(product) {
			product = uint64(s.Uint32()) * uint64(n)
		}
	}
	return uint32(product >> 32)
}

// Symmetric returns a uniform float32 in [-bound, bound), in steps of bound/2^23.
func (s *Stream) Symmetric(bound float32) float32 {
	const half = 1 << 23
	unit := float32(int32(s.Uint32()>>8)-half) / half // exact
	return float32(unit * bound)
}

// Chance is true with probability p, given in units of 2^-32; p of 2^32 and above is always true.
func (s *Stream) Chance(p uint64) bool { return uint64(s.Uint32()) < p }

func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range rounds {
		high0, low0 := bits.Mul32(multiplier0, c[0])
		high1, low1 := bits.Mul32(multiplier1, c[2])
		c = [4]uint32{high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0}
		k[0] += weyl0
		k[1] += weyl1
	}
	return c
}
