package main

import (
	"fmt"
	"math/rand"
)

type fixed struct{ n int64 }

func (f *fixed) Int63() int64 {
	f.n = f.n*6364136223846793005 + 1442695040888963407
	return f.n & (1<<63 - 1)
}
func (f *fixed) Seed(seed int64) { f.n = seed }

func main() {
	r := rand.New(&fixed{1})
	fmt.Println(r.Intn(100), r.Intn(100), r.Float64() < 1, r.Perm(4))
	r.Seed(1)
	fmt.Println(r.Intn(100))
	s := rand.New(rand.NewSource(7))
	fmt.Println(s.Intn(1000), s.Int63(), s.NormFloat64(), s.ExpFloat64())
}
