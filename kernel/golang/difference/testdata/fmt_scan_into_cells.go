package main

import (
	"bufio"
	"fmt"
	"strings"
)

type Temp float64

func (t *Temp) Scan(s fmt.ScanState, verb rune) error {
	tok, err := s.Token(true, nil)
	if err != nil {
		return err
	}
	var f float64
	_, err = fmt.Sscanf(string(tok), "%fC", &f)
	*t = Temp(f)
	return err
}

func main() {
	var a int
	var b string
	var c float64
	n, err := fmt.Sscanf("5 apples 2.5", "%d %s %f", &a, &b, &c)
	fmt.Println(n, err, a, b, c)
	n, err = fmt.Sscan("7 x 8", &a, &b, &c)
	fmt.Println(n, err, a, b, c)
	n, err = fmt.Sscan("7 x y", &a, &b, &c)
	fmt.Println(n, err)
	type rec struct{ X, Y int }
	var r rec
	r2 := bufio.NewReader(strings.NewReader("3,4\n5,6\n"))
	for {
		if _, err := fmt.Fscanf(r2, "%d,%d\n", &r.X, &r.Y); err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(r)
	}
	var x, y uint8
	_, err = fmt.Sscanf("ff:300", "%x:%d", &x, &y)
	fmt.Println(x, err)
}
