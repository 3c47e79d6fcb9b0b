package main

import (
	"container/heap"
	"errors"
	"fmt"
	"sort"
	"strings"
)

type numbers struct {
	list  []int
	calls *int
}

func (n numbers) Len() int           { return len(n.list) }
func (n numbers) Less(i, j int) bool { *n.calls = *n.calls*31 + i*7 + j; return n.list[i] < n.list[j] }
func (n numbers) Swap(i, j int)      { n.list[i], n.list[j] = n.list[j], n.list[i] }

type ints []int

func (h ints) Len() int           { return len(h) }
func (h ints) Less(i, j int) bool { return h[i] < h[j] }
func (h ints) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ints) Push(x any)        { *h = append(*h, x.(int)) }
func (h *ints) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

type job struct {
	name     string
	priority int
	index    int
}

type jobs struct {
	ints
	list []*job
}

func (j *jobs) Len() int           { return len(j.list) }
func (j *jobs) Less(a, b int) bool { return j.list[a].priority > j.list[b].priority }
func (j *jobs) Swap(a, b int) {
	j.list[a], j.list[b] = j.list[b], j.list[a]
	j.list[a].index, j.list[b].index = a, b
}
func (j *jobs) Push(x any) {
	added := x.(*job)
	added.index = len(j.list)
	j.list = append(j.list, added)
}
func (j *jobs) Pop() any {
	last := j.list[len(j.list)-1]
	j.list = j.list[:len(j.list)-1]
	return last
}

type wrapped struct{ sort.Interface }

func (w wrapped) Less(i, j int) bool { return w.Interface.Less(j, i) }

type nested struct{ ints }

type deep struct {
	ints
	depth int
}

func (d deep) Less(i, j int) bool {
	if d.depth > 0 {
		inner := deep{append(ints{}, d.ints[:4]...), d.depth - 1}
		sort.Sort(inner)
		sort.Sort(d.ints[:0])
	}
	return d.ints[i] < d.ints[j]
}

type bad struct{ ints }

func (b bad) Less(i, j int) bool {
	if i+j > 5 {
		panic(fmt.Sprint("less ", i, " ", j))
	}
	return b.ints[i] < b.ints[j]
}

type none struct{}

func (none) Len() int           { return 0 }
func (none) Less(i, j int) bool { return false }
func (none) Swap(i, j int)      {}

func try(what string, f func()) {
	defer func() { fmt.Println(what, recover()) }()
	f()
}

func draws(n int) []int {
	var list []int
	x := uint32(3)
	for range n {
		x = x*1664525 + 1013904223
		list = append(list, int(x>>16)%(n+1))
	}
	return list
}

func main() {
	for _, n := range []int{0, 1, 2, 12, 13, 60, 700} {
		calls := 0
		sort.Sort(numbers{draws(n), &calls})
		fmt.Println(n, calls)
		sort.Stable(&numbers{draws(n), &calls})
		isSorted := sort.IsSorted(numbers{draws(n), &calls})
		fmt.Println(n, calls, isSorted)
		sort.Sort(sort.Reverse(numbers{draws(n), &calls}))
		fmt.Println(n, calls)
	}
	list := ints(draws(9))
	sort.Sort(wrapped{list})
	fmt.Println(list)
	sort.Sort(nested{list})
	fmt.Println(list)
	sort.Sort(deep{list, 3})
	sort.Sort(none{})
	sort.Sort(sort.IntSlice(list))
	var any sort.Interface = list
	sort.Stable(any)
	fmt.Println(list)
	try("less", func() { sort.Sort(bad{ints(draws(30))}) })
	try("nil", func() { sort.Sort(nil) })
	try("nil pointer", func() { sort.Sort((*numbers)(nil)) })

	h := &ints{5, 2, 8}
	heap.Init(h)
	for _, v := range draws(40) {
		heap.Push(h, v)
	}
	(*h)[7] = -3
	heap.Fix(h, 7)
	fmt.Println(heap.Remove(h, 4), heap.Remove(h, h.Len()-1))
	var out []string
	for h.Len() > 0 {
		out = append(out, fmt.Sprint(heap.Pop(h)))
	}
	fmt.Println(strings.Join(out, " "))
	try("wrong", func() { heap.Push(h, "text") })
	q := &jobs{}
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		heap.Push(q, &job{name: name, priority: i * 7 % 5})
	}
	q.list[3].priority = 9
	heap.Fix(q, 3)
	for q.Len() > 0 {
		j := heap.Pop(q).(*job)
		fmt.Print(j.name, j.priority, j.index, " ")
	}
	fmt.Println()
	errs()
}

type code int

func (c code) Error() string        { return fmt.Sprint("code ", int(c)) }
func (c code) Is(target error) bool { return target == base }

type listed []string

func (listed) Error() string { return "listed" }

var base = errors.New("base")

func errs() {
	inner := fmt.Errorf("at %d: %w", 3, code(4))
	outer := fmt.Errorf("%w and %w, %v", inner, base, listed{"x"})
	fmt.Println(outer, errors.Is(outer, code(4)), errors.Is(outer, code(5)), errors.Is(inner, base),
		errors.Is(nil, base), errors.Is(base, nil), errors.Is(nil, nil), errors.Is(listed{"x"}, base))
	fmt.Println(fmt.Errorf("%w", nil), fmt.Errorf("%w %d", "text", code(1)), errors.Unwrap(fmt.Errorf("%v", base)))
	try("uncomparable", func() { fmt.Println(errors.Is(outer, listed{"x"})) })
}
