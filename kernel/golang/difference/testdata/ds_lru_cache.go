package main

import (
	"container/list"
	"fmt"
)

type LRU[K comparable, V any] struct {
	cap   int
	order *list.List
	items map[K]*list.Element
	evict func(K, V)
}

type entry[K comparable, V any] struct {
	k K
	v V
}

func New[K comparable, V any](n int, evict func(K, V)) *LRU[K, V] {
	return &LRU[K, V]{n, list.New(), map[K]*list.Element{}, evict}
}

func (l *LRU[K, V]) Get(k K) (v V, ok bool) {
	if e, hit := l.items[k]; hit {
		l.order.MoveToFront(e)
		return e.Value.(*entry[K, V]).v, true
	}
	return
}

func (l *LRU[K, V]) Put(k K, v V) {
	if e, ok := l.items[k]; ok {
		e.Value.(*entry[K, V]).v = v
		l.order.MoveToFront(e)
		return
	}
	l.items[k] = l.order.PushFront(&entry[K, V]{k, v})
	if l.order.Len() > l.cap {
		last := l.order.Back()
		e := l.order.Remove(last).(*entry[K, V])
		delete(l.items, e.k)
		if l.evict != nil {
			l.evict(e.k, e.v)
		}
	}
}

func main() {
	c := New(2, func(k string, v []int) { fmt.Println("evict", k, v) })
	c.Put("a", []int{1})
	c.Put("b", []int{2})
	fmt.Println(c.Get("a"))
	c.Put("c", nil)
	fmt.Println(c.Get("b"))
	c.Put("a", []int{9})
	c.Put("d", []int{4})
	fmt.Println(len(c.items))
}
