package main

import (
	"fmt"
)

func lex(s string) (out []string) {
	i := 0
start:
	if i == len(s) {
		return
	}
	switch c := s[i]; {
	case c >= '0' && c <= '9':
		goto number
	case c == ' ':
		i++
		goto start
	}
	out = append(out, "op:"+s[i:i+1])
	i++
	goto start
number:
	j := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	out = append(out, "num:"+s[j:i])
	goto start
}

func main() {
	fmt.Println(lex("12 + 345*6"))
	var fs []func() int
	i := 0
again:
	x := i * i
	fs = append(fs, func() int { x++; return x })
	if i++; i < 3 {
		goto again
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
}
