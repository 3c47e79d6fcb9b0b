package main

import (
	"fmt"
)

func main() {
	s := "aé世\xff!"
	for i, r := range s {
		fmt.Printf("%d:%q ", i, r)
	}
	for i := range len(s) {
		fmt.Printf("%x ", s[i])
	}
	fmt.Println([]rune(s), len(s))
}
