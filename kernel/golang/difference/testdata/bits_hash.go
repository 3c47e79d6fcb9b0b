package main

import (
	"fmt"
	"math/bits"
)

func popcount(x uint64) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return
}

func fnv(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h ^= uint32(s[i])
		h *= 16777619
	}
	return h
}

type rng struct{ s uint64 }

func (r *rng) next() uint64 {
	r.s ^= r.s << 13
	r.s ^= r.s >> 7
	r.s ^= r.s << 17
	return r.s
}

func crc(data []byte) uint8 {
	var c uint8
	for _, b := range data {
		c ^= b
		for range 8 {
			if c&0x80 != 0 {
				c = c<<1 ^ 7
			} else {
				c <<= 1
			}
		}
	}
	return c
}

func main() {
	fmt.Println(popcount(0xFF00FF), bits.OnesCount64(0xFF00FF), bits.Len(1000), bits.TrailingZeros8(8))
	fmt.Println(fnv("hello"), fnv(""))
	r := rng{88172645463325252}
	for range 3 {
		fmt.Print(r.next(), " ")
	}
	fmt.Println(crc([]byte("123456789")))
	var sieve [100]bool
	var primes []int
	for i := 2; i < len(sieve); i++ {
		if !sieve[i] {
			primes = append(primes, i)
			for j := i * i; j < len(sieve); j += i {
				sieve[j] = true
			}
		}
	}
	fmt.Println(primes)
	var i8 int8 = -7
	fmt.Println(i8>>1, uint8(i8)>>1, i8/2, i8%3, -7/2, -7%3, i8<<4, i8&0x0f, i8&^3)
	x := uint16(0xABCD)
	x = x<<8 | x>>8
	fmt.Printf("%#x %016b %#o\n", x, x, x)
}
