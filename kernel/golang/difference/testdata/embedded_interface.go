package main

import (
	"fmt"
	"sort"
)

type Logger interface{ Log(string) string }
type Store interface {
	Logger
	Get(k string) (string, bool)
}
type base struct{ prefix string }

func (b base) Log(s string) string { return b.prefix + s }

type mem struct {
	base
	data map[string]string
}

func (m *mem) Get(k string) (v string, ok bool) { v, ok = m.data[k]; return }

type traced struct {
	Store
	calls int
}

func (t *traced) Get(k string) (string, bool) {
	t.calls++
	v, ok := t.Store.Get(k)
	return "[" + v + "]", ok
}

type rev struct{ sort.Interface }

func (r rev) Less(i, j int) bool { return r.Interface.Less(j, i) }

func use(s Store, k string) string {
	v, ok := s.Get(k)
	return s.Log(fmt.Sprint(v, ok))
}

func main() {
	m := &mem{base{"> "}, map[string]string{"a": "1"}}
	t := &traced{Store: m}
	fmt.Println(use(m, "a"), use(t, "a"), use(t, "b"), t.calls)
	var l Logger = t
	_, isStore := l.(Store)
	fmt.Println(isStore, l.Log("x"))
	xs := sort.IntSlice{3, 1, 2}
	sort.Sort(rev{xs})
	fmt.Println(xs)
	get := t.Get
	v, _ := get("a")
	fmt.Println(v, t.calls)
	log := Logger.Log
	fmt.Println(log(m, "expr"))
	var st Store
	defer func() { fmt.Println("nil:", recover()) }()
	st.Get("x")
}
