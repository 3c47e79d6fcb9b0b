package main

import (
	"fmt"
	"slices"
	"strings"
)

func main() {
	for s := range strings.SplitSeq("a,b,,c", ",") {
		fmt.Printf("%q ", s)
	}
	for s := range strings.FieldsSeq("  one two  ") {
		fmt.Printf("%q ", s)
	}
	for l := range strings.Lines("x\ny\nz") {
		fmt.Printf("%q ", l)
	}
	fmt.Println(slices.Collect(strings.FieldsFuncSeq("a1b2c", func(r rune) bool { return r < 'a' })))
}
