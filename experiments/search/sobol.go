package search

import "math/bits"

// sobol is a Sobol sequence with a random digital shift: points that fill the space evenly, whatever their number. The
// primitive polynomials and first direction numbers are those that Joe and Kuo published (SIAM J. Sci. Comput. 30,
// 2008).
type sobol struct {
	direction [][sobolBits]uint32 // of each dimension
	shift     []uint32
}

const sobolBits = 32

// sobolTable has, from the second dimension on, the degree of the polynomial, its inner coefficients as bits, and the
// first direction numbers. The first dimension needs none: it is the van der Corput sequence.
var sobolTable = []struct {
	degree, inner int
	first         []uint32
}{
	{1, 0, []uint32{1}},
	{2, 1, []uint32{1, 3}},
	{3, 1, []uint32{1, 3, 1}},
	{3, 2, []uint32{1, 1, 1}},
	{4, 1, []uint32{1, 1, 3, 3}},
	{4, 4, []uint32{1, 3, 5, 13}},
	{5, 2, []uint32{1, 1, 5, 5, 17}},
	{5, 4, []uint32{1, 1, 5, 5, 5}},
	{5, 7, []uint32{1, 1, 7, 11, 19}},
}

// sobolDimensions is the largest number of dimensions.
var sobolDimensions = len(sobolTable) + 1

func newSobol(dimensions int, seed uint64) *sobol {
	s := &sobol{direction: make([][sobolBits]uint32, dimensions), shift: make([]uint32, dimensions)}
	source := stream(seed, -1)
	for d := range dimensions {
		s.shift[d] = source.Uint32()
		v := &s.direction[d]
		if d == 0 {
			for k := range v {
				v[k] = 1 << (sobolBits - 1 - k)
			}
			continue
		}
		t := sobolTable[d-1]
		for k := range v {
			if k < t.degree {
				v[k] = t.first[k] << (sobolBits - 1 - k)
				continue
			}
			v[k] = v[k-t.degree] ^ v[k-t.degree]>>t.degree
			for j := 1; j < t.degree; j++ {
				if t.inner>>(t.degree-1-j)&1 == 1 {
					v[k] ^= v[k-j]
				}
			}
		}
	}
	return s
}

// Draw implements drawer.
func (s *sobol) Draw(i int, _ []seenPoint) []float64 {
	u := make([]float64, len(s.direction))
	for d := range u {
		x := s.shift[d]
		for rest := uint32(i) ^ uint32(i)>>1; rest != 0; rest &= rest - 1 { // Gray code
			x ^= s.direction[d][bits.TrailingZeros32(rest)]
		}
		u[d] = float64(x) / (1 << sobolBits)
	}
	return u
}
