package main

import (
	"container/heap"
	"fmt"
)

type Graph map[string][]edge
type edge struct {
	to string
	w  int
}
type pq []node
type node struct {
	name string
	dist int
}

func (p pq) Len() int            { return len(p) }
func (p pq) Less(i, j int) bool  { return p[i].dist < p[j].dist }
func (p pq) Swap(i, j int)       { p[i], p[j] = p[j], p[i] }
func (p *pq) Push(x interface{}) { *p = append(*p, x.(node)) }
func (p *pq) Pop() interface{} {
	o := *p
	n := o[len(o)-1]
	*p = o[:len(o)-1]
	return n
}

func (g Graph) dijkstra(from string) map[string]int {
	d := map[string]int{from: 0}
	q := &pq{{from, 0}}
	for q.Len() > 0 {
		n := heap.Pop(q).(node)
		if n.dist > d[n.name] {
			continue
		}
		for _, e := range g[n.name] {
			if old, ok := d[e.to]; !ok || n.dist+e.w < old {
				d[e.to] = n.dist + e.w
				heap.Push(q, node{e.to, d[e.to]})
			}
		}
	}
	return d
}

func (g Graph) bfs(from string, visit func(string) bool) {
	seen := map[string]bool{from: true}
	for queue := []string{from}; len(queue) > 0; {
		n := queue[0]
		queue = queue[1:]
		if !visit(n) {
			return
		}
		for _, e := range g[n] {
			if !seen[e.to] {
				seen[e.to] = true
				queue = append(queue, e.to)
			}
		}
	}
}

func topo(deps map[int][]int) (order []int, err error) {
	mark := map[int]int{}
	var visit func(int) error
	visit = func(n int) error {
		switch mark[n] {
		case 1:
			return fmt.Errorf("cycle at %d", n)
		case 2:
			return nil
		}
		mark[n] = 1
		for _, d := range deps[n] {
			if err := visit(d); err != nil {
				return err
			}
		}
		mark[n] = 2
		order = append(order, n)
		return nil
	}
	for n := range 5 {
		if err = visit(n); err != nil {
			return
		}
	}
	return
}

func main() {
	g := Graph{"a": {{"b", 4}, {"c", 1}}, "c": {{"b", 2}, {"d", 7}}, "b": {{"d", 1}}}
	fmt.Println(g.dijkstra("a"))
	g.bfs("a", func(s string) bool { fmt.Print(s, " "); return s != "c" })
	fmt.Println()
	fmt.Println(topo(map[int][]int{0: {1, 2}, 1: {3}, 2: {3}}))
	fmt.Println(topo(map[int][]int{0: {1}, 1: {0}}))
	uf := make([]int, 6)
	for i := range uf {
		uf[i] = i
	}
	var find func(int) int
	find = func(x int) int {
		if uf[x] != x {
			uf[x] = find(uf[x])
		}
		return uf[x]
	}
	for _, p := range [][2]int{{0, 1}, {2, 3}, {1, 3}} {
		uf[find(p[0])] = find(p[1])
	}
	fmt.Println(find(0) == find(2), find(4) == find(5))
}
