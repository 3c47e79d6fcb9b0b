package main

import (
	"fmt"
	"math/bits"
)

func mix(h uint64, b byte) uint64 {
	h ^= uint64(b)
	h *= 1099511628211
	return bits.RotateLeft64(h, 7) ^ h>>33
}
func main() {
	h := uint64(14695981039346656037)
	for _, b := range []byte("spheres") {
		h = mix(h, b)
	}
	fmt.Printf("%x %d %d %d\n", h, bits.OnesCount64(h), bits.LeadingZeros32(uint32(h)), bits.Reverse8(byte(h)))
	hi, lo := bits.Mul64(h, h)
	fmt.Println(hi, lo)
}
