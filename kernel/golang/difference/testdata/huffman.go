package main

import (
	"container/heap"
	"fmt"
	"sort"
)

type node struct {
	weight      int
	char        rune
	left, right *node
}
type heapOf []*node

func (h heapOf) Len() int { return len(h) }
func (h heapOf) Less(i, j int) bool {
	if h[i].weight != h[j].weight {
		return h[i].weight < h[j].weight
	}
	return h[i].char < h[j].char
}
func (h heapOf) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *heapOf) Push(x any)   { *h = append(*h, x.(*node)) }
func (h *heapOf) Pop() any     { old := *h; n := old[len(old)-1]; *h = old[:len(old)-1]; return n }
func codes(n *node, prefix string, out map[rune]string) {
	if n.left == nil {
		out[n.char] = prefix
		return
	}
	codes(n.left, prefix+"0", out)
	codes(n.right, prefix+"1", out)
}
func main() {
	counts := map[rune]int{}
	for _, c := range "abracadabra" {
		counts[c]++
	}
	h := &heapOf{}
	for c, n := range counts {
		heap.Push(h, &node{weight: n, char: c})
	}
	for h.Len() > 1 {
		a, b := heap.Pop(h).(*node), heap.Pop(h).(*node)
		heap.Push(h, &node{a.weight + b.weight, min(a.char, b.char), a, b})
	}
	out := map[rune]string{}
	codes((*h)[0], "", out)
	var list []string
	for c, s := range out {
		list = append(list, string(c)+":"+s)
	}
	sort.Strings(list)
	fmt.Println(list)
}
