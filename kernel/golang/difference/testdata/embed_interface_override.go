package main

import (
	"fmt"
	"sort"
	"strings"
)

type Reverse struct{ sort.Interface }

func (r Reverse) Less(i, j int) bool { return r.Interface.Less(j, i) }

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type Upper struct{ fmt.Stringer }

func (u Upper) String() string { return strings.ToUpper(u.Stringer.String()) }

type name string

func (n name) String() string { return string(n) }

func main() {
	w := []string{"aaa", "b", "cc"}
	sort.Sort(Reverse{byLen(w)})
	fmt.Println(w)
	sort.Sort(sort.Reverse(Reverse{byLen(w)}))
	fmt.Println(w)
	fmt.Println(Upper{name("x")}, Upper{Upper{name("y")}})
	defer func() { fmt.Println("nil:", recover() != nil) }()
	_ = Upper{}.String()
}
