// Package table allocates the large float32 tables of training.
package table

import "unsafe"

const (
	lineBytes = 64
	pageBytes = 2 << 20 // a huge page on amd64 and arm64

	// staggerBytes is the offset between tables that are used together: a small page and a line.
	staggerBytes = 65 * lineBytes
)

// Make returns n zeros whose first element is at the start of a cache line. A table of several huge pages starts in the
// first one, and Make asks the system for huge pages: rows are read in random order, and with small pages most reads
// would miss the translation cache. If the system refuses, the table is slower.
//
// Tables that are read at the same index at the same time need different places, counted from 0. Otherwise tables of
// equal size can lie a power of two apart, and their lines would evict each other from the first-level cache.
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
