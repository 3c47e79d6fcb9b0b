package main

import (
	"fmt"
	"maps"
	"slices"
)

type Trie struct {
	kids map[rune]*Trie
	end  bool
}

func (t *Trie) Add(w string) {
	for _, r := range w {
		if t.kids == nil {
			t.kids = make(map[rune]*Trie)
		}
		if t.kids[r] == nil {
			t.kids[r] = &Trie{}
		}
		t = t.kids[r]
	}
	t.end = true
}

func (t *Trie) Words(prefix string, out *[]string) {
	if t.end {
		*out = append(*out, prefix)
	}
	for _, r := range slices.Sorted(maps.Keys(t.kids)) {
		t.kids[r].Words(prefix+string(r), out)
	}
}

type UF []int

func (u UF) Find(x int) int {
	for u[x] != x {
		u[x] = u[u[x]]
		x = u[x]
	}
	return x
}

func (u UF) Union(a, b int) bool {
	a, b = u.Find(a), u.Find(b)
	if a == b {
		return false
	}
	u[a] = b
	return true
}

func main() {
	var t Trie
	for _, w := range []string{"tea", "ten", "té", "a", "to"} {
		t.Add(w)
	}
	var out []string
	t.Words("", &out)
	fmt.Println(out)
	u := UF{0, 1, 2, 3, 4}
	fmt.Println(u.Union(0, 1), u.Union(1, 2), u.Union(0, 2), u.Find(0) == u.Find(2), u.Find(3))
}
