package main

import (
	"fmt"
)

type expr interface {
	eval(env map[string]float64) float64
}
type num float64
type ref string
type bin struct {
	op   byte
	l, r expr
}

func (n num) eval(map[string]float64) float64     { return float64(n) }
func (v ref) eval(env map[string]float64) float64 { return env[string(v)] }
func (b bin) eval(env map[string]float64) float64 {
	x, y := b.l.eval(env), b.r.eval(env)
	switch b.op {
	case '+':
		return x + y
	case '*':
		return x * y
	}
	panic(fmt.Sprintf("op %c", b.op))
}

type parser struct {
	s string
	i int
}

func (p *parser) sum() expr {
	e := p.prod()
	for p.i < len(p.s) && p.s[p.i] == '+' {
		p.i++
		e = bin{'+', e, p.prod()}
	}
	return e
}

func (p *parser) prod() expr {
	e := p.atom()
	for p.i < len(p.s) && p.s[p.i] == '*' {
		p.i++
		e = bin{'*', e, p.atom()}
	}
	return e
}

func (p *parser) atom() expr {
	c := p.s[p.i]
	p.i++
	switch {
	case c == '(':
		e := p.sum()
		p.i++
		return e
	case c >= '0' && c <= '9':
		return num(c - '0')
	}
	return ref(c)
}

func main() {
	e := (&parser{s: "2*(x+3)*y+1"}).sum()
	fmt.Println(e.eval(map[string]float64{"x": 4, "y": .5}))
	fmt.Printf("%v\n%+v\n", e, e)
	defer func() { fmt.Println(recover()) }()
	bin{'-', num(1), ref("z")}.eval(nil)
}
