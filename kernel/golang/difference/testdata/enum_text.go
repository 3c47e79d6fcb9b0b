package main

import (
	"fmt"
	"strconv"
)

type color int

const (
	red color = iota
	green
	blue
)

var names = [...]string{red: "red", green: "green", blue: "blue"}

func (c color) String() string {
	if int(c) < len(names) {
		return names[c]
	}
	return "color(" + strconv.Itoa(int(c)) + ")"
}
func parse(s string) (color, error) {
	for c, n := range names {
		if n == s {
			return color(c), nil
		}
	}
	return 0, fmt.Errorf("no color %q", s)
}
func main() {
	fmt.Println(red, blue, color(7), []color{green, red}, map[color]int{blue: 1})
	fmt.Printf("%d %v %s %q %x %T\n", green, green, green, green, green, green)
	c, err := parse("blue")
	fmt.Println(c, err)
	_, err = parse("pink")
	fmt.Println(err)
}
