package main

import (
	"fmt"
	"iter"
)

type OrderedMap[K comparable, V any] struct {
	keys []K
	m    map[K]V
}

func (o *OrderedMap[K, V]) Set(k K, v V) {
	if o.m == nil {
		o.m = map[K]V{}
	}
	if _, ok := o.m[k]; !ok {
		o.keys = append(o.keys, k)
	}
	o.m[k] = v
}

func (o *OrderedMap[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range o.keys {
			if !yield(k, o.m[k]) {
				return
			}
		}
	}
}

func main() {
	var o OrderedMap[string, []int]
	o.Set("z", []int{1})
	o.Set("a", nil)
	o.Set("z", []int{2, 3})
	for k, v := range o.All() {
		fmt.Println(k, v)
	}
	for k := range o.All() {
		fmt.Println(k)
		break
	}
}
