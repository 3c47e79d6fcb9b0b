// Package table allocates the large float32 tables of training.
package table

import "unsafe"

const (
	lineBytes = 64
	pageBytes = 2 << 20 // a huge page on amd64 and arm64

	// staggerBytes is how far tables that are used together are moved against each other: a small page and a line.
	staggerBytes = 65 * lineBytes
)

// Make returns n zeros whose first element starts a cache line. A table of several huge pages starts in the first and
// asks the system to back it with them: rows are read in random order, and with small pages most reads would miss the
// translation cache. Where the system refuses, the table is the same, only slower.
//
// Tables of which the same place is used at the same time have different places, 0 and up: at a distance of a power of
// two, as equal sizes may bring about, their lines would drive each other out of the first-level cache.
func Make(n, place int) []float32 {
	const size = int(unsafe.Sizeof(float32(0)))
	align := lineBytes
	if n*size >= 2*pageBytes {
		align = pageBytes
	}
	all := make([]float32, n+(align+place*staggerBytes)/size)
	start := uintptr(unsafe.Pointer(unsafe.SliceData(all)))
	skip := int((uintptr(align)-start%uintptr(align))%uintptr(align)) / size
	if align == pageBytes {
		adviseHuge(unsafe.Slice((*byte)(unsafe.Pointer(&all[skip])), n*size/pageBytes*pageBytes))
	}
	skip += place * staggerBytes / size
	return all[skip : skip+n : skip+n]
}
