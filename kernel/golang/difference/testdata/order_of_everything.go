// The order of initialisation and evaluation, options, slices that share memory.
package main

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"os"
	"strings"
)

type Celsius float64

func (c Celsius) String() string { return fmt.Sprintf("%.1f°C", float64(c)) }

type stack struct{ frames []string }

func (s *stack) enter(n string) func() {
	s.frames = append(s.frames, n)
	fmt.Println(strings.Repeat(" ", len(s.frames)), "enter", n)
	return func() {
		fmt.Println(strings.Repeat(" ", len(s.frames)), "leave", n)
		s.frames = s.frames[:len(s.frames)-1]
	}
}
func (s *stack) a(d int) {
	defer s.enter(fmt.Sprint("a", d))()
	if d > 0 {
		s.a(d - 1)
	}
}

var order []string

func tr(s string, v int) int { order = append(order, s); return v }

var g1 = g2 + 1
var g2 = fn()

func fn() int { return g3 * 2 }

var g3 = 5

func init() { order = append(order, "init1") }
func init() { order = append(order, "init2") }

type Opt func(*cfg)
type cfg struct {
	n int
	s string
}

func N(n int) Opt { return func(c *cfg) { c.n = n } }
func New(o ...Opt) *cfg {
	c := &cfg{s: "def"}
	for _, f := range o {
		f(c)
	}
	return c
}

type M map[string]any

func vari(pre string, xs ...any) string { return fmt.Sprint(pre, len(xs), xs == nil, xs) }
func named() (x, y int, err error) {
	x = 1
	if y := 5; y > 2 {
		x = y
		return x, 9, nil
	}
	return
}
func multi() (int, string)        { return 1, "m" }
func take(i int, s string) string { return fmt.Sprint(i, s) }
func main() {
	(&stack{}).a(2)
	fmt.Println(g1, g2, order)
	order = nil
	m := map[int]int{}
	m[tr("k", 1)] = tr("v", 2)
	arr := []int{tr("a", 0), tr("b", 1)}
	arr[tr("i", 0)], arr[tr("j", 1)] = tr("x", 7), tr("y", 8)
	_ = tr("l", 0) == 1 && tr("never", 0) == 1 || tr("or", 1) == 1
	fmt.Println(order, arr)
	fmt.Println(*New(N(3), func(c *cfg) { c.s += "!" }), vari("a"), vari("b", nil), vari("c", []any{1, 2}...),
		vari("d", []any{}...), vari("e", []int{1}))
	fmt.Println(named())
	fmt.Println(take(multi()))
	d := M{"a": M{"b": []any{1, M{"c": nil}}}, "t": Celsius(3)}
	fmt.Println(d, d["a"].(M)["b"].([]any)[1].(M)["c"] == nil)
	fmt.Println(math.Inf(1), -math.Inf(1), math.NaN(), math.MaxInt64, uint64(math.MaxUint64), float32(0.1), 1e6,
		1e20, 1e21, 123456789.0, 0.000001, 1e-7, float32(16777216.0)+1)
	var b bytes.Buffer
	l := log.New(&b, "[p] ", log.Lmsgprefix|log.Lshortfile*0)
	l.Println(Celsius(1), []Celsius{2})
	l.Printf("%v %5.2f", Celsius(3), Celsius(4))
	fmt.Print(b.String())
	fmt.Fprintln(os.Stdout, struct {
		C Celsius
		P *Celsius
		E error
	}{C: 1})
	x := []int{1, 2, 3, 4, 5}
	y := x[1:3]
	y = append(y, 99)
	fmt.Println(x, y, len(y), cap(y), x[1:3:3])
	z := append([]int(nil), x...)
	z[0] = 42
	fmt.Println(x[0], z[0])
	var nilS []int
	fmt.Println(nilS == nil, len(nilS[:0]), append(nilS, nilS...) == nil)
	copy(x[1:], x)
	fmt.Println(x)
	s2 := [][]int{{1}, {2, 3}}
	for _, r := range s2 {
		r[0] = 0
		r = append(r, 1)
		_ = r
	}
	fmt.Println(s2)
	type pt struct{ x, y int }
	pts := []pt{{1, 2}}
	for _, p := range pts {
		p.x = 9
	}
	for i := range pts {
		pts[i].y = 9
	}
	pp := &pts[0]
	pts = append(pts, pt{})
	pp.x = 5
	fmt.Println(pts, *pp)
	const (
		A = iota * 10
		B
		_
		D
		E = "s"
		F
		G = iota
	)
	fmt.Println(A, B, D, E, F, G)
	type bit uint8
	const (
		b0 bit = 1 << iota
		b1
		b2
	)
	fmt.Println(b0|b2, b1&^b1, ^b0)
	var i8 int8 = -128
	fmt.Println(-i8, i8/-1, uint8(i8), i8>>7, uint16(i8>>7))
	fmt.Printf("%08b %x %o %#x %b\n", int8(-5), -255, 64, []int{10, 11}, 5.0)
	c := 'a'
	c += 2
	fmt.Println(c, string(c), "x"+string(c), 'z'-c, "é"[0], len("é"), strings.Count("cheese", "e"), "a" < "b",
		"Z" < "a", "" < "a")
lbl:
	for i := range 3 {
		for j := range 3 {
			if j == 2 {
				continue lbl
			}
			if i == 2 {
				break lbl
			}
			fmt.Print(i, j, ";")
		}
	}
	fmt.Println()
	func(xs ...int) { xs[0] = 100; fmt.Println(xs) }(x...)
	fmt.Println(x[0])
}
