// Package draw is the counter-based random generator behind every random choice of spherelab: Philox4x32-10 (Salmon et
// al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011). A draw is a pure function of (seed, purpose, step,
// item, position). It does not depend on the thread, on the order of draws, or on whether the process was killed and
// resumed.
package draw

// Purpose separates the draws of different uses of one seed.
type Purpose uint8

const (
	Initial   Purpose = iota + 1 // initial parameters; step is the tensor, item the row
	Negative                     // positives and their negatives; step is the training step, item the positive
	Bootstrap                    // resampling of queries; step is the resample, item the side
	Division                     // dividing a file of triples into splits; step and item are 0
	Shuffle                      // keys of a Permutation; step is its number, item 0
	Mining                       // paths of rules; step is the mining step, item 0
	Questions                    // questions of several steps; step is the query type, item 0
	Place                        // the graph of a training step; item is 0
	Part                         // parts of a graph; step is the part, item 0
)

// Pattern generates the graph of an inference pattern; step and item are 0. Its number is far from the others, so that
// a new purpose changes no graph.
const Pattern Purpose = 64

const (
	multiplier0 = 0xD2511F53
	multiplier1 = 0xCD9E8D57
	weyl0       = 0x9E3779B9
	weyl1       = 0xBB67AE85
	rounds      = 10
)

// blocks is the number of blocks that a stream computes at a time. Their rounds are independent, so the processor works
// on all of them at once.
const blocks = 4

// Stream is the sequence of draws of one (seed, purpose, step, item). Use New to make one. A copy of a Stream has its
// own position.
type Stream struct {
	key     [2]uint32
	counter [4]uint32
	word    [4 * blocks]uint32
	left    int // unread words
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
		s.refill()
	}
	w := s.word[uint(len(s.word)-s.left)%uint(len(s.word))]
	s.left--
	return w
}

func (s *Stream) refill() {
	for i := 0; i < len(s.word); i += 8 {
		next := s.counter
		next[0]++
		philoxPair((*[8]uint32)(s.word[i:]), &s.counter, &next, &s.key)
		s.counter[0] += 2
	}
	s.left = len(s.word)
}

// Uint64 returns the next 64 random bits, the first word of 32 in the low half.
func (s *Stream) Uint64() uint64 {
	low := s.Uint32()
	return uint64(s.Uint32())<<32 | uint64(low)
}

// Uint32n returns a uniform number in [0, n), without bias (Lemire, "Fast Random Integer Generation in an Interval",
// 2019). It panics when n is 0.
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

// Chance returns true with probability p, in units of 2^-32. With p >= 2^32 it is always true.
func (s *Stream) Chance(p uint64) bool { return uint64(s.Uint32()) < p }

// philoxPair encrypts two counters under one key.
func philoxPair(dst *[8]uint32, a, b *[4]uint32, key *[2]uint32) {
	a0, a1, a2, a3 := a[0], a[1], a[2], a[3]
	b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
	k0, k1 := key[0], key[1]
	for range rounds {
		p, q := uint64(multiplier0)*uint64(a0), uint64(multiplier1)*uint64(a2)
		r, s := uint64(multiplier0)*uint64(b0), uint64(multiplier1)*uint64(b2)
		a0, a1, a2, a3 = uint32(q>>32)^a1^k0, uint32(q), uint32(p>>32)^a3^k1, uint32(p)
		b0, b1, b2, b3 = uint32(s>>32)^b1^k0, uint32(s), uint32(r>>32)^b3^k1, uint32(r)
		k0 += weyl0
		k1 += weyl1
	}
	*dst = [8]uint32{a0, a1, a2, a3, b0, b1, b2, b3}
}
