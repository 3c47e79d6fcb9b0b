// Every generic function and type of packages that are not interpreted, with types of the program.
package main

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

type ID int

func (i ID) String() string { return fmt.Sprintf("#%d", int(i)) }

type point struct{ X, Y int }

type timeout interface {
	error
	Timeout() bool
}

func (p *point) Area() int { return p.X * p.Y }

type shape interface{ Area() int }

type failure struct{ at point }

func (f failure) Error() string { return fmt.Sprint("failed at ", f.at) }

type key struct {
	name string
	v    any
}

type code string

func (c *code) Scan(src any) error {
	*c = code(fmt.Sprintf("scanned %v", src))
	return nil
}

func (c code) Value() (driver.Value, error) { return "stored " + string(c), nil }

func assert[T any](v reflect.Value) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Println("panic:", fault)
		}
	}()
	got, ok := reflect.TypeAssert[T](v)
	fmt.Printf("%v %v; ", got, ok)
}

func hashes() {
	seed := maphash.MakeSeed()
	same := func(x, y any) bool { return maphash.Comparable(seed, x) == maphash.Comparable(seed, y) }
	fmt.Println(same(key{"a", ID(1)}, key{"a", ID(1)}), same(key{"a", ID(1)}, key{"a", 1}), same(point{1, 2}, point{2, 1}))
	fmt.Println(maphash.Comparable(seed, point{1, 2}) == maphash.Comparable(seed, point{1, 2}))
	fmt.Println(maphash.Comparable(seed, 0.0) == maphash.Comparable(seed, -1/1e308/1e308))
	var g, h maphash.Hash
	g.SetSeed(seed)
	h.SetSeed(seed)
	maphash.WriteComparable(&g, ID(3))
	maphash.WriteComparable(&h, ID(3))
	fmt.Println(g.Sum64() == h.Sum64())
	maphash.WriteComparable(&h, [2]ID{4, 5})
	fmt.Println(g.Sum64() == h.Sum64())
	defer func() { fmt.Println("panic:", recover()) }()
	maphash.Comparable[any](seed, []ID{1})
}

func cleanups() {
	cleaned := make(chan string, 3)
	func() {
		p := &point{1, 2}
		runtime.AddCleanup(p, func(i ID) { cleaned <- fmt.Sprint(i, " of a point") }, ID(7))
		stopped := runtime.AddCleanup(p, func(f failure) { cleaned <- f.Error() }, failure{})
		stopped.Stop()
		runtime.KeepAlive(p)
	}()
	for {
		runtime.GC()
		select {
		case text := <-cleaned:
			fmt.Println(text)
		case <-time.After(10 * time.Millisecond):
			continue
		}
		break
	}
	for _, fault := range []func(){
		func() { runtime.AddCleanup((*point)(nil), func(int) {}, 1) },
		func() { p := new(point); runtime.AddCleanup(p, func(*point) {}, p) },
		func() { p := new([3]point); runtime.AddCleanup(p, func(*int) {}, &p[1].Y) },
	} {
		func() {
			defer func() { fmt.Println("panic:", recover()) }()
			fault()
		}()
	}
}

func nulls() {
	n := sql.Null[ID]{V: 5, Valid: true}
	fmt.Println(n.Value())
	for _, src := range []any{int64(6), "7", "x", nil} {
		err := n.Scan(src)
		fmt.Println(err, n)
	}
	fmt.Println(n.Value())
	var text sql.Null[code]
	fmt.Println(text.Scan(3), text)
	fmt.Println(text.Value())
	var list sql.Null[*ID]
	fmt.Println(list.Scan(int64(4)), *list.V, list.Valid)
	fmt.Println(list.Value())
	var wrong sql.Null[point]
	fmt.Println(wrong.Scan(int64(4)))
	var plain sql.Null[string]
	for _, src := range []any{time.Unix(0, 0).UTC(), true, []byte("b"), 1.5, ID(1)} {
		err := plain.Scan(src)
		fmt.Println(err, plain)
	}
	var valuer driver.Valuer = sql.Null[ID]{V: 8, Valid: true}
	fmt.Println(valuer.Value())
	var scans sql.Scanner = &n
	fmt.Println(scans.Scan(int64(9)), n)
	record := struct{ sql.Null[uint8] }{}
	fmt.Println(record.Scan(int64(256)), record.Scan(int64(255)), record)
}

func main() {
	var current atomic.Pointer[point]
	first := &point{1, 2}
	fmt.Println(current.Load() == nil, current.CompareAndSwap(nil, first), current.Swap(&point{3, 4}) == first)
	load := current.Load
	fmt.Println(load().Area())

	found, ok := errors.AsType[failure](fmt.Errorf("in: %w", failure{point{1, 2}}))
	fmt.Println(found, ok)
	_, ok = errors.AsType[timeout](failure{})
	fmt.Println(ok)

	fmt.Println(rand.N(ID(1)), rand.N(time.Duration(1)), rand.N[uint8](1))
	one := rand.N[ID]
	fmt.Println(one(1) == 0)

	calls := 0
	once := sync.OnceValue(func() point { calls++; return point{calls, 0} })
	fmt.Println(once(), once())
	both := sync.OnceValues(func() (ID, error) { calls++; return ID(calls), failure{point{calls, 1}} })
	fmt.Println(both())
	fmt.Println(both())
	broken := sync.OnceValue(func() ID { calls++; panic(failure{point{calls, 2}}) })
	for range 2 {
		func() {
			defer func() { fmt.Println("panic:", recover()) }()
			broken()
		}()
	}

	assert[point](reflect.ValueOf(point{1, 2}))
	assert[ID](reflect.ValueOf(point{1, 2}))
	assert[int](reflect.ValueOf(ID(1)))
	assert[shape](reflect.ValueOf(&point{3, 4}))
	assert[shape](reflect.ValueOf(point{3, 4}))
	assert[fmt.Stringer](reflect.ValueOf(ID(1)))
	var s shape = &point{5, 6}
	assert[*point](reflect.ValueOf(&s).Elem())
	assert[shape](reflect.ValueOf(&s).Elem())
	assert[error](reflect.ValueOf(&s).Elem())
	assert[error](reflect.ValueOf(failure{}))
	s = nil
	assert[shape](reflect.ValueOf(&s).Elem())
	fmt.Println()
	assert[int](reflect.Value{})
	assert[string](reflect.ValueOf(key{"a", 1}).Field(0))

	hashes()
	cleanups()
	nulls()
}
