// Package sort, heaps, lists and slices of types of the program.
package main

import (
	"cmp"
	"container/heap"
	"container/list"
	"container/ring"
	"fmt"
	"slices"
	"sort"
	"strings"
)

type P struct {
	n string
	a int
}
type byAge []P

func (b byAge) Len() int           { return len(b) }
func (b byAge) Less(i, j int) bool { return b[i].a < b[j].a }
func (b byAge) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type ph []*P

func (h ph) Len() int           { return len(h) }
func (h ph) Less(i, j int) bool { return h[i].a > h[j].a }
func (h ph) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ph) Push(x any)        { *h = append(*h, x.(*P)) }
func (h *ph) Pop() any          { o := *h; x := o[len(o)-1]; *h = o[:len(o)-1]; return x }

type rev struct{ sort.Interface }

func (r rev) Less(i, j int) bool { return r.Interface.Less(j, i) }
func main() {
	ps := []P{{"a", 3}, {"b", 1}, {"c", 2}, {"d", 1}}
	sort.Sort(byAge(ps))
	fmt.Println(ps)
	sort.Sort(sort.Reverse(byAge(ps)))
	fmt.Println(ps)
	sort.Stable(rev{byAge(ps)})
	fmt.Println(ps)
	sort.Slice(ps, func(i, j int) bool { return ps[i].n < ps[j].n })
	fmt.Println(ps, sort.IsSorted(byAge(ps)))
	h := &ph{}
	heap.Init(h)
	for i := range ps {
		heap.Push(h, &ps[i])
	}
	(*h)[0].a = 0
	heap.Fix(h, 0)
	for h.Len() > 0 {
		fmt.Print(*heap.Pop(h).(*P), " ")
	}
	fmt.Println()
	l := list.New()
	l.PushBack(P{"x", 1})
	l.PushFront(2)
	for e := l.Front(); e != nil; e = e.Next() {
		fmt.Print(e.Value, " ")
	}
	fmt.Println(l.Len())
	r := ring.New(3)
	for i := range 3 {
		r.Value = P{fmt.Sprint(i), i}
		r = r.Next()
	}
	r.Do(func(v any) { fmt.Print(v.(P).n) })
	fmt.Println()
	slices.SortStableFunc(ps, func(a, b P) int { return cmp.Or(-cmp.Compare(a.a, b.a), strings.Compare(a.n, b.n)) })
	fmt.Println(ps)
	i, ok := slices.BinarySearchFunc([]P{{"a", 1}, {"b", 3}}, 3, func(p P, t int) int { return p.a - t })
	fmt.Println(i, ok)
	fmt.Println(slices.IndexFunc(ps, func(p P) bool { return p.n == "c" }), slices.Contains(ps, P{"b", 1}),
		slices.MaxFunc(ps, func(a, b P) int { return a.a - b.a }))
	fmt.Println(slices.Compact([]P{{"a", 1}, {"a", 1}, {"b", 1}}), slices.Insert(ps, 1, P{"z", 9}),
		slices.Delete([]int{1, 2, 3, 4}, 1, 3), slices.Equal(ps, ps))
	fmt.Println(slices.Repeat([]P{{"r", 0}}, 2), slices.Concat(ps[:1], ps[1:2]), slices.Compare([]int{1, 2},
		[]int{1, 3}))
	func() { defer func() { fmt.Println(recover()) }(); slices.Insert(ps, 9, P{}) }()
	func() { defer func() { fmt.Println(recover()) }(); slices.Max([]int{}) }()
	func() { defer func() { fmt.Println(recover()) }(); slices.Grow(ps, -1) }()
	func() {
		defer func() { fmt.Println(recover()) }()
		for range slices.Chunk(ps, 0) {
		}
	}()
	fmt.Println(sort.Search(10, func(i int) bool { return i*i >= 30 }), sort.SearchInts([]int{1, 3, 5}, 4))
	x, found := sort.Find(3, func(i int) int { return strings.Compare("b", []string{"a", "b", "c"}[i]) })
	fmt.Println(x, found)
}
