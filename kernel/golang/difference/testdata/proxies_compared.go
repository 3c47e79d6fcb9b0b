package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os/exec"
	"reflect"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Level is a flag by its text.
type Level int

func (l Level) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("L%d", int(l))), nil }
func (l *Level) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "L%d", (*int)(l))
	return err
}

// Pair is a flag of two fields, compared by value.
type Pair struct{ a, b string }

func (p *Pair) MarshalText() ([]byte, error) { return []byte(p.a + "/" + p.b), nil }
func (p *Pair) UnmarshalText(text []byte) error {
	a, b, ok := strings.Cut(string(text), "/")
	if !ok {
		return errors.New("no slash")
	}
	p.a, p.b = a, b
	return nil
}

type Addr struct{ host string }

func (Addr) Network() string  { return "cell" }
func (a Addr) String() string { return a.host }

type Other Addr

func (Other) Network() string  { return "other" }
func (a Other) String() string { return a.host }

type List []int

func (List) Network() string { return "list" }
func (List) String() string  { return "list" }

type Fault struct{ code int }

func (f Fault) Error() string { return fmt.Sprint("fault ", f.code) }

type PointerFault struct{ code int }

func (f *PointerFault) Error() string { return fmt.Sprint("pointer fault ", f.code) }

type Info struct{ name string }

func (i Info) Name() string       { return i.name }
func (i Info) Size() int64        { return 1 }
func (i Info) Mode() fs.FileMode  { return 0 }
func (i Info) ModTime() time.Time { return time.Time{} }
func (i Info) IsDir() bool        { return false }
func (i Info) Sys() any           { return nil }

type key struct{ n int }
type otherKey struct{ n int }

type buffer struct{ b bytes.Buffer }

func (w *buffer) Write(p []byte) (int, error) { return w.b.Write(p) }

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, "panics:", r)
		}
	}()
	f()
}

func flags() {
	set := flag.NewFlagSet("cell", flag.ContinueOnError)
	var out bytes.Buffer
	set.SetOutput(&out)
	var l Level
	var p Pair
	var pp *Pair = &p
	set.TextVar(&l, "level", Level(3), "the `level`")
	set.TextVar(pp, "pair", &Pair{"x", "y"}, "two texts")
	var ip net.IP
	set.TextVar(&ip, "ip", net.IPv4(1, 2, 3, 4), "a compiled type")
	fmt.Println(l, p, ip)
	fmt.Println(set.Parse([]string{"-level", "L7", "-pair", "a/b", "-ip", "9.9.9.9"}), l, p, ip)
	fmt.Println(set.Parse([]string{"-pair", "none"}), p)
	fmt.Println(set.Lookup("level").DefValue, set.Lookup("level").Value, set.Lookup("pair").DefValue)
	get := set.Lookup("level").Value.(flag.Getter).Get()
	fmt.Println(get == any(&l))
	set.PrintDefaults()
	fmt.Print(out.String())
	try("another type", func() { set.TextVar(&l, "other", &p, "") })
	try("no pointer", func() { set.TextVar(nothing{}, "other", &p, "") })
	flag.TextVar(&l, "cells-level", Level(5), "")
	fmt.Println(l)
}

type nothing struct{}

func (nothing) UnmarshalText([]byte) error { return nil }

