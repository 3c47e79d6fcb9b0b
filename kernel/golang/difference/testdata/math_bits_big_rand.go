package main

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
)

func main() {
	fmt.Println(bits.OnesCount(255), bits.LeadingZeros16(1), bits.TrailingZeros(8), bits.Len(1023),
		bits.Reverse8(3), bits.RotateLeft8(0x81, 1))
	hi, lo := bits.Mul64(1<<63, 6)
	sum, carry := bits.Add64(1<<63, 1<<63, 1)
	fmt.Println(hi, lo, sum, carry)
	a, b := big.NewInt(1), new(big.Int)
	for i := int64(1); i <= 30; i++ {
		a.Mul(a, big.NewInt(i))
	}
	b.SetString("265252859812191058636308480000000", 10)
	fmt.Println(a, a.Cmp(b), b.BitLen(), new(big.Int).Mod(a, big.NewInt(1e9+7)))
	r := big.NewRat(3, 6)
	fmt.Println(r, r.Add(r, big.NewRat(1, 3)), new(big.Float).SetPrec(100).Quo(big.NewFloat(1), big.NewFloat(3)))
	fmt.Printf("%x %s %v\n", a, b, []*big.Int{big.NewInt(5)})
	src := rand.New(rand.NewPCG(1, 2))
	fmt.Println(src.IntN(100), src.IntN(100), src.Float64(), src.Perm(5))
	x := []string{"a", "b", "c", "d"}
	src.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	fmt.Println(x)
}
