package main

import (
	"container/heap"
	"fmt"
	"math"
)

type P struct{ r, c int }
type item struct {
	P
	d int
}
type queue []item

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].d < q[j].d }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(item)) }
func (q *queue) Pop() (x any) {
	x, *q = (*q)[len(*q)-1], (*q)[:len(*q)-1]
	return
}

func main() {
	grid := []string{"1163751742", "1381373672", "2136511328", "3694931569", "7463417111"}
	dist := map[P]int{}
	q := &queue{{}}
	steps := [...]P{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	for q.Len() > 0 {
		it := heap.Pop(q).(item)
		if d, ok := dist[it.P]; ok && d <= it.d {
			continue
		}
		dist[it.P] = it.d
		for _, s := range steps {
			n := P{it.r + s.r, it.c + s.c}
			if n.r < 0 || n.c < 0 || n.r >= len(grid) || n.c >= len(grid[0]) {
				continue
			}
			heap.Push(q, item{n, it.d + int(grid[n.r][n.c]-'0')})
		}
	}
	best := math.MinInt
	for _, d := range dist {
		best = max(best, d)
	}
	fmt.Println(dist[P{4, 9}], len(dist), best)
}
