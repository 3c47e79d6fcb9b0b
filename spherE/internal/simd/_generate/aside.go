package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
)

// detour is code that is seldom needed. It is written behind the end of its function.
type detour struct {
	label, back string // where it begins, and the place to return to, which the caller sets
	body        func(back string)
}

// detours are those of the function that is being written.
var detours []detour

func aside(body func(back string)) detour {
	i := len(detours)
	d := detour{fmt.Sprintf("slow%d", i), fmt.Sprintf("back%d", i), body}
	detours = append(detours, d)
	return d
}

// writeDetours ends a function.
func writeDetours() {
	for i := 0; i < len(detours); i++ {
		Label(detours[i].label)
		detours[i].body(detours[i].back)
	}
	detours = nil
}
