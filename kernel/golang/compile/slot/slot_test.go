package slot

import (
	"fmt"
	"go/token"
	"go/types"
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// TestPlan: results come first, then parameters, each at its alignment. The offsets are worked out by hand.
func TestPlan(t *testing.T) {
	typ := func(expr string) types.Type {
		tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expr)
		expect.NoError(t, err)
		return tv.Type
	}
	for _, c := range []struct {
		signature       string
		results, params []int // from the head on; -1 takes no room
		end             int
	}{
		{"func()", nil, nil, 0},
		{"func(int8, int64, struct{}, string)", nil, []int{0, 8, -1, 16}, 32},
		{"func(bool, ...float64) (byte, [3]int16, error)", []int{0, 2, 8}, []int{24, 32}, 56},
		{"func(complex64, uint8) uint16", []int{0}, []int{4, 12}, 13},
	} {
		p := PlanOf(layout.New(nil), typ(c.signature).(*types.Signature))
		places := func(list []uintptr) (out []int) {
			for _, offset := range list {
				out = append(out, int(offset-HeadSize))
			}
			return out
		}
		for i, offset := range c.params {
			if offset < 0 { // no room lies at the head's end
				c.params[i] = 0
			}
		}
		got := fmt.Sprint(places(p.Results), places(p.Params), p.End-HeadSize)
		want := fmt.Sprint(c.results, c.params, c.end)
		if got != want {
			t.Errorf("%s: %s, want %s", c.signature, got, want)
		}
		if rt := p.Frame(); rt.Size() < p.End {
			t.Errorf("%s: a frame of %d bytes", c.signature, rt.Size())
		}
	}
}

type blank struct {
	a int8
	_ int32
	b string
}

// TestCopy copies and clears values of all classes.
func TestCopy(t *testing.T) {
	word := 7
	for _, c := range []struct {
		v     any
		class Class
	}{
		{struct{}{}, ClassZero}, {true, Class8}, {int16(-2), Class16}, {float32(2.5), Class32}, {uint64(9), Class64},
		{&word, ClassPointer}, {map[int]int{1: 2}, ClassPointer}, {struct{ p *int }{&word}, ClassPointer},
		{"text", ClassString}, {[]int{1, 2}, ClassSlice}, {[3]int16{1, 2, 3}, ClassBytes}, {complex(1, 2), ClassBytes},
		{[2]string{"a", "b"}, ClassOther}, {blank{a: 1, b: "x"}, ClassOther}, {struct{ s string }{"in"}, ClassString},
	} {
		rt := reflect.TypeOf(c.v)
		if got := ClassOf(rt); got != c.class {
			t.Errorf("%T is of class %d, want %d", c.v, got, c.class)
		}
		frame := reflect.New(reflect.ArrayOf(3, rt))
		frame.Elem().Index(0).Set(reflect.ValueOf(c.v))
		p, size := frame.UnsafePointer(), rt.Size()
		MoverOf(rt)(unsafe.Add(p, size), p)
		if step := Copy(rt, 2*size, size); step != nil {
			step(p)
		}
		for i := range 3 {
			if got := frame.Elem().Index(i).Interface(); !reflect.DeepEqual(got, c.v) {
				t.Errorf("copy %d of %#v is %#v", i, c.v, got)
			}
		}
		ClearerOf(rt)(unsafe.Add(p, size))
		if !frame.Elem().Index(1).IsZero() || !reflect.DeepEqual(frame.Elem().Index(2).Interface(), c.v) {
			t.Errorf("%T is cleared to %v next to %v", c.v, frame.Elem().Index(1), frame.Elem().Index(2))
		}
	}
}

