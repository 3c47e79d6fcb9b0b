package main

import "fmt"

type Shape interface {
	Area() float64
	comparable
}
type sq struct{ s float64 }
type ci struct{ r float64 }

func (s sq) Area() float64 { return s.s * s.s }
func (c ci) Area() float64 { return 3 * c.r * c.r }

func Largest[S Shape](xs ...S) (best S) {
	for i, x := range xs {
		if i == 0 || x.Area() > best.Area() {
			best = x
		}
	}
	return
}

type Stringish interface{ ~string | ~[]byte }

func Len[S Stringish](s S) int { return len(s) }

type Setter[T any] interface {
	*T
	Set(string)
}
type conf struct{ v string }

func (c *conf) Set(s string) { c.v = s }

func FromStrings[T any, PT Setter[T]](s []string) []T {
	out := make([]T, len(s))
	for i, x := range s {
		PT(&out[i]).Set(x)
	}
	return out
}

type Ordered interface {
	~int | ~string | ~float64
}

func SortBy[T any, K Ordered](xs []T, key func(T) K) []T {
	ys := append([]T(nil), xs...)
	for i := 1; i < len(ys); i++ {
		for j := i; j > 0 && key(ys[j]) < key(ys[j-1]); j-- {
			ys[j], ys[j-1] = ys[j-1], ys[j]
		}
	}
	return ys
}

type Option[T any] struct {
	v  T
	ok bool
}

func Some[T any](v T) Option[T] { return Option[T]{v, true} }
func (o Option[T]) OrElse(d T) T {
	if o.ok {
		return o.v
	}
	return d
}

type Cache[K comparable, V any] struct {
	m    map[K]V
	load func(K) V
	hits int
}

func NewCache[K comparable, V any](load func(K) V) *Cache[K, V] {
	return &Cache[K, V]{m: make(map[K]V), load: load}
}

func (c *Cache[K, V]) Get(k K) V {
	if v, ok := c.m[k]; ok {
		c.hits++
		return v
	}
	c.m[k] = c.load(k)
	return c.m[k]
}

func Convert[A, B ~int | ~float64](a A) B { return B(a) }

type Num[T ~int | ~float64] struct{ v T }

func (n Num[T]) Plus(m Num[T]) Num[T] { return Num[T]{n.v + m.v} }

type MyInt int

func main() {
	fmt.Println(Largest(sq{2}, sq{3}), Largest(ci{1}), Largest[sq]())
	fmt.Println(Len("abc"), Len([]byte{1}))
	fmt.Println(FromStrings[conf]([]string{"a", "b"}))
	fmt.Println(SortBy([]string{"ccc", "a", "bb"}, func(s string) int { return len(s) }))
	fmt.Println(Some(3).OrElse(4), Option[string]{}.OrElse("d"))
	c := NewCache(func(k string) int { return len(k) })
	fmt.Println(c.Get("abc"), c.Get("abc"), c.hits)
	fmt.Println(Convert[float64, int](3.9), Convert[MyInt, float64](2), Num[MyInt]{1}.Plus(Num[MyInt]{2}).v)
	fmt.Printf("%T %T %v\n", Num[MyInt]{}, Some(Some("x")), Some(Some("x")))
}
