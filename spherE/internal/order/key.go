// Package order puts entities in the order of a value, then of their id: all of them, or the best.
package order

import "math"

// Key packs a value, which is not NaN, and its entity, so that keys are in the order of values, then entities.
func Key(value float32, entity int32) uint64 {
	b := math.Float32bits(value + 0) // -0 is tied with 0
	if b>>31 != 0 {
		b = ^b
	} else {
		b |= 1 << 31
	}
	return uint64(b)<<32 | uint64(uint32(entity))
}

// Entity is the entity of a key.
func Entity(key uint64) int32 { return int32(uint32(key)) }

// The upper half of a key is sorted by digits of digitBits bits, the lowest digit first. Entities are already in order.
const (
	digitBits = 11
	digits    = 3
)

// Sort sorts keys that are in the order of their entities. spare must be at least as long as keys.
func Sort(keys, spare []uint64) {
	var starts [digits][1 << digitBits]int32
	for _, x := range keys {
		for d := range digits {
			starts[d][digit(x, d)]++
		}
	}
	from, to := keys, spare[:len(keys)]
	for d := range digits {
		sum := int32(0)
		for i, n := range starts[d] {
			starts[d][i], sum = sum, sum+n
		}
		for _, x := range from {
			place := &starts[d][digit(x, d)]
			to[*place] = x
			*place++
		}
		from, to = to, from
	}
	copy(keys, from) // digits is odd
}

func digit(key uint64, d int) uint64 { return key >> (32 + digitBits*d) & (1<<digitBits - 1) }
