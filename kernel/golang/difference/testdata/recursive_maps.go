package main

import (
	"fmt"
	"sort"
)

type Trie map[rune]Trie

func (t Trie) Add(s string) {
	for _, r := range s {
		if t[r] == nil {
			t[r] = Trie{}
		}
		t = t[r]
	}
	t[0] = nil
}

func (t Trie) Words(prefix string) (out []string) {
	for r, kid := range t {
		if r == 0 {
			out = append(out, prefix)
			continue
		}
		out = append(out, kid.Words(prefix+string(r))...)
	}
	sort.Strings(out)
	return
}

type Tree []Tree

func (t Tree) Depth() int {
	d := 0
	for _, k := range t {
		d = max(d, k.Depth())
	}
	return d + 1
}

type Node struct {
	Kids map[string]Node
	List []Node
	Up   *Node
	Next chan Node
	F    func(Node) Node
}

type Func func(int) Func

func main() {
	t := Trie{}
	for _, w := range []string{"tea", "ten", "to", "é"} {
		t.Add(w)
	}
	fmt.Println(t.Words(""), len(t), len(t['t']))
	fmt.Println(Tree{{}, {{}, {{}}}}.Depth(), Tree{{}, {}})
	n := Node{Kids: map[string]Node{"a": {List: make([]Node, 2)}}, Next: make(chan Node, 1)}
	n.Next <- Node{List: []Node{{}}}
	got := <-n.Next
	n.F = func(m Node) Node { m.Up = &n; return m }
	fmt.Println(len(n.Kids["a"].List), len(got.List), n.F(got).Up == &n, len(n.Kids["b"].Kids))
	var f Func
	sum := 0
	f = func(k int) Func { sum += k; return f }
	f(1)(2)(3)
	fmt.Println(sum)
	type ring struct {
		v    int
		next *ring
	}
	r := &ring{v: 1}
	r.next = &ring{2, r}
	fmt.Println(r.next.next.v, r.next.next == r)
	list := []Node{{}, {}}
	list = append(list, Node{List: list})
	copy(list[1:], list[2:])
	fmt.Println(len(list[1].List), len(list))
}
