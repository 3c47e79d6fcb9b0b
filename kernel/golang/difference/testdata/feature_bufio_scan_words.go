package main

import (
	"bufio"
	"fmt"
	"strings"
)

func main() {
	s := bufio.NewScanner(strings.NewReader("one two\nthree  four\n"))
	s.Split(bufio.ScanWords)
	n := map[int][]string{}
	for s.Scan() {
		w := s.Text()
		n[len(w)] = append(n[len(w)], w)
	}
	fmt.Println(n, s.Err())
	var a int
	var b string
	k, err := fmt.Sscanf("7-x", "%d-%s", &a, &b)
	fmt.Println(k, err, a, b)
}
