package draw

import "slices"

// Sample returns n of the places of the total queries of a side, ascending; all of them if n is 0 or total is not
// larger. Every place is equally likely. The same places are always drawn, so that everything that samples the queries
// of a split has the same ones.
func Sample(side, total, n int) []uint32 {
	if n == 0 || total <= n {
		n = total
	}
	places := make([]uint32, n)
	if n == total {
		for i := range places {
			places[i] = uint32(i)
		}
		return places
	}
	order := NewPermutation(0, uint64(total)<<1|uint64(side), uint32(total))
	for i := range places {
		places[i] = order.At(uint32(i))
	}
	slices.Sort(places)
	return places
}
