package main

import (
	"fmt"
)

type Handler func(args ...string) (string, error)

type Cmd struct {
	Name string
	Run  Handler
}

func main() {
	cmds := map[string]Cmd{
		"echo": {"echo", func(a ...string) (string, error) { return fmt.Sprint(a), nil }},
		"fail": {"fail", func(...string) (string, error) { return "", fmt.Errorf("failed") }},
	}
	for _, n := range []string{"echo", "fail", "none"} {
		c, ok := cmds[n]
		if !ok || c.Run == nil {
			fmt.Println(n, "missing")
			continue
		}
		fmt.Println(c.Run("x", "y"))
	}
	s := map[fmt.Stringer]int{}
	s[St("a")]++
	s[St("a")]++
	s[&Pt{1}]++
	fmt.Println(len(s), s[St("a")])
	nested := map[[2]int]map[bool][]any{{1, 2}: {true: {1, "x", nil}}}
	nested[[2]int{1, 2}][false] = append(nested[[2]int{1, 2}][false], St("q"))
	fmt.Println(nested)
}

type St string

func (s St) String() string { return "<" + string(s) + ">" }

type Pt struct{ n int }

func (p *Pt) String() string { return "pt" }
