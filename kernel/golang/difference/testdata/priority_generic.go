package main

import (
	"fmt"
)

type queue[T any] struct {
	items []T
	less  func(a, b T) bool
}

func (q *queue[T]) push(x T) {
	q.items = append(q.items, x)
	i := len(q.items) - 1
	for i > 0 && q.less(q.items[i], q.items[(i-1)/2]) {
		p := (i - 1) / 2
		q.items[i], q.items[p] = q.items[p], q.items[i]
		i = p
	}
}
func (q *queue[T]) pop() (top T, ok bool) {
	if len(q.items) == 0 {
		return
	}
	top = q.items[0]
	last := len(q.items) - 1
	q.items[0], q.items = q.items[last], q.items[:last]
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			break
		}
		if c+1 < last && q.less(q.items[c+1], q.items[c]) {
			c++
		}
		if !q.less(q.items[c], q.items[i]) {
			break
		}
		q.items[i], q.items[c] = q.items[c], q.items[i]
		i = c
	}
	return top, true
}
func main() {
	q := &queue[string]{less: func(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }}
	for _, w := range []string{"pear", "fig", "banana", "kiwi", "date", "apple"} {
		q.push(w)
	}
	for w, ok := q.pop(); ok; w, ok = q.pop() {
		fmt.Print(w, " ")
	}
	fmt.Println(q.pop())
}
