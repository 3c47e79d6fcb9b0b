package main

import (
	"fmt"
)

func main() {
	n := 0
outer:
	for i := 0; i < 5; i++ {
	middle:
		for j := range 5 {
			for k := range 5 {
				switch {
				case k == 3:
					continue middle
				case j == 3:
					continue outer
				case i == 3:
					break outer
				case i == 1 && j == 1:
					break middle
				}
				n++
			}
		}
	}
	fmt.Println(n)
sw:
	switch n {
	default:
		for {
			break sw
		}
		fmt.Println("never")
	}
sel:
	select {
	default:
		if n > 0 {
			break sel
		}
		fmt.Println("never")
	}
	i := 0
loop:
	if i < 3 {
		i++
		goto loop
	}
	fmt.Println(i)
}
