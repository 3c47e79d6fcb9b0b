package main

import (
	"container/heap"
	"container/list"
	"fmt"
	"sort"
	"strings"
)

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type item struct {
	name string
	prio int
	at   int
}
type queue []*item

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].prio > q[j].prio }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i]; q[i].at, q[j].at = i, j }
func (q *queue) Push(x any)        { it := x.(*item); it.at = len(*q); *q = append(*q, it) }
func (q *queue) Pop() any {
	old := *q
	it := old[len(old)-1]
	*q = old[:len(old)-1]
	return it
}

type grid struct{ sort.IntSlice }

func (g grid) Less(i, j int) bool { return g.IntSlice[i]%10 < g.IntSlice[j]%10 }

func main() {
	w := strings.Fields("pear fig banana kiwi apple")
	sort.Sort(byLen(w))
	fmt.Println(len(w[0]), len(w[4]), sort.IsSorted(byLen(w)))
	sort.Stable(sort.Reverse(byLen(w)))
	fmt.Println(w)
	q := &queue{}
	heap.Init(q)
	for i, n := range []string{"a", "b", "c", "d"} {
		heap.Push(q, &item{name: n, prio: i * 7 % 5})
	}
	it := (*q)[q.Len()-1]
	it.prio = 100
	heap.Fix(q, it.at)
	for q.Len() > 0 {
		x := heap.Pop(q).(*item)
		fmt.Print(x.name, x.prio, " ")
	}
	fmt.Println()
	g := grid{sort.IntSlice{31, 22, 13}}
	sort.Sort(g)
	fmt.Println(g.IntSlice, g.Len())
	l := list.New()
	l.PushBack(item{name: "x"})
	l.PushFront(item{name: "y"})
	for e := l.Front(); e != nil; e = e.Next() {
		fmt.Print(e.Value.(item).name)
	}
	fmt.Println(sort.Search(100, func(i int) bool { return i*i >= 50 }))
	people := []struct {
		n string
		a int
	}{{"A", 3}, {"B", 1}, {"C", 2}}
	sort.Slice(people, func(i, j int) bool { return people[i].a < people[j].a })
	fmt.Println(people)
}
