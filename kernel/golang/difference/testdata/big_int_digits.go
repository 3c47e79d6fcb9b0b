package main

import (
	"fmt"
	"slices"
)

type digits []byte

func (d digits) times(n int) digits {
	carry := 0
	out := make(digits, 0, len(d)+2)
	for _, x := range d {
		carry += int(x) * n
		out = append(out, byte(carry%10))
		carry /= 10
	}
	for carry > 0 {
		out = append(out, byte(carry%10))
		carry /= 10
	}
	return out
}
func main() {
	d := digits{1}
	for i := 2; i <= 30; i++ {
		d = d.times(i)
	}
	text := []byte{}
	for _, x := range slices.Backward(d) {
		text = append(text, '0'+x)
	}
	fmt.Println(string(text), len(d))
}