func compared() {
	var a, b net.Addr = Addr{"h"}, Addr{"h"}
	var c, d net.Addr = Addr{"i"}, Other{"h"}
	fmt.Println(a == b, a == c, a == d)
	m := map[net.Addr]int{}
	m[a]++
	m[b]++
	m[c]++
	m[d]++
	p := &Addr{"p"}
	m[p]++
	m[p]++
	m[&Addr{"p"}]++
	fmt.Println(len(m), m[Addr{"h"}], m[Other{"h"}], m[p], m[net.Addr(Addr{"i"})])
	try("unhashable", func() { m[List{1}]++ })
	try("uncomparable", func() { var x, y net.Addr = List{1}, List{1}; fmt.Println(x == y) })
	delete(m, a)
	fmt.Println(len(m))
	errs := map[error]string{Fault{1}: "one", Fault{2}: "two"}
	f := &PointerFault{3}
	errs[f] = "three"
	fmt.Println(errs[Fault{1}], errs[f], errs[&PointerFault{3}] == "", len(errs))
	names := map[fmt.Stringer]int{Addr{"x"}: 1}
	names[Addr{"x"}]++
	fmt.Println(names[Addr{"x"}], len(names))
	infos := map[fs.FileInfo]bool{Info{"a"}: true}
	fmt.Println(infos[Info{"a"}], infos[Info{"b"}])
	arrays := map[[2]net.Addr]int{{a, d}: 4}
	fmt.Println(arrays[[2]net.Addr{Addr{"h"}, Other{"h"}}])
	type at struct {
		addr net.Addr
		n    int
	}
	ats := map[at]int{{a, 1}: 5}
	fmt.Println(ats[at{b, 1}], ats[at{b, 2}], at{a, 1} == at{b, 1})
	fmt.Println(net.OpError{Addr: a, Err: Fault{1}} == net.OpError{Addr: b, Err: Fault{1}},
		reflect.DeepEqual(net.OpError{Addr: a}, net.OpError{Addr: b}), reflect.DeepEqual([]net.Addr{a}, []net.Addr{d}))
	fmt.Println(reflect.TypeOf(a) == reflect.TypeOf(b), reflect.TypeOf(a) == reflect.TypeOf(d))
	ch := make(chan net.Addr, 2)
	ch <- a
	ch <- p
	fmt.Println(<-ch == b, <-ch == net.Addr(p))
}

func keys() {
	ctx := context.WithValue(context.Background(), key{1}, "one")
	ctx = context.WithValue(ctx, otherKey{1}, "other")
	fmt.Println(ctx.Value(key{1}), ctx.Value(otherKey{1}), ctx.Value(key{2}), ctx.Value(struct{ n int }{1}))
	try("uncomparable key", func() { context.WithValue(ctx, List{1}, 1) })
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(Fault{4})
	fmt.Println(context.Cause(ctx) == error(Fault{4}), errors.Is(context.Cause(ctx), Fault{4}))
	var v atomic.Value
	v.Store(key{1})
	try("another type", func() { v.Store(otherKey{1}) })
	fmt.Println(v.CompareAndSwap(key{1}, key{2}), v.Load() == any(key{2}))
	var held atomic.Value
	held.Store(net.Addr(Addr{"s"}))
	fmt.Println(held.CompareAndSwap(Addr{"s"}, Addr{"t"}), held.Load())
	var sm sync.Map
	sm.Store(key{1}, 1)
	sm.Store(otherKey{1}, 2)
	n, ok := sm.Load(key{1})
	fmt.Println(n, ok)
}

func faults() {
	wrapped := fmt.Errorf("w: %w", &PointerFault{5})
	p, ok := errors.AsType[*PointerFault](wrapped)
	fmt.Println(p, ok)
	_, ok = errors.AsType[Fault](wrapped)
	fmt.Println(ok)
	op := &net.OpError{Op: "dial", Addr: Addr{"h"}, Err: Fault{6}}
	fmt.Println(errors.Is(op, Fault{6}), errors.Is(op, Fault{7}), op)
	var f Fault
	fmt.Println(errors.As(errors.Join(io.EOF, op), &f), f.code)
	is, as := errors.Is, errors.As
	fmt.Println(is(op, Fault{6}), as(op, &f))
	list := []error{Fault{2}, io.EOF, Fault{1}}
	sort.Slice(list, func(i, j int) bool { return list[i].Error() < list[j].Error() })
	fmt.Println(list)
}

func commands() {
	w := &buffer{}
	c := exec.Command("sh", "-c", "echo out; echo err >&2; echo more")
	c.Stdout, c.Stderr = w, w
	fmt.Println(c.Stdout == c.Stderr, c.Run())
	fmt.Print(w.b.String())
}

func main() {
	flags()
	compared()
	keys()
	faults()
	commands()
}
