package draw

import "testing"

// TestPermutation checks that every number comes once, for sizes around powers of two and four.
func TestPermutation(t *testing.T) {
	t.Parallel()
	for _, n := range []uint32{1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 1000, 4096, 4097} {
		for number := range uint64(3) {
			p := NewPermutation(7, number, n)
			seen := make([]bool, n)
			for place := range n {
				at := p.At(place)
				if at >= n || seen[at] {
					t.Fatalf("permutation %d of %d: %d comes twice or is too large", number, n, at)
				}
				seen[at] = true
			}
		}
	}
}

// TestPermutationsDiffer checks that other numbers and seeds give other orders, and that an order looks random: numbers
// keep their place, and neighbours stay neighbours, about as often as by chance.
func TestPermutationsDiffer(t *testing.T) {
	t.Parallel()
	const n = 10_000
	orders := []Permutation{NewPermutation(7, 0, n), NewPermutation(7, 1, n), NewPermutation(8, 0, n)}
	for i, p := range orders {
		kept, neighbours := 0, 0
		var quarters [4][4]int // of the place and of the number
		for place := range uint32(n) {
			at := p.At(place)
			if at == place {
				kept++
			}
			if place > 0 && p.At(place-1)+1 == at {
				neighbours++
			}
			quarters[place*4/n][at*4/n]++
		}
		if kept > 10 || neighbours > 10 {
			t.Errorf("order %d: %d numbers keep their place, %d follow the one before", i, kept, neighbours)
		}
		for a := range quarters {
			for b, count := range quarters[a] {
				if count < n/16-120 || count > n/16+120 { // five standard deviations
					t.Errorf("order %d: %d numbers of quarter %d are in quarter %d, want about %d", i, count, b, a, n/16)
				}
			}
		}
		for j, other := range orders[:i] {
			same := 0
			for place := range uint32(n) {
				if other.At(place) == p.At(place) {
					same++
				}
			}
			if same > 10 {
				t.Errorf("orders %d and %d agree in %d places", i, j, same)
			}
		}
	}
}
