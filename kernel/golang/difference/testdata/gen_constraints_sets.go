// Generic functions and types over sets of types.
package main

import "fmt"

type Num interface {
	~int | ~int8 | ~uint8 | ~float64
}

func Sum[S ~[]E, E Num](s S) (t E) {
	for _, v := range s {
		t += v
	}
	return
}
func Map[K comparable, V, R any, M ~map[K]V](m M, f func(K, V) R) []R {
	var o []R
	for k, v := range m {
		o = append(o, f(k, v))
	}
	return o
}
func Conv[T, U Num](x T) U { return U(x) }
func Ptr[T any](v T) *T    { return &v }
func Is[T any](x any) bool { _, ok := x.(T); return ok }

type Bytes interface{ ~string | ~[]byte }

func Count[B Bytes](b B) (n int) {
	for i := range len(b) {
		if b[i] == 'a' {
			n++
		}
	}
	return
}
func Cut[B Bytes](b B) B { return b[1:2] }

type List[T any] struct {
	head, tail *node[T]
	n          int
}
type node[T any] struct {
	v    T
	next *node[T]
}

func (l *List[T]) Push(v T) {
	nd := &node[T]{v: v}
	if l.tail == nil {
		l.head = nd
	} else {
		l.tail.next = nd
	}
	l.tail = nd
	l.n++
}
func (l *List[T]) All() func(func(int, T) bool) {
	return func(y func(int, T) bool) {
		i := 0
		for n := l.head; n != nil; n = n.next {
			if !y(i, n.v) {
				return
			}
			i++
		}
	}
}

type Cache[K comparable, V any] struct {
	m    map[K]V
	miss func(K) (V, error)
}

func (c *Cache[K, V]) Get(k K) (V, error) {
	if v, ok := c.m[k]; ok {
		return v, nil
	}
	v, err := c.miss(k)
	if err != nil {
		var z V
		return z, fmt.Errorf("get %v: %w", k, err)
	}
	if c.m == nil {
		c.m = make(map[K]V)
	}
	c.m[k] = v
	return v, nil
}

type Eq[T any] interface{ Equal(T) bool }
type I int

func (i I) Equal(j I) bool { return i == j }
func Idx[T Eq[T]](xs []T, x T) int {
	for i, v := range xs {
		if v.Equal(x) {
			return i
		}
	}
	return -1
}

type Builder[T any, PT interface {
	*T
	Build() string
}] struct{}
type W struct{ n int }

func (w *W) Build() string          { w.n++; return fmt.Sprint("W", w.n) }
func (Builder[T, PT]) Make() string { var t T; PT(&t).Build(); return PT(&t).Build() }

type E[T any] struct {
	T1 T
	*E2[T]
}
type E2[T any] struct{ X T }

func (e *E2[T]) Show() string { return fmt.Sprintf("%v/%T", e.X, e.X) }

type F[A, B any] func(A) B

func (f F[A, B]) Apply(a A) B                           { return f(a) }
func Compose[A, B, C any](f F[A, B], g F[B, C]) F[A, C] { return func(a A) C { return g(f(a)) } }

type Mat[T Num] [][]T

func (m Mat[T]) T() Mat[T] {
	o := make(Mat[T], len(m[0]))
	for i := range o {
		o[i] = make([]T, len(m))
		for j := range m {
			o[i][j] = m[j][i]
		}
	}
	return o
}

type Either[L, R any] interface{ isEither(L, R) }
type Left[L, R any] struct{ V L }
type Right[L, R any] struct{ V R }

func (Left[L, R]) isEither(L, R)  {}
func (Right[L, R]) isEither(L, R) {}
func Fold[L, R, T any](e Either[L, R], l func(L) T, r func(R) T) T {
	switch e := e.(type) {
	case Left[L, R]:
		return l(e.V)
	case Right[L, R]:
		return r(e.V)
	}
	panic("?")
}

type Alias[T any] = List[map[string]T]

func arr[T any, A interface{ [2]T | [3]T }](a A) int     { return len(a) }
func chanOf[T any, C ~chan T | ~<-chan T](c C) (T, bool) { v, ok := <-c; return v, ok }
func local[T any](v T) any                               { type loc struct{ V T }; return loc{v} }
func static[T any]() func() int                          { n := 0; return func() int { n++; return n } }

type Int8 int8

func main() {
	fmt.Println(Sum([]Int8{100, 27, 1}), Sum([]float64{.1, .2}), len(Map(map[string]int{"a": 1}, func(k string,
		v int) string {
		return k
	})), Conv[float64, int8](3.9), Conv[int, uint8](300), *Ptr("p"),
		Is[error](fmt.Errorf("x")), Is[[]int]([]int{}), Is[I](1))
	fmt.Println(Count("banana"), Count([]byte("aa")), Cut("abc"), Cut([]byte("xyz")))
	var l List[I]
	for i := range 3 {
		l.Push(I(i * i))
	}
	for i, v := range l.All() {
		if i == 2 {
			break
		}
		fmt.Print(i, v, " ")
	}
	fmt.Println(l.n)
	c := Cache[string, []int]{miss: func(k string) ([]int, error) {
		if k == "" {
			return nil, fmt.Errorf("empty")
		}
		return []int{len(k)}, nil
	}}
	fmt.Println(c.Get("abc"))
	fmt.Println(c.Get(""))
	fmt.Println(Idx([]I{1, 2, 3}, 2), Builder[W, *W]{}.Make())
	e := E[string]{"t", &E2[string]{"x"}}
	fmt.Println(e.Show(), e.X)
	fmt.Printf("%T %T %T\n", e, l, c)
	cf := Compose(F[int, string](func(i int) string { return fmt.Sprint(i) }),
		func(s string) []byte { return []byte(s + "!") })
	fmt.Println(string(cf.Apply(5)))
	fmt.Println(Mat[int]{{1, 2, 3}, {4, 5, 6}}.T())
	for _, x := range []Either[int, string]{Left[int, string]{1}, Right[int, string]{"r"}} {
		fmt.Print(Fold(x, func(i int) string { return fmt.Sprint("l", i) },
			func(s string) string { return "r" + s }), " ")
	}
	var a Alias[int]
	a.Push(map[string]int{"q": 1})
	fmt.Printf("%v %T\n", a.head.v, a)
	fmt.Println(arr[int]([3]int{}), local(1) == local(1), local(1) == local("1"))
	ch := make(chan int, 1)
	ch <- 4
	fmt.Println(chanOf[int](ch))
	f, g := static[int](), static[int]()
	f()
	fmt.Println(f(), g())
	fmt.Println(local(I(2)))
	func() {
		defer func() { fmt.Println(recover()) }()
		var x any = Left[int, string]{}
		_ = x.(Left[int, int])
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var e Either[int, string]
		Fold(e, func(int) int { return 1 }, func(string) int { return 2 })
	}()
	m := map[any]int{Left[int, int]{1}: 1, Left[int8, int]{1}: 2, local(1): 3}
	fmt.Println(m[Left[int, int]{1}], m[Left[int8, int]{1}], m[local(1)], len(m))
	fmt.Println(max(I(2), 3), min("b", "a", "c"))
}
