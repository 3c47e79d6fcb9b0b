package compile

import (
	"go/token"
	"go/types"
	"reflect"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

func (b *body) makeSlice(i *ssa.MakeSlice) {
	rt := b.plain(i.Type())
	n, c, d, pos := b.integer(i.Len), b.integer(i.Cap), b.slot(i), i.Pos()
	plain := reflect.SliceOf(rt.Elem())
	b.emit(func(f unsafe.Pointer) {
		n, c := n(f), c(f)
		if n < 0 || uint64(n)*uint64(rt.Elem().Size()) > mostMemory || n > mostMemory {
			fail(f, pos, "runtime error: makeslice: len out of range")
		}
		if c < n || uint64(c)*uint64(rt.Elem().Size()) > mostMemory || c > mostMemory {
			fail(f, pos, "runtime error: makeslice: cap out of range")
		}
		room(f, pos, uintptr(c)*rt.Elem().Size())
		s := reflect.MakeSlice(plain, n, c)
		*at[sliceHeader](f, d) = sliceHeader{s.UnsafePointer(), n, c}
	})
}

// slice cuts strings, slices and arrays.
func (b *body) slice(i *ssa.Slice) {
	x, d, pos := b.operand(i.X), b.slot(i), i.Pos()
	bound := func(v ssa.Value) func(unsafe.Pointer) int {
		if v == nil {
			return nil
		}
		return b.integer(v)
	}
	low, high, most := bound(i.Low), bound(i.High), bound(i.Max)
	limits := &bounds{
		low: unsigned64(i.Low), high: unsigned64(i.High), most: unsigned64(i.Max), three: i.Max != nil, limit: "length",
	}
	if alloc, ok := i.X.(*ssa.Alloc); ok {
		limits.made = alloc.Comment == "makeslice"
	}
	lowOf := func(f unsafe.Pointer) int {
		if low == nil {
			return 0
		}
		return low(f)
	}
	if t, ok := i.X.Type().Underlying().(*types.Basic); ok && t.Info()&types.IsString != 0 {
		b.emit(func(f unsafe.Pointer) {
			s := *at[string](f, x)
			l, h := lowOf(f), len(s)
			if high != nil {
				h = high(f)
			}
			limits.check(f, pos, l, h, len(s), len(s))
			*at[string](f, d) = s[l:h]
		})
		return
	}
	var header func(unsafe.Pointer) sliceHeader
	rt := b.plain(i.X.Type())
	if rt.Kind() == reflect.Pointer {
		n := under(rt.Elem())
		rt = n
		header = func(f unsafe.Pointer) sliceHeader {
			p := *at[unsafe.Pointer](f, x)
			if p == nil {
				nilPointer(f, pos)
			}
			return sliceHeader{p, n.Len(), n.Len()}
		}
	} else {
		limits.limit = "capacity"
		header = func(f unsafe.Pointer) sliceHeader { return *at[sliceHeader](f, x) }
	}
	size := under(rt).Elem().Size()
	b.emit(func(f unsafe.Pointer) {
		s := header(f)
		l, h, m := lowOf(f), s.length, s.capacity
		if high != nil {
			h = high(f)
		}
		if most != nil {
			m = most(f)
		}
		limits.check(f, pos, l, h, m, s.capacity)
		data := s.data
		if m > l { // an empty rest must not point behind its memory
			data = unsafe.Add(data, uintptr(l)*size)
		}
		*at[sliceHeader](f, d) = sliceHeader{data, h - l, m - l}
	})
}

// index reads an element of an array that has no address.
func (b *body) index(i *ssa.Index) {
	x, d, pos := b.operand(i.X), b.slot(i), i.Pos()
	n, unsigned := b.integer(i.Index), unsigned64(i.Index)
	rt := b.plain(i.X.Type())
	if rt.Kind() == reflect.String {
		b.emit(func(f unsafe.Pointer) {
			s, n := *at[string](f, x), n(f)
			if uint(n) >= uint(len(s)) {
				outOfRange(f, pos, n, len(s), unsigned)
			}
			*at[byte](f, d) = s[n]
		})
		return
	}
	if rt.Kind() == reflect.Slice {
		size, move := rt.Elem().Size(), moverOf(rt.Elem())
		b.emit(func(f unsafe.Pointer) {
			s, n := at[sliceHeader](f, x), n(f)
			if uint(n) >= uint(s.length) {
				outOfRange(f, pos, n, s.length, unsigned)
			}
			move(unsafe.Add(f, d), unsafe.Add(s.data, uintptr(n)*size))
		})
		return
	}
	size, length, move := rt.Elem().Size(), rt.Len(), moverOf(rt.Elem())
	b.emit(func(f unsafe.Pointer) {
		n := n(f)
		if uint(n) >= uint(length) {
			outOfRange(f, pos, n, length, unsigned)
		}
		move(unsafe.Add(f, d), unsafe.Add(f, x+uintptr(n)*size))
	})
}

// stringIter walks through the characters of a string.
type stringIter struct {
	text string
	at   int
}

func (b *body) ranges(i *ssa.Range) {
	x := b.operand(i.X)
	rt := b.plain(i.X.Type())
	if rt.Kind() == reflect.String {
		d := b.plan.add(reflect.TypeFor[stringIter]())
		b.slots[i] = d
		b.emit(func(f unsafe.Pointer) { *at[stringIter](f, d) = stringIter{text: *at[string](f, x)} })
		return
	}
	d := b.plan.add(reflect.TypeFor[mapIter]())
	b.slots[i] = d
	b.emit(func(f unsafe.Pointer) {
		it := reflect.NewAt(rt, unsafe.Add(f, x)).Elem().MapRange()
		*at[mapIter](f, d) = mapIter{it, *at[unsafe.Pointer](f, x)}
	})
}

// mapIter walks through a map.
type mapIter struct {
	*reflect.MapIter
	m unsafe.Pointer
}

func (b *body) next(i *ssa.Next) {
	x, d := b.operand(i.Iter), b.slot(i)
	tuple := b.Types.Of(i.Type())
	key, value := d+tuple.Field(1).Offset, d+tuple.Field(2).Offset
	wantKey, wantValue := tuple.Field(1).Type.Size() > 0, tuple.Field(2).Type.Size() > 0
	if i.IsString {
		b.emit(func(f unsafe.Pointer) {
			it := at[stringIter](f, x)
			if it.at >= len(it.text) {
				*at[bool](f, d) = false
				return
			}
			r, size := rune(it.text[it.at]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(it.text[it.at:])
			}
			*at[bool](f, d) = true
			if wantKey {
				*at[int](f, key) = it.at
			}
			if wantValue {
				*at[rune](f, value) = r
			}
			it.at += size
		})
		return
	}
	m := i.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	kt, vt := b.Types.Of(m.Key()), b.Types.Of(m.Elem())
	wantKey, wantValue = tuple.Field(1).Type == kt, tuple.Field(2).Type == vt
	crowd, pos := b.crowd, i.Iter.Pos()
	b.emit(func(f unsafe.Pointer) {
		it := at[mapIter](f, x)
		if crowd.Alone() {
			*at[bool](f, d) = it.Next()
		} else {
			site(f, pos)
			looking(crowd, it.m, iteratesWritten, func() { *at[bool](f, d) = it.Next() })
		}
		if !*at[bool](f, d) {
			return
		}
		if wantKey {
			reflect.NewAt(kt, unsafe.Add(f, key)).Elem().SetIterKey(it.MapIter)
		}
		if wantValue {
			reflect.NewAt(vt, unsafe.Add(f, value)).Elem().SetIterValue(it.MapIter)
		}
	})
}

func (b *body) makeMap(i *ssa.MakeMap) {
	rt, d := b.plain(i.Type()), b.slot(i)
	reserve := func(unsafe.Pointer) int { return 0 }
	if i.Reserve != nil {
		reserve = b.integer(i.Reserve)
	}
	b.emit(func(f unsafe.Pointer) {
		*at[unsafe.Pointer](f, d) = reflect.MakeMapWithSize(rt, max(reserve(f), 0)).UnsafePointer()
	})
}

func (b *body) mapUpdate(i *ssa.MapUpdate) {
	m, k, v, pos := b.operand(i.Map), b.operand(i.Key), b.operand(i.Value), i.Pos()
	rt := b.plain(i.Map.Type())
	g := guard{b.crowd, pos}
	step := g.fastUpdate(rt, m, k, v)
	if step == nil {
		step = g.writes(m, slowUpdate(rt, m, k, v, b.hashes(rt.Key(), k)))
	}
	b.emit(step)
}

func slowUpdate(rt reflect.Type, m, k, v uintptr, check run.Instr) run.Instr {
	kt, vt := rt.Key(), rt.Elem()
	return func(f unsafe.Pointer) {
		if check != nil {
			check(f)
		}
		reflect.NewAt(rt, unsafe.Add(f, m)).Elem().
			SetMapIndex(reflect.NewAt(kt, unsafe.Add(f, k)).Elem(), reflect.NewAt(vt, unsafe.Add(f, v)).Elem())
	}
}

func (b *body) deletes(args []ssa.Value, x []uintptr, pos token.Pos) run.Instr {
	rt := b.plain(args[0].Type())
	check := b.hashes(rt.Key(), x[1])
	return guard{b.crowd, pos}.writes(x[0], func(f unsafe.Pointer) {
		if check != nil {
			check(f)
		}
		m := reflect.NewAt(rt, unsafe.Add(f, x[0])).Elem()
		if !m.IsNil() {
			m.SetMapIndex(reflect.NewAt(rt.Key(), unsafe.Add(f, x[1])).Elem(), reflect.Value{})
		}
	})
}

// lookup reads from a map.
func (b *body) lookup(i *ssa.Lookup) {
	x, k, d, pos := b.operand(i.X), b.operand(i.Index), b.slot(i), i.Pos()
	rt := b.plain(i.X.Type())
	if rt.Kind() == reflect.String {
		n, unsigned := b.integer(i.Index), unsigned64(i.Index)
		b.emit(func(f unsafe.Pointer) {
			s, n := *at[string](f, x), n(f)
			if uint(n) >= uint(len(s)) {
				outOfRange(f, pos, n, len(s), unsigned)
			}
			*at[byte](f, d) = s[n]
		})
		return
	}
	okAt := uintptr(0)
	if i.CommaOk {
		okAt = d + b.Types.Of(i.Type()).Field(1).Offset
	}
	g := guard{b.crowd, pos}
	step := g.fastLookup(rt, x, k, d, okAt)
	if step == nil {
		step = g.reads(x, slowLookup(rt, x, k, d, okAt, b.hashes(rt.Key(), k)))
	}
	b.emit(step)
}

func slowLookup(rt reflect.Type, x, k, d, okAt uintptr, check run.Instr) run.Instr {
	kt, vt, clear := rt.Key(), rt.Elem(), clearer(rt.Elem())
	return func(f unsafe.Pointer) {
		if check != nil {
			check(f)
		}
		v := reflect.NewAt(rt, unsafe.Add(f, x)).Elem().MapIndex(reflect.NewAt(kt, unsafe.Add(f, k)).Elem())
		if v.IsValid() {
			reflect.NewAt(vt, unsafe.Add(f, d)).Elem().Set(v)
		} else {
			clear(unsafe.Add(f, d))
		}
		if okAt != 0 {
			*at[bool](f, okAt) = v.IsValid()
		}
	}
}