// TestCopyDropsBlanks: what lies in a blank field is not copied, as == of memory must not see it.
func TestCopyDropsBlanks(t *testing.T) {
	from, to := blank{a: 1, b: "x"}, blank{}
	place := unsafe.Add(unsafe.Pointer(&from), 4)
	*(*int32)(place) = 99
	MoverOf(reflect.TypeFor[blank]())(unsafe.Pointer(&to), unsafe.Pointer(&from))
	if got := *(*int32)(unsafe.Add(unsafe.Pointer(&to), 4)); got != 0 || to.b != "x" {
		t.Errorf("the blank field holds %d, next to %q", got, to.b)
	}
}

// TestPass copies arguments from one frame to another, whatever their number and classes.
func TestPass(t *testing.T) {
	rt := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[string](),
		reflect.TypeFor[int8]()}
	type caller struct {
		a int
		b float64
		c string
		d int8
	}
	type callee struct {
		d int8
		c string
		b float64
		a int
	}
	f := caller{3, 2.5, "text", -4}
	from := []uintptr{unsafe.Offsetof(f.a), unsafe.Offsetof(f.b), unsafe.Offsetof(f.c), unsafe.Offsetof(f.d)}
	to := []uintptr{unsafe.Offsetof(callee{}.a), unsafe.Offsetof(callee{}.b), unsafe.Offsetof(callee{}.c),
		unsafe.Offsetof(callee{}.d)}
	for set := range 1 << len(rt) {
		var list []Argument
		var want callee
		for i := range rt {
			if set>>i&1 == 1 {
				list = append(list, Argument{To: to[i], From: from[i], Type: rt[i]})
				reflect.NewAt(rt[i], unsafe.Add(unsafe.Pointer(&want), to[i])).Elem().
					Set(reflect.NewAt(rt[i], unsafe.Add(unsafe.Pointer(&f), from[i])).Elem())
			}
		}
		var got callee
		Pass(list)(unsafe.Pointer(&got), unsafe.Pointer(&f))
		if got != want {
			t.Errorf("arguments %04b: %v, want %v", set, got, want)
		}
	}
}

// TestPointers lists where the collector finds pointers, in words.
func TestPointers(t *testing.T) {
	for want, v := range map[string]any{
		"[]": [4]int{}, "[0]": "", "[1]": struct {
			n int
			s []int
		}{}, "[0 1]": struct{ e error }{}, "[0 2 4]": [3]string{}, "[1 2 3]": struct {
			b byte
			m map[int]int
			f func()
			c chan int
		}{},
	} {
		var words []uintptr
		for _, offset := range Pointers(reflect.TypeOf(v), 0, nil) {
			words = append(words, offset/unsafe.Sizeof(offset))
		}
		if got := fmt.Sprint(words); got != want {
			t.Errorf("%T has pointers at %s, want %s", v, got, want)
		}
	}
	if n := len(Pointers(reflect.TypeFor[[1 << 20]string](), 0, nil)); n > 2*MaxPointers {
		t.Errorf("%d pointers are listed", n)
	}
}

// TestInteger reads integers of all kinds, of a frame and of variables.
func TestInteger(t *testing.T) {
	for _, c := range []struct {
		v    any
		want int
	}{
		{int(-5), -5}, {int8(-5), -5}, {int16(-300), -300}, {int32(-70000), -70000}, {int64(1 << 40), 1 << 40},
		{uint8(200), 200}, {uint16(60000), 60000}, {uint32(1 << 31), 1 << 31}, {uint(7), 7}, {uintptr(9), 9},
		{uint64(math.MaxUint64), -1},
	} {
		v := reflect.ValueOf(c.v)
		p := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int]()},
			{Name: "B", Type: v.Type()}}))
		p.Elem().Field(1).Set(v)
		frame, offset := p.UnsafePointer(), unsafe.Sizeof(int(0))
		for _, x := range []Ref{{Offset: offset}, {Memory: unsafe.Add(frame, offset)}} {
			if got := Integer(v.Kind(), x)(frame); got != c.want {
				t.Errorf("%T(%v) is %d, want %d", c.v, c.v, got, c.want)
			}
			if x.At(frame) != unsafe.Add(frame, offset) {
				t.Errorf("%v is elsewhere", x)
			}
		}
	}
}
