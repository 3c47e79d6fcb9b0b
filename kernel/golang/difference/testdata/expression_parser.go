package main

import (
	"fmt"
)

type parser struct {
	text string
	at   int
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}
func (p *parser) sum() float64 {
	v := p.product()
	for {
		switch p.peek() {
		case '+':
			p.at++
			v += p.product()
		case '-':
			p.at++
			v -= p.product()
		default:
			return v
		}
	}
}
func (p *parser) product() float64 {
	v := p.factor()
	for {
		switch p.peek() {
		case '*':
			p.at++
			v *= p.factor()
		case '/':
			p.at++
			v /= p.factor()
		default:
			return v
		}
	}
}
func (p *parser) factor() float64 {
	switch c := p.peek(); {
	case c == '(':
		p.at++
		v := p.sum()
		if p.peek() != ')' {
			panic(fmt.Sprintf("want ) at %d", p.at))
		}
		p.at++
		return v
	case c == '-':
		p.at++
		return -p.factor()
	case c >= '0' && c <= '9':
		v := 0.0
		for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
			v = v*10 + float64(c-'0')
			p.at++
		}
		return v
	default:
		panic(fmt.Sprintf("unexpected %q at %d", c, p.at))
	}
}
func eval(s string) (v float64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", s, r)
		}
	}()
	p := &parser{text: s}
	return p.sum(), nil
}
func main() {
	for _, s := range []string{"1+2*3", "(1+2)*3", "-4/(2-2)", "2*(3", "x", "10-4-3"} {
		fmt.Println(eval(s))
	}
}
