// Iterators of generic types: pipelines, trees, jumps out of several loops.
package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

type Seq[T any] iter.Seq[T]

func From[T any](xs ...T) Seq[T] { return Seq[T](slices.Values(xs)) }
func (s Seq[T]) Filter(p func(T) bool) Seq[T] {
	return func(y func(T) bool) {
		for v := range s {
			if p(v) && !y(v) {
				return
			}
		}
	}
}
func (s Seq[T]) Take(n int) Seq[T] {
	return func(y func(T) bool) {
		if n <= 0 {
			return
		}
		i := 0
		for v := range s {
			if !y(v) {
				return
			}
			if i++; i == n {
				return
			}
		}
	}
}
func MapSeq[T, U any](s Seq[T], f func(T) U) Seq[U] {
	return func(y func(U) bool) { s(func(v T) bool { return y(f(v)) }) }
}
func Zip[A, B any](a iter.Seq[A], b iter.Seq[B]) iter.Seq2[A, B] {
	return func(y func(A, B) bool) {
		na, sa := iter.Pull(a)
		defer sa()
		nb, sb := iter.Pull(b)
		defer sb()
		for {
			x, ok1 := na()
			z, ok2 := nb()
			if !ok1 || !ok2 || !y(x, z) {
				return
			}
		}
	}
}
func Nat() Seq[int] {
	return func(y func(int) bool) {
		defer fmt.Print("(nat ends)")
		for i := 0; y(i); i++ {
		}
	}
}

type Tree[T any] struct {
	L, R *Tree[T]
	V    T
}

func (t *Tree[T]) All() iter.Seq[T] { return func(y func(T) bool) { t.push(y) } }
func (t *Tree[T]) push(y func(T) bool) bool {
	return t == nil || t.L.push(y) && y(t.V) && t.R.push(y)
}
func build(xs []string) *Tree[string] {
	if len(xs) == 0 {
		return nil
	}
	m := len(xs) / 2
	return &Tree[string]{build(xs[:m]), build(xs[m+1:]), xs[m]}
}

type matrix [3][3]int

func (m *matrix) Cells() iter.Seq2[[2]int, *int] {
	return func(y func([2]int, *int) bool) {
		for i := range m {
			for j := range m[i] {
				if !y([2]int{i, j}, &m[i][j]) {
					return
				}
			}
		}
	}
}

func lookup(seqs ...iter.Seq[int]) (found int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered %v after %d", r, found)
		}
	}()
	for _, s := range seqs {
		for v := range s {
			defer func() { found += v }()
			switch {
			case v < 0:
				panic("negative")
			case v == 7:
				return v * 100, nil
			}
		}
	}
	return -1, nil
}

func nested() string {
	var b strings.Builder
outer:
	for a := range Nat() {
		for c := range Nat().Take(5) {
			for d := range From("x", "y") {
				switch {
				case a == 0 && c == 1:
					continue outer
				case a == 1 && c == 2:
					break outer
				}
				fmt.Fprint(&b, a, c, d, " ")
			}
		}
	}
	return b.String()
}

func main() {
	sq := MapSeq(Nat().Filter(func(i int) bool { return i%2 == 1 }).Take(4),
		func(i int) string { return fmt.Sprint(i * i) })
	fmt.Println(slices.Collect(iter.Seq[string](sq)))
	for k, v := range Zip(iter.Seq[int](Nat()), build(strings.Fields("a b c d")).All()) {
		fmt.Print(k, v, " ")
	}
	fmt.Println()
	for v := range build(strings.Fields("p q r s t")).All() {
		if v == "s" {
			break
		}
		fmt.Print(v)
	}
	fmt.Println()
	var m matrix
	for at, p := range m.Cells() {
		if at[0] == at[1] {
			continue
		}
		*p = at[0]*10 + at[1]
		if at == [2]int{2, 0} {
			break
		}
	}
	fmt.Println(m)
	fmt.Println(lookup(slices.Values([]int{1, 2}), slices.Values([]int{7, 9})))
	fmt.Println(lookup(slices.Values([]int{1, -2})))
	fmt.Println(lookup())
	fmt.Println(nested())
	counts := maps.Collect(maps.All(map[string]int{"a": 1}))
	maps.Insert(counts, func(y func(string, int) bool) { _ = y("b", 2) && y("c", 3) })
	fmt.Println(counts, slices.Sorted(maps.Keys(counts)))
	var fs []func() int
	for i := range From(1, 2, 3) {
		fs = append(fs, func() int { i *= 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	for range From[struct{}](struct{}{}, struct{}{}) {
		fmt.Print("tick ")
	}
	for i := range func(y func(int) bool) { _ = y(1) && y(2) } {
		go func() {}()
		fmt.Print(i)
	}
	fmt.Println()
	func() {
		defer func() { fmt.Println("outer:", recover()) }()
		for v := range func(y func(int) bool) {
			defer func() { fmt.Println("seq:", recover()); panic("from seq") }()
			y(1)
		} {
			panic(v)
		}
	}()
	next, stop := iter.Pull2(Zip(slices.Values([]int{1, 2}), slices.Values([]string{"a", "b", "c"})))
	defer stop()
	for {
		a, b, ok := next()
		if !ok {
			break
		}
		fmt.Print(a, b, " ")
	}
	fmt.Println(next())
	type kv struct {
		k string
		v int
	}
	fmt.Println(slices.SortedFunc(func(y func(kv) bool) {
		for k, v := range counts {
			if !y(kv{k, v}) {
				return
			}
		}
	}, func(a, b kv) int { return b.v - a.v }))
}
