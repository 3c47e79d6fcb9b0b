package main

import (
	"fmt"
	"time"
)

type Color int

const (
	Red Color = iota
	Green
	Blue
)

const (
	_  = iota
	KB = 1 << (10 * iota)
	MB
)

const big = 1 << 100

func (c Color) String() string { return [...]string{"R", "G", "B"}[c] }

func main() {
	fmt.Println(Red, Green, Blue, KB, MB, big>>98)
	fmt.Printf("%d %v %s %x %q\n", Blue, Blue, Green, Green, Red)
	const f = 1.0 / 3
	fmt.Println(f, 'a'+1, "s"+"t", len("héllo"), 7/2, 7/2.0)
	var d time.Duration = 1500 * time.Millisecond
	fmt.Println(d, d.Seconds(), time.Duration(3)*time.Second)
}
