package compile

import (
	"go/token"
	"go/types"
	"reflect"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/guard"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

func (b *body) emitMakeMap(i *ssa.MakeMap) {
	rt, d := b.Types.Plain(i.Type()), b.slot(i)
	reserve := func(unsafe.Pointer) int { return 0 }
	if i.Reserve != nil {
		reserve = b.integer(i.Reserve)
	}
	b.emit(func(f unsafe.Pointer) {
		*slot.At[unsafe.Pointer](f, d) = reflect.MakeMapWithSize(rt, max(reserve(f), 0)).UnsafePointer()
	})
}

func (b *body) emitMapUpdate(i *ssa.MapUpdate) {
	m, k, v, pos := b.operand(i.Map), b.operand(i.Key), b.operand(i.Value), i.Pos()
	rt := b.Types.Plain(i.Map.Type())
	b.emit(guard.Map{Crowd: b.Crowd, Pos: pos}.Update(rt, m, k, v))
}

func (b *body) deleteStep(args []ssa.Value, x []uintptr, pos token.Pos) run.Instr {
	rt := b.Types.Plain(args[0].Type())
	return guard.Map{Crowd: b.Crowd, Pos: pos}.Delete(rt, x[0], x[1])
}

// emitLookup emits the read of an element of a map or a byte of a string.
func (b *body) emitLookup(i *ssa.Lookup) {
	x, k, d, pos := b.operand(i.X), b.operand(i.Index), b.slot(i), i.Pos()
	rt := b.Types.Plain(i.X.Type())
	if rt.Kind() == reflect.String {
		n, unsigned := b.integer(i.Index), unsigned64(i.Index)
		b.emit(func(f unsafe.Pointer) {
			s, n := *slot.At[string](f, x), n(f)
			if uint(n) >= uint(len(s)) {
				fault.OutOfRange(f, pos, n, len(s), unsigned)
			}
			*slot.At[byte](f, d) = s[n]
		})
		return
	}
	okAt := uintptr(0)
	if i.CommaOk {
		okAt = d + b.Types.Of(i.Type()).Field(1).Offset
	}
	b.emit(guard.Map{Crowd: b.Crowd, Pos: pos}.Lookup(rt, x, k, d, okAt))
}

func (b *body) emitRange(i *ssa.Range) {
	x := b.operand(i.X)
	rt := b.Types.Plain(i.X.Type())
	if rt.Kind() == reflect.String {
		d := b.plan.Add(reflect.TypeFor[stringIter]())
		b.slots[i] = d
		b.emit(func(f unsafe.Pointer) { *slot.At[stringIter](f, d) = stringIter{text: *slot.At[string](f, x)} })
		return
	}
	d := b.plan.Add(guard.IteratorType)
	b.slots[i] = d
	b.emit(guard.Range(rt, x, d))
}

func (b *body) emitNext(i *ssa.Next) {
	x, d := b.operand(i.Iter), b.slot(i)
	tuple := b.Types.Of(i.Type())
	key, value := d+tuple.Field(1).Offset, d+tuple.Field(2).Offset
	wantKey, wantValue := tuple.Field(1).Type.Size() > 0, tuple.Field(2).Type.Size() > 0
	if i.IsString {
		b.emit(func(f unsafe.Pointer) {
			it := slot.At[stringIter](f, x)
			if it.at >= len(it.text) {
				*slot.At[bool](f, d) = false
				return
			}
			r, size := rune(it.text[it.at]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(it.text[it.at:])
			}
			*slot.At[bool](f, d) = true
			if wantKey {
				*slot.At[int](f, key) = it.at
			}
			if wantValue {
				*slot.At[rune](f, value) = r
			}
			it.at += size
		})
		return
	}
	m := i.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	kt, vt := b.Types.Of(m.Key()), b.Types.Of(m.Elem())
	wantKey, wantValue = tuple.Field(1).Type == kt, tuple.Field(2).Type == vt
	turn := guard.Map{Crowd: b.Crowd, Pos: i.Iter.Pos()}.Next(x, d)
	moveKey, moveValue := slot.MoverOf(kt), slot.MoverOf(vt)
	b.emit(func(f unsafe.Pointer) {
		from, valueFrom := turn(f)
		if from == nil {
			return
		}
		if wantKey {
			moveKey(unsafe.Add(f, key), from)
		}
		if wantValue {
			moveValue(unsafe.Add(f, value), valueFrom)
		}
	})
}

// stringIter walks through the characters of a string.
type stringIter struct {
	text string
	at   int
}
