// A parser, a bank, permutations and other small programs.
package main

import "fmt"

type tok struct {
	k byte
	v float64
}
type parser struct {
	s string
	i int
}
type node interface {
	eval(env map[string]float64) (float64, error)
}
type (
	lit float64
	ref string
	bin struct {
		op   byte
		l, r node
	}
	neg struct{ node }
)

func (l lit) eval(map[string]float64) (float64, error) { return float64(l), nil }
func (r ref) eval(e map[string]float64) (float64, error) {
	if v, ok := e[string(r)]; ok {
		return v, nil
	}
	return 0, fmt.Errorf("undefined: %s", string(r))
}
func (n neg) eval(e map[string]float64) (float64, error) { v, err := n.node.eval(e); return -v, err }
func (b *bin) eval(e map[string]float64) (v float64, err error) {
	l, err := b.l.eval(e)
	if err != nil {
		return
	}
	r, err := b.r.eval(e)
	if err != nil {
		return
	}
	switch b.op {
	case '+':
		v = l + r
	case '-':
		v = l - r
	case '*':
		v = l * r
	case '/':
		if r == 0 {
			return 0, fmt.Errorf("division by zero")
		}
		v = l / r
	}
	return
}
func (p *parser) expr(min int) (n node) {
	prec := map[byte]int{'+': 1, '-': 1, '*': 2, '/': 2}
	for p.i < len(p.s) && p.s[p.i] == ' ' {
		p.i++
	}
	switch c := p.s[p.i]; {
	case c == '(':
		p.i++
		n = p.expr(0)
		p.i++
	case c == '-':
		p.i++
		n = neg{p.expr(3)}
	case c >= '0' && c <= '9':
		v := 0.0
		for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
			v = v*10 + float64(p.s[p.i]-'0')
			p.i++
		}
		n = lit(v)
	case c >= 'a' && c <= 'z':
		n = ref(p.s[p.i : p.i+1])
		p.i++
	default:
		panic(fmt.Errorf("unexpected %q at %d", c, p.i))
	}
	for p.i < len(p.s) {
		op := p.s[p.i]
		if op == ' ' {
			p.i++
			continue
		}
		q, ok := prec[op]
		if !ok || q <= min {
			return
		}
		p.i++
		n = &bin{op, n, p.expr(q)}
	}
	return
}
func parse(s string) (n node, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("parse: %w", r)
		default:
			panic(r)
		}
	}()
	return (&parser{s: s}).expr(0), nil
}

type grid [8][8]rune

func (g *grid) fill(x, y int, c rune) (n int) {
	if x < 0 || y < 0 || x > 7 || y > 7 || g[y][x] != 0 {
		return
	}
	g[y][x] = c
	for _, d := range [...][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		n += g.fill(x+d[0], y+d[1], c)
	}
	return n + 1
}

type bank struct {
	acc map[string]*int
	log []string
}

func (b *bank) tx(from, to string, n int) (err error) {
	defer func() { b.log = append(b.log, fmt.Sprintf("%s->%s %d %v", from, to, n, err)) }()
	f, ok := b.acc[from]
	if !ok {
		return fmt.Errorf("no %q", from)
	}
	t := b.acc[to]
	if *f < n {
		return fmt.Errorf("%q has %d", from, *f)
	}
	*f -= n
	*t += n
	return
}
func hanoi(n int, a, b, c string, f func(string, string)) {
	if n > 0 {
		hanoi(n-1, a, c, b, f)
		f(a, c)
		hanoi(n-1, b, a, c, f)
	}
}
func perms[T any](xs []T, f func([]T) bool) bool {
	if len(xs) < 2 {
		return f(xs)
	}
	var rec func(i int) bool
	rec = func(i int) bool {
		if i == len(xs) {
			return f(xs)
		}
		for j := i; j < len(xs); j++ {
			xs[i], xs[j] = xs[j], xs[i]
			ok := rec(i + 1)
			xs[i], xs[j] = xs[j], xs[i]
			if !ok {
				return false
			}
		}
		return true
	}
	return rec(0)
}
func main() {
	for _, s := range []string{"1+2*3", "(1+2)*-x", "y/0", "2-3-4", "1+", "z", "4*(2"} {
		n, err := parse(s)
		if err != nil {
			fmt.Println(s, err)
			continue
		}
		fmt.Print(s, " = ")
		fmt.Println(n.eval(map[string]float64{"x": 4, "y": 1}))
	}
	var g grid
	for i := range 8 {
		g[i][4] = '#'
	}
	fmt.Println(g.fill(0, 0, 'a'), g[0][0] == 'a', g[7][5])
	a, z := 10, 0
	b := bank{acc: map[string]*int{"a": &a, "b": &z}}
	b.tx("a", "b", 3)
	b.tx("a", "b", 30)
	b.tx("q", "b", 1)
	func() { defer func() { fmt.Println(recover()) }(); b.tx("a", "zz", 1) }()
	for _, l := range b.log {
		fmt.Println(l)
	}
	fmt.Println(a, z)
	k := 0
	hanoi(5, "a", "b", "c", func(string, string) { k++ })
	fmt.Println(k)
	perms([]byte("abc"), func(p []byte) bool { fmt.Print(string(p), " "); return string(p) != "cba" })
	fmt.Println()
	type pair struct{ a, b int }
	seen := map[pair][]pair{}
	for i := range 4 {
		for j := range i {
			seen[pair{i % 2, j % 2}] = append(seen[pair{i % 2, j % 2}], pair{i, j})
		}
	}
	fmt.Println(seen)
	var mat [3][3]int
	for i := range mat {
		for j := range mat[i] {
			mat[i][j] = i*3 + j
		}
	}
	tr := mat
	for i := range tr {
		for j := range i {
			tr[i][j], tr[j][i] = tr[j][i], tr[i][j]
		}
	}
	fmt.Println(mat, tr, mat == tr)
}
