// A stack machine, a state machine, a cache and a scheduler.
package main

import (
	"fmt"
	"math/rand"
	"strings"
	"time"
)

type Op func(*VM) error
type VM struct {
	stack []int
	pc    int
	code  []Op
	out   strings.Builder
	calls map[string]func(...int) int
}

func Push(n int) Op { return func(v *VM) error { v.stack = append(v.stack, n); return nil } }
func (v *VM) pop() (x int) {
	x, v.stack = v.stack[len(v.stack)-1], v.stack[:len(v.stack)-1]
	return
}
func Bin(f func(a, b int) int) Op {
	return func(v *VM) error { b, a := v.pop(), v.pop(); v.stack = append(v.stack, f(a, b)); return nil }
}
func Jnz(to int) Op {
	return func(v *VM) error {
		if v.pop() != 0 {
			v.pc = to
		}
		return nil
	}
}
func Dup(v *VM) error   { v.stack = append(v.stack, v.stack[len(v.stack)-1]); return nil }
func Print(v *VM) error { fmt.Fprint(&v.out, v.stack[len(v.stack)-1], " "); return nil }
func Call(name string, n int) Op {
	return func(v *VM) error {
		f, ok := v.calls[name]
		if !ok {
			return fmt.Errorf("pc %d: no function %q", v.pc, name)
		}
		args := make([]int, n)
		for i := n - 1; i >= 0; i-- {
			args[i] = v.pop()
		}
		v.stack = append(v.stack, f(args...))
		return nil
	}
}
func (v *VM) Run() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("pc %d: %v", v.pc, r)
		}
	}()
	for v.pc < len(v.code) {
		op := v.code[v.pc]
		v.pc++
		if err := op(v); err != nil {
			return err
		}
	}
	return nil
}

type State int

const (
	Idle State = iota
	Running
	Done
)

//go:generate stringer
var stateNames = [...]string{Idle: "idle", Running: "running", Done: "done"}

func (s State) String() string { return stateNames[s] }

type Machine struct {
	State
	on   map[State]map[string]State
	hook func(from, to State)
}

func (m *Machine) Fire(ev string) error {
	to, ok := m.on[m.State][ev]
	if !ok {
		return fmt.Errorf("no %q in %v", ev, m.State)
	}
	if m.hook != nil {
		defer m.hook(m.State, to)
	}
	m.State = to
	return nil
}

type LRU[K comparable, V any] struct {
	cap   int
	order []K
	m     map[K]V
	evict func(K, V)
}

func NewLRU[K comparable, V any](n int, evict func(K, V)) *LRU[K, V] {
	return &LRU[K, V]{cap: n, m: make(map[K]V), evict: evict}
}
func (l *LRU[K, V]) touch(k K) {
	for i, x := range l.order {
		if x == k {
			l.order = append(append(l.order[:i:i], l.order[i+1:]...), k)
			return
		}
	}
	l.order = append(l.order, k)
}
func (l *LRU[K, V]) Put(k K, v V) {
	l.m[k] = v
	l.touch(k)
	if len(l.order) > l.cap {
		old := l.order[0]
		l.order = l.order[1:]
		if l.evict != nil {
			l.evict(old, l.m[old])
		}
		delete(l.m, old)
	}
}
func (l *LRU[K, V]) Get(k K) (v V, ok bool) {
	if v, ok = l.m[k]; ok {
		l.touch(k)
	}
	return
}

type Matrix [][]float64

func (m Matrix) Mul(o Matrix) Matrix {
	r := make(Matrix, len(m))
	for i := range r {
		r[i] = make([]float64, len(o[0]))
		for j := range r[i] {
			for k := range o {
				r[i][j] += m[i][k] * o[k][j]
			}
		}
	}
	return r
}

type Event struct {
	At time.Time
	Fn func() string
}
type Sched struct{ q []Event }

func (s *Sched) Add(at time.Time, f func() string) {
	i := 0
	for i < len(s.q) && s.q[i].At.Before(at) {
		i++
	}
	s.q = append(s.q, Event{})
	copy(s.q[i+1:], s.q[i:])
	s.q[i] = Event{at, f}
}

func main() {
	v := &VM{calls: map[string]func(...int) int{"sum": func(x ...int) (s int) {
		for _, n := range x {
			s += n
		}
		return
	}}}
	v.code = []Op{Push(3), Print, Push(1), Bin(func(a, b int) int { return a - b }), Dup, Jnz(1), Push(4), Push(5),
		Call("sum", 3), Print}
	fmt.Println(v.Run(), v.out.String(), v.stack)
	v = &VM{code: []Op{Push(1), Push(0), Bin(func(a, b int) int { return a / b })}}
	fmt.Println(v.Run())
	v = &VM{code: []Op{Call("nope", 0)}}
	fmt.Println(v.Run())

	m := Machine{on: map[State]map[string]State{Idle: {"go": Running}, Running: {"stop": Idle, "end": Done}}}
	m.hook = func(from, to State) { fmt.Print(from, "->", to, " now ", m.State, "; ") }
	for _, e := range []string{"go", "stop", "end", "go", "end"} {
		if err := m.Fire(e); err != nil {
			fmt.Print(err, "; ")
		}
	}
	fmt.Printf("%v %+v %d\n", m.State, m.on[Running], m.on)

	l := NewLRU(2, func(k string, v int) { fmt.Print("evict ", k, v, " ") })
	for i, k := range strings.Fields("a b a c d a") {
		if _, ok := l.Get(k); !ok {
			l.Put(k, i)
		}
	}
	fmt.Println(l.order, l.m)
	fmt.Println(Matrix{{1, 2}, {3, 4}}.Mul(Matrix{{0, 1}, {1, 0}}))
	var s Sched
	base := time.Unix(0, 0).UTC()
	for i, d := range []time.Duration{3, 1, 2} {
		s.Add(base.Add(d*time.Second), func() string { return fmt.Sprint(i, d) })
	}
	for _, e := range s.q {
		fmt.Print(e.At.Format("05"), ":", e.Fn(), " ")
	}
	fmt.Println()
	r := rand.New(rand.NewSource(7))
	fmt.Println(r.Intn(100), r.Perm(5), r.Float64(), r.NormFloat64())
	r.Shuffle(3, func(i, j int) { s.q[i], s.q[j] = s.q[j], s.q[i] })
	for _, e := range s.q {
		fmt.Print(e.Fn(), " ")
	}
	fmt.Println()
}
