package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

type Celsius float64
type ID string
type IDs []ID
type Handler func(int) int
type S1 struct{ A int }
type S2 struct{ A int }

func main() {
	c := Celsius(36.6)
	f := float64(c)*9/5 + 32
	fmt.Printf("%.2f %v %d\n", f, int(c), uint8(int(f)+200))
	id := ID("x")
	fmt.Println(string(id)+"y", []byte(id), IDs{id, "z"}, len(id))
	h := Handler(func(x int) int { return x * 2 })
	fmt.Println(h(4), (func(int) int)(h)(5))
	fmt.Println(S2(S1{3}), (*S2)(&S1{4}).A)
	var i interface{} = c
	fmt.Println(i.(Celsius) == c)
	n := -1
	fmt.Println(uint32(n), uint64(n), int8(n+300), rune('a'+n), string(rune(n)))
	var u uint64 = math.MaxUint64
	fmt.Println(int64(u), float64(u), float32(1<<24+1), int32(math.MaxInt32)+int32(n))
	x := 1e10
	fmt.Println(int64(x), uint(x), int(-x/3))
	fmt.Println([]rune("añ"), string([]rune{97, 241}), string([]byte{104, 105}))
	type myBytes []byte
	fmt.Println(string(myBytes("q")), myBytes("ab")[1])
	d := time.Duration(2.5 * float64(time.Second))
	fmt.Println(d, d.Milliseconds(), time.Month(3), time.UTC)
	var r io.Reader = strings.NewReader("abc")
	_, ok := r.(io.Seeker)
	_, isW := r.(io.Writer)
	fmt.Println(ok, isW)
}
