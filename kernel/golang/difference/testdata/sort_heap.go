package main

import (
	"container/heap"
	"container/list"
	"fmt"
	"sort"
)

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type IntHeap []int

func (h IntHeap) Len() int           { return len(h) }
func (h IntHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h IntHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *IntHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *IntHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

type item struct {
	k string
	v int
}

func main() {
	s := byLen{"ccc", "a", "bb"}
	sort.Sort(s)
	fmt.Println(s)
	sort.Sort(sort.Reverse(s))
	fmt.Println(s)
	h := &IntHeap{5, 2, 8}
	heap.Init(h)
	heap.Push(h, 3)
	for h.Len() > 0 {
		fmt.Print(heap.Pop(h), " ")
	}
	fmt.Println()
	items := []item{{"b", 2}, {"a", 2}, {"c", 1}}
	sort.Slice(items, func(i, j int) bool { return items[i].v < items[j].v })
	fmt.Println(items[0])
	sort.SliceStable(items, func(i, j int) bool { return items[i].k < items[j].k })
	fmt.Println(items)
	xs := []int{3, 1, 2}
	sort.Ints(xs)
	fmt.Println(xs, sort.SearchInts(xs, 2), sort.Search(100, func(i int) bool { return i*i >= 50 }))
	l := list.New()
	l.PushBack(item{"x", 1})
	l.PushFront(2)
	for e := l.Front(); e != nil; e = e.Next() {
		fmt.Print(e.Value, " ")
	}
	fmt.Println()
}
