package main

import (
	"fmt"
)

type entry[K comparable, V any] struct {
	key        K
	value      V
	next, prev *entry[K, V]
}
type ordered[K comparable, V any] struct {
	m    map[K]*entry[K, V]
	root entry[K, V]
}

func newOrdered[K comparable, V any]() *ordered[K, V] {
	o := &ordered[K, V]{m: map[K]*entry[K, V]{}}
	o.root.next, o.root.prev = &o.root, &o.root
	return o
}
func (o *ordered[K, V]) set(k K, v V) {
	if e, ok := o.m[k]; ok {
		e.value = v
		return
	}
	e := &entry[K, V]{k, v, &o.root, o.root.prev}
	e.prev.next, e.next.prev = e, e
	o.m[k] = e
}
func (o *ordered[K, V]) drop(k K) {
	if e, ok := o.m[k]; ok {
		e.prev.next, e.next.prev = e.next, e.prev
		delete(o.m, k)
	}
}
func (o *ordered[K, V]) all(yield func(K, V) bool) {
	for e := o.root.next; e != &o.root; e = e.next {
		if !yield(e.key, e.value) {
			return
		}
	}
}
func main() {
	o := newOrdered[string, int]()
	for i, k := range []string{"z", "a", "m", "a", "q"} {
		o.set(k, i)
	}
	o.drop("z")
	for k, v := range o.all {
		if k == "q" {
			break
		}
		fmt.Print(k, v, " ")
	}
	fmt.Println(len(o.m))
}
