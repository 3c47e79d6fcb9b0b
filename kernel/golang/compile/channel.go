package compile

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/fault"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

func (b *body) emitMakeChan(i *ssa.MakeChan) {
	rt, d, n, pos := b.Types.Plain(i.Type()), b.slot(i), b.integer(i.Size), i.Pos()
	if rt.ChanDir() != reflect.BothDir {
		rt = reflect.ChanOf(reflect.BothDir, rt.Elem())
	}
	b.emit(func(f unsafe.Pointer) {
		size := n(f)
		if size < 0 {
			fault.Site(f, pos)
			least := -1
			_ = make(chan byte, least) // which fails as the runtime does
		}
		*slot.At[unsafe.Pointer](f, d) = reflect.MakeChan(rt, size).UnsafePointer()
	})
}

// wait performs one of several channel operations, or ends the cell when it is interrupted.
func wait(frame unsafe.Pointer, cases []reflect.SelectCase) (int, reflect.Value, bool) {
	ends := reflect.ValueOf(run.HeadOf(frame).G.Done())
	n, v, ok := reflect.Select(append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: ends}))
	if n == len(cases) {
		run.Check(frame)
	}
	return n, v, ok
}

func (b *body) emitSend(i *ssa.Send) {
	rt, x, v, pos := b.Types.Plain(i.Chan.Type()), b.operand(i.Chan), b.operand(i.X), i.Pos()
	b.emit(func(f unsafe.Pointer) {
		fault.Site(f, pos)
		c, value := reflect.NewAt(rt, unsafe.Add(f, x)).Elem(), reflect.NewAt(rt.Elem(), unsafe.Add(f, v)).Elem()
		if !c.IsNil() && c.TrySend(value) {
			return
		}
		wait(f, []reflect.SelectCase{{Dir: reflect.SelectSend, Chan: c, Send: value}})
	})
}

func (b *body) emitReceive(i *ssa.UnOp) {
	rt, x, d, pos := b.Types.Plain(i.X.Type()), b.operand(i.X), b.slot(i), i.Pos()
	okAt := uintptr(0)
	if i.CommaOk {
		okAt = d + b.Types.Of(i.Type()).Field(1).Offset
	}
	clear := slot.ClearerOf(rt.Elem())
	b.emit(func(f unsafe.Pointer) {
		fault.Site(f, pos)
		c := reflect.NewAt(rt, unsafe.Add(f, x)).Elem()
		var v reflect.Value
		var ok bool
		if !c.IsNil() {
			v, ok = c.TryRecv()
		}
		if !v.IsValid() {
			_, v, ok = wait(f, []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: c}})
		}
		if ok {
			reflect.NewAt(rt.Elem(), unsafe.Add(f, d)).Elem().Set(v)
		} else {
			clear(unsafe.Add(f, d))
		}
		if okAt != 0 {
			*slot.At[bool](f, okAt) = ok
		}
	})
}

// emitSelect emits a select statement. Its result is the index of the case, whether a value was received, and the
// received values of all receiving cases.
func (b *body) emitSelect(i *ssa.Select) {
	type state struct {
		rt     reflect.Type
		x, v   uintptr
		isSend bool
		result uintptr
	}
	d, pos := b.slot(i), i.Pos()
	tuple := b.Types.Of(i.Type())
	states := make([]state, len(i.States))
	received := 2
	for n, s := range i.States {
		states[n] = state{rt: b.Types.Plain(s.Chan.Type()), x: b.operand(s.Chan), isSend: s.Dir == types.SendOnly}
		if states[n].isSend {
			states[n].v = b.operand(s.Send)
		} else {
			states[n].result = d + tuple.Field(received).Offset
			received++
		}
	}
	okAt := d + tuple.Field(1).Offset
	blocking := i.Blocking
	b.emit(func(f unsafe.Pointer) {
		fault.Site(f, pos)
		cases := make([]reflect.SelectCase, len(states), len(states)+1)
		for n, s := range states {
			cases[n] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.NewAt(s.rt, unsafe.Add(f, s.x)).Elem()}
			if s.isSend {
				cases[n].Dir, cases[n].Send = reflect.SelectSend, reflect.NewAt(s.rt.Elem(), unsafe.Add(f, s.v)).Elem()
			}
		}
		var n int
		var v reflect.Value
		var ok bool
		if blocking {
			n, v, ok = wait(f, cases)
		} else {
			n, v, ok = reflect.Select(append(cases, reflect.SelectCase{Dir: reflect.SelectDefault}))
			if n == len(states) {
				n = -1
			}
		}
		*slot.At[int](f, d), *slot.At[bool](f, okAt) = n, ok
		for m, s := range states {
			if s.isSend {
				continue
			}
			to := reflect.NewAt(s.rt.Elem(), unsafe.Add(f, s.result)).Elem()
			if m == n && ok {
				to.Set(v)
			} else {
				to.SetZero()
			}
		}
	})
}
