package main

import (
	"cmp"
	"fmt"
)

type tree[K cmp.Ordered, V any] struct {
	l, r *tree[K, V]
	k    K
	v    V
}

func (t *tree[K, V]) put(k K, v V) *tree[K, V] {
	switch {
	case t == nil:
		return &tree[K, V]{k: k, v: v}
	case k < t.k:
		t.l = t.l.put(k, v)
	case k > t.k:
		t.r = t.r.put(k, v)
	default:
		t.v = v
	}
	return t
}
func (t *tree[K, V]) all(y func(K, V) bool) bool {
	return t == nil || t.l.all(y) && y(t.k, t.v) && t.r.all(y)
}
func main() {
	var t *tree[string, int]
	for i, w := range []string{"m", "c", "x", "a", "m"} {
		t = t.put(w, i)
	}
	for k, v := range func(y func(string, int) bool) { t.all(y) } {
		fmt.Print(k, v, " ")
	}
	fmt.Println()
}
