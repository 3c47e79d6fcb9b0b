package main

import (
	"bytes"
	"fmt"
)

func main() {
	b := []byte("hello")
	s := string(b)
	b[0] = 'j'
	fmt.Println(s, string(b), bytes.Equal(b, []byte("jello")), bytes.ToUpper(b))
	r := []rune("añb")
	r[1] = 'n'
	fmt.Println(string(r), string(r[1:]), len(r))
	m := map[string]int{}
	m[string(b)]++
	fmt.Println(m)
}
