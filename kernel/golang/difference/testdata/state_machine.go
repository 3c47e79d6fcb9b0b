package main

import (
	"fmt"
	"strconv"
)

type State int

const (
	Idle State = iota
	Running
	Stopped
)

var names = map[State]string{Idle: "idle", Running: "running", Stopped: "stopped"}

func (s State) String() string { return names[s] }

type Event string

type Machine struct {
	State
	history []State
	table   map[State]map[Event]State
	hooks   []func(from, to State)
}

func New() *Machine {
	m := &Machine{table: map[State]map[Event]State{
		Idle:    {"start": Running},
		Running: {"stop": Stopped, "pause": Idle},
	}}
	m.hooks = append(m.hooks, func(f, t State) { m.history = append(m.history, t) })
	return m
}

func (m *Machine) Fire(e Event) error {
	next, ok := m.table[m.State][e]
	if !ok {
		return fmt.Errorf("no %q in %v", e, m.State)
	}
	for _, h := range m.hooks {
		h(m.State, next)
	}
	m.State = next
	return nil
}

type Token struct {
	Kind string
	Text string
}

type lexer struct {
	in  string
	pos int
	out []Token
}
type stateFn func(*lexer) stateFn

func start(l *lexer) stateFn {
	switch {
	case l.pos >= len(l.in):
		return nil
	case l.in[l.pos] == ' ':
		l.pos++
		return start
	case l.in[l.pos] >= '0' && l.in[l.pos] <= '9':
		return number
	}
	l.out = append(l.out, Token{"op", l.in[l.pos : l.pos+1]})
	l.pos++
	return start
}

func number(l *lexer) stateFn {
	b := l.pos
	for l.pos < len(l.in) && l.in[l.pos] >= '0' && l.in[l.pos] <= '9' {
		l.pos++
	}
	l.out = append(l.out, Token{"num", l.in[b:l.pos]})
	return start
}

type parser struct {
	ts []Token
	i  int
}

func (p *parser) expr() int {
	v := p.term()
	for p.i < len(p.ts) && (p.ts[p.i].Text == "+" || p.ts[p.i].Text == "-") {
		op := p.ts[p.i].Text
		p.i++
		if r := p.term(); op == "+" {
			v += r
		} else {
			v -= r
		}
	}
	return v
}

func (p *parser) term() int {
	v := p.factor()
	for p.i < len(p.ts) && p.ts[p.i].Text == "*" {
		p.i++
		v *= p.factor()
	}
	return v
}

func (p *parser) factor() int {
	t := p.ts[p.i]
	p.i++
	if t.Text == "(" {
		v := p.expr()
		p.i++
		return v
	}
	n, _ := strconv.Atoi(t.Text)
	return n
}

func main() {
	m := New()
	fmt.Println(m.Fire("start"), m.Fire("pause"), m.Fire("stop"), m.Fire("start"), m.Fire("stop"))
	fmt.Println(m.history, m.State, m)
	l := &lexer{in: "2 * (3 + 4) - 10*1"}
	for f := stateFn(start); f != nil; {
		f = f(l)
	}
	fmt.Println(len(l.out), l.out[0], (&parser{ts: l.out}).expr())
}
