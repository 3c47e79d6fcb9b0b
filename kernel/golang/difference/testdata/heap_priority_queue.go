package main

import (
	"container/heap"
	"fmt"
)

type Item struct {
	value string
	prio  int
	index int
}

type PQ []*Item

func (pq PQ) Len() int           { return len(pq) }
func (pq PQ) Less(i, j int) bool { return pq[i].prio > pq[j].prio }
func (pq PQ) Swap(i, j int) {
	pq[i], pq[j] = pq[j], pq[i]
	pq[i].index, pq[j].index = i, j
}
func (pq *PQ) Push(x any) {
	it := x.(*Item)
	it.index = len(*pq)
	*pq = append(*pq, it)
}
func (pq *PQ) Pop() any {
	old := *pq
	n := len(old)
	it := old[n-1]
	*pq = old[:n-1]
	return it
}

func main() {
	pq := PQ{}
	heap.Init(&pq)
	for i, w := range []string{"low", "high", "mid"} {
		heap.Push(&pq, &Item{value: w, prio: []int{1, 9, 5}[i]})
	}
	it := pq[2]
	it.prio = 100
	heap.Fix(&pq, it.index)
	heap.Remove(&pq, 1)
	for pq.Len() > 0 {
		it := heap.Pop(&pq).(*Item)
		fmt.Print(it.value, it.prio, " ")
	}
	fmt.Println()
}
