package interp

import (
	"runtime"
	"strings"
	"testing"
)

// TestRecursiveTypes: structs that refer to themselves have methods, print and encode as in compiled Go, and survive the garbage collector.
func TestRecursiveTypes(t *testing.T) {
	if !patchable() {
		t.Fatal("struct types of this Go release do not look as expected: recursive types are gomacro's")
	}
	tests := []struct {
		name  string
		cells []string
		want  string
	}{
		{"tree", []string{`type Tree struct { L, R *Tree; V int }
func (t *Tree) Insert(v int) *Tree {
	if t == nil { return &Tree{V: v} }
	if v < t.V { t.L = t.L.Insert(v) } else { t.R = t.R.Insert(v) }
	return t
}
func (t *Tree) Walk(f func(int)) { if t != nil { t.L.Walk(f); f(t.V); t.R.Walk(f) } }
func (t *Tree) Depth() int { if t == nil { return 0 }; return 1 + max(t.L.Depth(), t.R.Depth()) }`,
			"var root *Tree\nfor _, v := range []int{5, 2, 8, 1, 9} { root = root.Insert(v) }\nvar all []int\nroot.Walk(func(v int) { all = append(all, v) })", `all`}, "[1 2 5 8 9]"},
		{"list", []string{"type List struct { V int; Next *List }\nfunc (l *List) Len() int { n := 0; for p := l; p != nil; p = p.Next { n++ }; return n }",
			"x := &List{1, &List{2, nil}}", "x.Next.Next = &List{V: 3}\nx.Len()"}, "3"},
		{"value receiver", []string{"type T struct { Kid *T; V int }\nfunc (t T) Sum() int { if t.Kid == nil { return t.V }; return t.V + t.Kid.Sum() }\nT{&T{nil, 2}, 3}.Sum()"}, "5"},
		{"slices and maps", []string{"import \"fmt\"", `type N struct { Kids []*N; All []N; By map[string]N; Ptr map[string]*N; Each func(*N) *N; C chan *N; P **N; Two [2]*N; V int }
func (n *N) Sum() int { s := n.V; for _, k := range n.Kids { s += k.Sum() }; for _, k := range n.All { s += k.Sum() }; for _, k := range n.By { s += k.Sum() }; return s }`,
			`n := &N{V: 1, Kids: []*N{{V: 2}, {V: 3}}, All: []N{{V: 4}}, By: map[string]N{"a": {V: 5}}}
n.Ptr = map[string]*N{"x": n}
n.Each = func(m *N) *N { return m.Kids[0] }
n.C = make(chan *N, 1)
n.C <- n
n.P = &n.Kids[1]
n.Two[1] = n
n.Sum() + n.Each(n).V*100 + (<-n.C).V*1000 + n.Ptr["x"].V*10000 + (*n.P).V*100000 + n.Two[1].V*1000000`}, "1311215"},
		{"two types", []string{"type A struct { B *B; N int }\ntype B struct { As []A; N int }\nfunc (a A) Sum() int { if a.B == nil { return a.N }; return a.N + a.B.Sum() }\nfunc (b *B) Sum() int { s := b.N; for _, a := range b.As { s += a.Sum() }; return s }",
			"A{&B{[]A{{nil, 1}, {nil, 2}}, 3}, 4}.Sum()"}, "10"},
		{"with other types of the cell", []string{"import \"time\"\ntype Node struct { At time.Time; K Kind; Next *Node }\ntype Kind int\nfunc (k Kind) String() string { return \"kind\" }\nNode{K: 3, Next: &Node{K: 4}}.Next.K"}, "kind"},
		{"embedded", []string{"type Base struct { Kids []*Base; Name string }\nfunc (b *Base) Count() int { n := 1; for _, k := range b.Kids { n += k.Count() }; return n }\ntype Dir struct { Base; Size int }",
			"d := &Dir{Base{[]*Base{{}, {}}, \"d\"}, 3}\nd.Count()"}, "3"},
		{"interface", []string{"import \"fmt\"\ntype Item struct { Next *Item; V int }\nfunc (i *Item) String() string { return fmt.Sprint(\"item \", i.V) }\nvar s fmt.Stringer = &Item{V: 7}", "s.String() + fmt.Sprint(&Item{V: 8})"}, "item 7item 8"},
		{"own interface", []string{"type Shape interface { Area() int }\ntype Group struct { Parts []*Group; A int }\nfunc (g *Group) Area() int { a := g.A; for _, p := range g.Parts { a += p.Area() }; return a }\nvar s Shape = &Group{[]*Group{{nil, 2}}, 1}\ns.Area()"}, "3"},
		{"with an interface", []string{"type Visitor interface { Visit(n *Node) int }\ntype Node struct { V Visitor; Next *Node; N int }\nfunc (n *Node) Run() int { s := n.V.Visit(n); if n.Next != nil { s += n.Next.Run() }; return s }\ntype Adder struct{ k int }\nfunc (a Adder) Visit(n *Node) int { return n.N + a.k }",
			"(&Node{Adder{10}, &Node{Adder{20}, nil, 1}, 2}).Run()"}, "33"},
		{"interface of itself", []string{"type Expr interface { Simplify() Expr; Eval() int }\ntype Num int\nfunc (n Num) Simplify() Expr { return n }\nfunc (n Num) Eval() int { return int(n) }\ntype Add struct{ L, R Expr }\nfunc (a Add) Simplify() Expr { return a }\nfunc (a Add) Eval() int { return a.L.Eval() + a.R.Eval() }",
			"var e Expr = Add{Add{}, nil}\nvar n Expr = func() Expr { m := Num(3); return m }()\ne = Add{n, n}\ne.Simplify().Eval()"}, "6"},
		{"functional options", []string{"type Opt func(*Cfg)\ntype Cfg struct { N int; Opts []Opt }\nfunc WithN(n int) Opt { return func(c *Cfg) { c.N += n; c.Opts = append(c.Opts, WithN(n)) } }\nfunc New(opts ...Opt) *Cfg { c := &Cfg{}; for _, o := range opts { o(c) }; return c }",
			"c := New(WithN(5), WithN(6))\nc.Opts[1](c)\nc.N*10 + len(c.Opts)"}, "173"},
		{"maps and slices of structs", []string{"type Graph map[string]*Vertex\ntype Vertex struct { Out Edges; G Graph; Up *Vertex; C Pipe }\ntype Edges []Edge\ntype Edge struct { To *Vertex; W int }\ntype Pipe chan *Vertex\nfunc (g Graph) Sum() int { n := 0; for _, v := range g { n += v.Out.Sum() }; return n }\nfunc (e Edges) Sum() int { n := 0; for _, x := range e { n += x.W }; return n }",
			"b := &Vertex{}\na := &Vertex{Out: Edges{{b, 3}, {b, 4}}, C: make(Pipe, 1)}\ng := Graph{\"a\": a, \"b\": b}\na.G = g\na.C <- b\n(<-a.C).Up = a\nb.Up.G.Sum() + len(b.Up.Out)"}, "9"},
		{"function of itself", []string{"import \"fmt\"\ntype F func(int) F\nvar f F\nf = func(i int) F { fmt.Print(i); return f }\nf(1)(2)\n5"}, "5"},
		{"state machine", []string{"type State func(*Lexer) State\ntype Lexer struct { n int; state State }\nfunc a(l *Lexer) State { l.n++; if l.n > 3 { return nil }; return b }\nfunc b(l *Lexer) State { l.n += 10; return a }\nl := &Lexer{state: a}\nfor l.state != nil { l.state = l.state(l) }\nl.n", "type Runner struct { S State; R *Runner; F func(State) *Runner }\nfunc (r *Runner) Run() int { n := 0; for s := r.S; s != nil; s = s(l) { n++ }; return n }\nl.n = 0\n(&Runner{S: b}).Run()"}, "2"},
		{"a type of an earlier cell", []string{"type A struct { N *A; V int }\nfunc (a *A) Get() int { return a.V }", "type B struct { As []*A; A A; F func(*A) *B; N *B }\nfunc (b *B) Get() int { return b.As[0].Get() + b.N.A.Get() }",
			"(&B{As: []*A{{nil, 1}}, N: &B{A: A{nil, 2}}}).Get()"}, "3"},
		{"JSON", []string{"import \"encoding/json\"", "type J struct { Name string `json:\"name\"`; Kids []*J `json:\"kids,omitempty\"` }\nvar j J\nerr := json.Unmarshal([]byte(`{\"name\":\"a\",\"kids\":[{\"name\":\"b\"}]}`), &j)\nb, err := json.Marshal(j)\nj.Kids[0].Name + string(b)"},
			`b{"name":"a","kids":[{"name":"b"}]}`},
		{"declared again, the same", []string{"type L struct { Next *L; V int }\nfunc (l *L) Get() int { return l.V }\nx := &L{nil, 5}", "type L struct { Next *L; V int }", "x = &L{x, 6}\nx.Get()*10 + x.Next.Get()"}, "65"},
		{"declared again, another", []string{"type L struct { Next *L; V int }\nx := &L{nil, 5}", "type L struct { Next *L; S string }\nfunc (l *L) Get() string { return l.S }", "y := &L{nil, \"s\"}\ny.Get()"}, "s"},
		{"the same structure twice", []string{"type A struct { N *A; V int }\ntype B struct { N *B; V int }\na, b := A{nil, 1}, B{nil, 2}", "var i interface{} = a\n_, isB := i.(B)\na.V + b.V"}, "3"},
		{"compared", []string{"type A struct { N *A; V int }\na := A{nil, 1}\na == A{nil, 1} && a != A{&a, 1}"}, "true"},
		{"nil prints", []string{"type A struct { N *A; V int }\nA{nil, 1}"}, "{<nil> 1}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, Options{})
			var o outcome
			for _, cell := range tt.cells {
				o = s.ok(cell)
				runtime.GC()
			}
			if o.value != tt.want {
				t.Errorf("value %q, want %q", o.value, tt.want)
			}
		})
	}
}

// TestRecursiveTypesLive: many nodes of types made at run time, through many collections.
func TestRecursiveTypesLive(t *testing.T) {
	s := start(t, Options{})
	s.ok("import \"runtime\"\ntype L struct { pad [3]string; Next *L; kids map[int]*L; V int }\nfunc (l *L) Sum() (n int) { for ; l != nil; l = l.Next { n += l.V + len(l.kids) }; return }")
	o := s.ok("var head *L\nfor i := range 3000 { head = &L{Next: head, V: i, kids: map[int]*L{i: head}}; if i%300 == 0 { runtime.GC() } }\nhead.Sum()")
	if o.value != "4501500" {
		t.Errorf("sum %s", o.value)
	}
	if o := s.run("head.Nope()"); o.failure == nil || !strings.Contains(o.failure.Value, "Nope") {
		t.Errorf("a method that is not there: %v", o.failure)
	}
	if o := s.run("type Bad struct { Next *Bad; X undefinedType }"); o.failure == nil {
		t.Error("no error")
	}
	if o := s.run("Bad{}"); o.failure == nil {
		t.Error("Bad is declared")
	}
}
