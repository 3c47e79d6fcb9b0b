package main

import (
	"cmp"
	"fmt"
)

type Tree[K any, V any] struct {
	root    *branch[K, V]
	compare func(a, b K) int
}

type branch[K, V any] struct {
	k           K
	v           V
	left, right *branch[K, V]
}

func New[K cmp.Ordered, V any]() *Tree[K, V] { return &Tree[K, V]{compare: cmp.Compare[K]} }

func (t *Tree[K, V]) Set(k K, v V) {
	p := &t.root
	for *p != nil {
		switch c := t.compare(k, (*p).k); {
		case c < 0:
			p = &(*p).left
		case c > 0:
			p = &(*p).right
		default:
			(*p).v = v
			return
		}
	}
	*p = &branch[K, V]{k: k, v: v}
}

func (t *Tree[K, V]) Each(f func(K, V) bool) { t.root.each(f) }

func (b *branch[K, V]) each(f func(K, V) bool) bool {
	return b == nil || b.left.each(f) && f(b.k, b.v) && b.right.each(f)
}

func main() {
	t := New[string, int]()
	for i, w := range []string{"the", "quick", "brown", "fox", "the"} {
		t.Set(w, i)
	}
	for k, v := range t.Each2() {
		fmt.Println(k, v)
	}
	t.Each(func(k string, v int) bool { fmt.Print(k, " "); return k != "quick" })
	fmt.Println()
}

func (t *Tree[K, V]) Each2() func(func(K, V) bool) {
	return func(yield func(K, V) bool) { t.root.each(yield) }
}
