package draw

import "math/bits"

// permutationRounds is the number of rounds of the Feistel network. Four make a random-looking permutation of random
// functions; the round function here is a mixer of 32 bits, so there are more.
const permutationRounds = 8

// Permutation is a pseudo-random order of the numbers below n that needs no memory: every place is computed alone. It
// is a Feistel network on the next power of four, from which numbers of n and above are sent through it again until
// they are below n (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002).
type Permutation struct {
	n    uint32
	half uint // bits of a half
	key  [permutationRounds]uint32
}

// NewPermutation returns permutation number of the numbers below n, 1 <= n <= 2^31.
func NewPermutation(seed uint64, number uint64, n uint32) Permutation {
	p := Permutation{n: n, half: max(1, uint(bits.Len32(n-1)+1)/2)}
	stream := New(seed, Shuffle, number, 0)
	for i := range p.key {
		p.key[i] = stream.Uint32()
	}
	return p
}

// At returns the number at a place, both below n.
func (p *Permutation) At(place uint32) uint32 {
	mask := uint32(1)<<p.half - 1
	for {
		left, right := place>>p.half, place&mask
		for _, key := range p.key {
			left, right = right, left^mix(right^key)&mask
		}
		if place = left<<p.half | right; place < p.n {
			return place
		}
	}
}

// mix is the finalizer of MurmurHash3: every bit of x changes about half of the bits of the result.
func mix(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}
