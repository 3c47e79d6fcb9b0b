package main

import "fmt"

type pair struct {
	name string
	n    int
}

type wide struct {
	a, b, c, d, e, f, g, h, i string
}

type shape interface{ size() int }

type (
	s0 int
	s1 struct{ a int8 }
	s2 [3]int
	s3 string
	s4 struct{ p *int }
	s5 []int
	s6 map[string]int
	s7 struct{ s0 }
	s8 func() int
	s9 float64
	sa struct{ a, b, c int }
)

func (v s0) size() int  { return int(v) }
func (v s1) size() int  { return int(v.a) }
func (v s2) size() int  { return v[2] }
func (v s3) size() int  { return len(v) }
func (v s4) size() int  { return *v.p }
func (v s5) size() int  { return len(v) }
func (v s6) size() int  { return len(v) }
func (v s8) size() int  { return v() }
func (v s9) size() int  { return int(v) }
func (v *sa) size() int { return v.a + v.b + v.c }

func shapes() {
	n := 7
	list := []shape{s0(1), s1{2}, s2{0, 0, 3}, s3("four"), s4{&n}, s5{1, 2}, s6{"x": 1}, s7{8}, s8(func() int { return n }),
		s9(9.5), &sa{1, 2, 3}}
	t := 0
	for round := range 40 {
		for i, s := range list {
			t = t*3 + s.size()*(i+round)
		}
	}
	fmt.Println(t)
	defer func() { fmt.Println(recover()) }()
	for _, s := range append(list, nil) {
		t += s.size()
	}
}

func loops() {
	var list, before []int
	for i := 0; i < 20; i++ {
		old := list
		list = append(list, i)
		if len(old)+1 != len(list) {
			fmt.Println("the old list changed", old, list)
		}
	}
	fmt.Println(list, cap(list))
	list = nil
	for i := 0; i < 5; i++ {
		before, list = list, append(list, i, -i)
		fmt.Println(before, list)
	}
	a, b := []int{1}, []int{2}
	for i := range 6 {
		a, b = append(b, i), append(a, -i)
	}
	fmt.Println(a, b)
	for len(a) < 12 {
		a = append(a, a[0], a[len(a)-1])
	}
	fmt.Println(a)
	x := append([]int(nil), 1, 2, 3)
	y, z := append(x[:1], 8), append(x[:2:2], 9)
	fmt.Println(x, y, z)
}

func count(n int) int {
	if n == 0 {
		return 0
	}
	list := append([]int{n}, count(n-1), n)
	return len(list) + list[1]
}

func main() {
	shapes()
	loops()
	fmt.Println(count(5))
	var pairs []pair
	var wides []wide
	var anys []any
	var nothing []struct{}
	var small []int8
	var lists [][]int
	var grids [][2]string
	for i := range 9 {
		pairs = append(pairs, pair{fmt.Sprint(i), i}, pair{"x", -i})
		wides = append(wides, wide{a: "a", i: fmt.Sprint(i)})
		anys = append(anys, i, "s", nil, pair{"p", i})
		nothing = append(nothing, struct{}{}, struct{}{})
		small = append(small, int8(i), int8(i*50))
		lists = append(lists, []int{i}, nil)
		grids = append(grids, [2]string{"k", fmt.Sprint(i)})
	}
	fmt.Println(pairs, cap(pairs), wides[8], cap(wides), len(anys), cap(anys), anys[30:], len(nothing))
	fmt.Println(small, cap(small), lists, grids, cap(grids))
	fmt.Println(append([]byte("ab"), 'c', 'd'), string(append([]byte("ab"), "cd"...)))
	var kept []func() string
	for i := range 3 {
		text := fmt.Sprintf("%d of %v", i, pairs[i])
		kept = append(kept, func() string { return text })
	}
	for _, f := range kept {
		fmt.Print(f(), "; ", 1, 2, "\n")
	}
	formats()
}

type loud string

func (l loud) String() string { return fmt.Sprintf("<%s %v>", string(l), len(l)) }

func formats() {
	l := loud("l")
	for _, format := range []string{"%v", "%d%%", "%", "%5.1f|%-4d|", "%[1]v %v", "%*d", "%z", "%é", "%v %v", "%!", "100%", "%T %v",
		"%+v %#v", "%s %%", "", "%%", "% d", "%x %X", "%v %v %v"} {
		fmt.Printf("%q: ", format)
		fmt.Println(fmt.Sprintf(format, l), fmt.Sprintf(format, 3, l), fmt.Sprintf(format, 2.5, pair{"n", 1}), fmt.Sprintf(format))
	}
	fmt.Println(fmt.Sprint(l, l, 1, 2, "a", 3), fmt.Sprintln(l, 3), fmt.Errorf("at %v: %w", l, fmt.Errorf("inner %d", 1)))
	list := []any{l, 1}
	fmt.Println(fmt.Sprintf("%v %v", list...), fmt.Sprint(list...))
}
