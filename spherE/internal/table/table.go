// Package table allocates the large float32 tables of training.
package table

import "unsafe"

const (
	lineBytes = 64
	pageBytes = 2 << 20 // a huge page on amd64 and arm64
)

// Make returns n zeros whose first element starts a cache line. A table of several huge pages starts one and asks
// the system to back it with them: rows are read in random order, and with small pages most reads would miss the
// translation cache. Where the system refuses, the table is the same, only slower.
func Make(n int) []float32 {
	const size = int(unsafe.Sizeof(float32(0)))
	align := lineBytes
	if n*size >= 2*pageBytes {
		align = pageBytes
	}
	all := make([]float32, n+align/size)
	start := uintptr(unsafe.Pointer(unsafe.SliceData(all)))
	skip := int((uintptr(align)-start%uintptr(align))%uintptr(align)) / size
	rows := all[skip : skip+n : skip+n]
	if align == pageBytes {
		adviseHuge(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(rows))), n*size/pageBytes*pageBytes))
	}
	return rows
}
