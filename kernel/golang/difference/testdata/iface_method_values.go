// Methods as values, through embedded interfaces and pointers, and type switches.
package main

import "fmt"

type Shape interface {
	Area() float64
	Perimeter() float64
}
type Named interface{ Name() string }
type Both interface {
	Shape
	Named
}
type base struct{ name string }

func (b *base) Name() string     { return b.name }
func (b *base) SetName(s string) { b.name = s }

type sq struct {
	*base
	s float64
}

func (s sq) Area() float64      { return s.s * s.s }
func (s sq) Perimeter() float64 { return 4 * s.s }

type wrap struct {
	Both
	extra int
}

func (w wrap) Area() float64 { return w.Both.Area() + float64(w.extra) }

type deep struct{ wrap }
type inner struct{ v int }

func (i inner) Get() int { return i.v }
func (i *inner) Inc()    { i.v++ }

type mid struct{ inner }
type outer struct {
	*mid
	other
}
type other struct{ v string }
type fn func(int) int

func (f fn) Call(i int) int { return f(i) }
func (f fn) Twice() fn      { return func(i int) int { return f(f(i)) } }

type I1 interface{ M() I1 }
type im int

func (i im) M() I1 { return i + 1 }

type Stack []int

func (s *Stack) Push(i int) *Stack { *s = append(*s, i); return s }
func (s Stack) Top() int           { return s[len(s)-1] }

type ll struct {
	v    int
	next *ll
}

func (l *ll) Len() int {
	if l == nil {
		return 0
	}
	return 1 + l.next.Len()
}

type ch chan int

func (c ch) send(i int) ch { c <- i; return c }

type ptrm map[string]*[]int
type (
	unexp struct{ X int }
	Exp   struct {
		unexp
		*other
	}
)

func sw(x any) string {
	switch v := x.(type) {
	case nil:
		return "nil"
	case int, string:
		return fmt.Sprintf("is %v", v)
	case Both:
		return "both " + v.Name()
	case error:
		return "err " + v.Error()
	case func() int:
		return fmt.Sprint("f ", v())
	case []any:
		return fmt.Sprint("any ", len(v))
	case *int:
		return fmt.Sprint("*int ", *v)
	case map[string]fn:
		return fmt.Sprint("m ", v["a"](1))
	case struct{ X int }:
		return fmt.Sprint("anon ", v.X)
	case chan<- int:
		return "send"
	case [2]fn:
		return "arr"
	case interface{ Twice() fn }:
		return "twice"
	}
	return fmt.Sprintf("? %T", x)
}
func main() {
	s := sq{&base{"sq"}, 2}
	var b Both = s
	w := wrap{b, 1}
	d := deep{w}
	fmt.Println(b.Area(), w.Area(), d.Area(), d.Perimeter(), d.Name())
	s.SetName("new")
	fmt.Println(d.Name(), w.Both.(sq).name)
	f, g, h := b.Area, (*base).Name, Shape.Perimeter
	fmt.Println(f(), g(s.base), h(d))
	o := outer{&mid{inner{1}}, other{"o"}}
	o.Inc()
	inc := o.Inc
	o.mid = &mid{inner{10}}
	inc()
	fmt.Println(o.Get(), o.inner.v, o.other.v)
	e := fn(func(i int) int { return i + 3 })
	fmt.Println(e.Twice().Twice().Call(0), fn.Call(e, 1))
	var i I1 = im(1)
	fmt.Println(i.M().M(), i == im(1))
	var st Stack
	st.Push(1).Push(2)
	fmt.Println(st.Top(), st)
	push := st.Push
	push(3)
	fmt.Println(st)
	var n *ll
	fmt.Println(n.Len(), (&ll{1, &ll{2, nil}}).Len())
	c := make(ch, 2)
	fmt.Println(<-c.send(1).send(2), len(c))
	pm := ptrm{"a": {1}}
	*pm["a"] = append(*pm["a"], 2)
	fmt.Println(*pm["a"])
	x := 5
	for _, v := range []any{nil, 1, "s", s, w, fmt.Errorf("e"), func() int { return 9 }, []any{1}, &x,
		map[string]fn{"a": e}, struct{ X int }{3}, make(chan<- int), [2]fn{}, e, 1.5, unexp{1}, &d, [][]int{}, struct{ Y int }{}} {
		fmt.Println(sw(v))
	}
	ex := Exp{unexp{7}, &other{"p"}}
	fmt.Println(ex.X, ex.v)
	ex2 := ex
	ex2.X = 8
	ex2.v = "q"
	fmt.Println(ex.X, ex.v, ex == ex2, ex.other == ex2.other)
	func() { defer func() { fmt.Println(recover()) }(); var bb Both; fmt.Println(bb.Area) }()
	func() { defer func() { fmt.Println(recover()) }(); var o outer; fmt.Println(o.Get()) }()
	func() { defer func() { fmt.Println(recover()) }(); var w *wrap; w.Area() }()
	func() { defer func() { fmt.Println(recover()) }(); w := wrap{}; w.Name() }()
	func() { defer func() { fmt.Println(recover()) }(); bind[Named](nil) }()
	fmt.Println(bind[Named](s.base)(), bind(s)())
	type loc struct{ inner }
	var q interface{ Get() int } = loc{inner{4}}
	fmt.Println(q.Get())
	fmt.Printf("%T %v\n", q, q)
}

func bind[T Named](x T) func() string { return x.Name }
