package main

import (
	"fmt"
)

type P struct{ A int }
type St string

func (s St) String() string { return "St:" + string(s) }

func main() {
	fmt.Printf("%d %s\n", "x", 5)
	fmt.Printf("%!|%z|%d\n", 1)
	fmt.Printf("%d %d\n", 1)
	fmt.Printf("%d\n", 1, P{2}, St("q"))
	fmt.Printf("%[2]d %[1]d %[3]v %[1]v\n", 1, 2, P{3})
	fmt.Printf("%[5]d %[x]d\n", 1)
	fmt.Printf("%*d|%-*d|%.*f\n", 5, 1, 4, 2, 2, 3.14159)
	fmt.Printf("%*d\n", "a", P{1})
	fmt.Printf("%t %c %U %p\n", P{1}, P{2}, St("a"), P{3})
	fmt.Printf("%s %v %d\n", nil, nil, nil)
	fmt.Printf("%s %v\n", []any{nil, 1, "a"}, [3]error{})
	fmt.Printf("100%% %c%c %v\n", 'a', 0x4e16, St("z"))
	fmt.Printf("%T %T %T\n", nil, P{}, St(""))
	fmt.Println(fmt.Sprint("a", 1, 2, "b", "c", 3.0, P{1}, St("x"), nil, 'x'))
	fmt.Println(fmt.Sprintln("a", 1, St("b")) == "a 1 St:b\n", fmt.Sprint(), fmt.Sprint(nil, nil))
}
