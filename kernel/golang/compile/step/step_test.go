package step

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/snippet"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// frame has a result and two operands.
type frame struct {
	run.Head
	d, x, y [2]uint64
}

// places are the ways in which a result and two operands may lie in a frame or in variables.
const places = 1 << 3

// at is where the value of a way lies: in the frame at an offset, or elsewhere.
func at(way, bit int, offset uintptr, elsewhere *[2]uint64) slot.Ref {
	if way>>bit&1 == 1 {
		return slot.Ref{Memory: unsafe.Pointer(elsewhere)}
	}
	return slot.Ref{Offset: offset}
}

// ending is the text of a panic, "" if there is none.
func ending(f func()) (text string) {
	defer func() {
		if err, ok := recover().(runtime.Error); ok {
			text = err.Error()
		}
	}()
	f()
	return ""
}

// binary checks x op y, and x op with constants, against compiled Go, for all places of the values.
func binary[T, C, R comparable](t *testing.T, op string, xs []T, ys []C, compiled func(T, C) R) {
	t.Helper()
	typ, count, result := fmt.Sprintf("%T", *new(T)), fmt.Sprintf("%T", *new(C)), fmt.Sprintf("%T", *new(R))
	source := fmt.Sprintf("func f(x %s, y %s) %s { return x %s y }", typ, count, result, op)
	i := snippet.First[*ssa.BinOp](t, source)
	kind, right := reflect.TypeFor[T]().Kind(), reflect.TypeFor[C]().Kind()
	for way := range places {
		var d, vx, vy [2]uint64
		to := at(way, 0, unsafe.Offsetof(frame{}.d), &d)
		x, y := at(way, 1, unsafe.Offsetof(frame{}.x), &vx), at(way, 2, unsafe.Offsetof(frame{}.y), &vy)
		var do run.Instr
		if reflect.TypeFor[R]().Kind() == reflect.Bool {
			if to.Memory != nil {
				continue
			}
			holds := Compare(i, kind, x, y)
			do = func(f unsafe.Pointer) { *slot.At[bool](f, to.Offset) = holds(f) }
		} else {
			do = Binary(i, kind, right, to, x, y)
		}
		for _, vx := range xs {
			for _, vy := range ys {
				f := new(frame)
				p := unsafe.Pointer(f)
				*(*T)(x.At(p)), *(*C)(y.At(p)) = vx, vy
				var want R
				wrong := ending(func() { want = compiled(vx, vy) })
				if got := ending(func() { do(p) }); got != wrong {
					t.Errorf("%v %s %v of %s ends with %q, want %q", vx, op, vy, typ, got, wrong)
					continue
				}
				if got := *(*R)(to.At(p)); wrong == "" && got != want && !(got != got && want != want) {
					t.Errorf("%v %s %v of %s, places %03b: %v, want %v", vx, op, vy, typ, way, got, want)
				}
			}
		}
	}
}

func integers[T integer](t *testing.T) {
	t.Helper()
	top := T(1) << (unsafe.Sizeof(T(0))*8 - 1)
	xs := []T{0, 1, 2, 3, 5, 7, 100, top - 1, top, top + 1, ^T(0), ^T(0) - 6}
	binary(t, "+", xs, xs, func(x, y T) T { return x + y })
	binary(t, "-", xs, xs, func(x, y T) T { return x - y })
	binary(t, "*", xs, xs, func(x, y T) T { return x * y })
	binary(t, "/", xs, xs, func(x, y T) T { return x / y })
	binary(t, "%", xs, xs, func(x, y T) T { return x % y })
	binary(t, "&", xs, xs, func(x, y T) T { return x & y })
	binary(t, "|", xs, xs, func(x, y T) T { return x | y })
	binary(t, "^", xs, xs, func(x, y T) T { return x ^ y })
	binary(t, "&^", xs, xs, func(x, y T) T { return x &^ y })
	shifts(t, xs, []int{0, 1, 6, 7, 8, 31, 32, 63, 64, 200, -1})
	shifts(t, xs, []int8{0, 1, 7, 100, -1, -128})
	shifts(t, xs, []uint8{0, 1, 8, 64, 255})
	shifts(t, xs, []uint64{0, 3, 63, 64, 1 << 32, 1 << 63})
	ordered(t, xs)
}

func shifts[T, C integer](t *testing.T, xs []T, counts []C) {
	t.Helper()
	binary(t, "<<", xs, counts, func(x T, n C) T { return x << n })
	binary(t, ">>", xs, counts, func(x T, n C) T { return x >> n })
}

func ordered[T integer | float | ~string](t *testing.T, xs []T) {
	t.Helper()
	binary(t, "<", xs, xs, func(x, y T) bool { return x < y })
	binary(t, "<=", xs, xs, func(x, y T) bool { return x <= y })
	binary(t, ">", xs, xs, func(x, y T) bool { return x > y })
	binary(t, ">=", xs, xs, func(x, y T) bool { return x >= y })
	binary(t, "==", xs, xs, func(x, y T) bool { return x == y })
	binary(t, "!=", xs, xs, func(x, y T) bool { return x != y })
}

func floats[T float](t *testing.T) {
	t.Helper()
	xs := []T{0, 1, -1, .1, -2.5, 1e30, T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN()), T(math.Copysign(0, -1))}
	binary(t, "+", xs, xs, func(x, y T) T { return x + y })
	binary(t, "-", xs, xs, func(x, y T) T { return x - y })
	binary(t, "*", xs, xs, func(x, y T) T { return x * y })
	binary(t, "/", xs, xs, func(x, y T) T { return x / y })
	ordered(t, xs)
}

// TestBinary compares operators with compiled Go: by type, operator, values, and where these lie.
func TestBinary(t *testing.T) {
	t.Run("int", integers[int])
	t.Run("int8", integers[int8])
	t.Run("int16", integers[int16])
	t.Run("int32", integers[int32])
	t.Run("int64", integers[int64])
	t.Run("uint", integers[uint])
	t.Run("uint8", integers[uint8])
	t.Run("uint16", integers[uint16])
	t.Run("uint32", integers[uint32])
	t.Run("uint64", integers[uint64])
	t.Run("uintptr", integers[uintptr])
	t.Run("float32", floats[float32])
	t.Run("float64", floats[float64])
	t.Run("string", func(t *testing.T) { ordered(t, []string{"", "a", "ab", "b"}) })
	t.Run("bool", func(t *testing.T) {
		both := []bool{false, true}
		binary(t, "==", both, both, func(x, y bool) bool { return x == y })
		binary(t, "!=", both, both, func(x, y bool) bool { return x != y })
	})
}

// TestConstant compares operators whose right side is a constant.
func TestConstant(t *testing.T) {
	xs := []int{0, 1, -1, 7, -8, math.MaxInt, math.MinInt}
	for expr, compiled := range map[string]func(x int) int{
		"x + 3": func(x int) int { return x + 3 }, "x - 3": func(x int) int { return x - 3 },
		"x * 3": func(x int) int { return x * 3 }, "x / 3": func(x int) int { return x / 3 },
		"x % 2": func(x int) int { return x % 2 }, "x % 5": func(x int) int { return x % 5 },
		"x & 6": func(x int) int { return x & 6 }, "x | 6": func(x int) int { return x | 6 },
		"x << 2": func(x int) int { return x << 2 }, "x >> 1": func(x int) int { return x >> 1 },
	} {
		i := snippet.First[*ssa.BinOp](t, "func f(x int) int { return "+expr+" }")
		constant, _ := constantOf[int](i.Y)
		for _, same := range []bool{false, true} { // the result takes the operand's place
			for way := range places / 2 {
				var d, vx [2]uint64
				to, x := at(way, 0, unsafe.Offsetof(frame{}.d), &d), at(way, 1, unsafe.Offsetof(frame{}.x), &vx)
				if same {
					to = x
				}
				y := slot.Ref{Offset: unsafe.Offsetof(frame{}.y)}
				step := Binary(i, reflect.Int, reflect.Int, to, x, y)
				for _, v := range xs {
					p := unsafe.Pointer(new(frame))
					*(*int)(x.At(p)), *(*int)(y.At(p)) = v, constant
					step(p)
					if got, want := *(*int)(to.At(p)), compiled(v); got != want {
						t.Errorf("%s for %d, places %02b: %d, want %d", expr, v, way, got, want)
					}
				}
			}
		}
	}
}

// TestUnary compares the operators on one value.
func TestUnary(t *testing.T) {
	do := func(expr, typ string, kind reflect.Kind, x uint64) uint64 {
		i := snippet.First[*ssa.UnOp](t, "func f(x "+typ+") "+typ+" { return "+expr+" }")
		f := &frame{x: [2]uint64{x}}
		Unary(i, kind, unsafe.Offsetof(frame{}.d), unsafe.Offsetof(frame{}.x))(unsafe.Pointer(f))
		return f.d[0]
	}
	for _, c := range []struct {
		expr, typ string
		kind      reflect.Kind
		x, want   uint64
	}{
		{"-x", "int8", reflect.Int8, 5, 0xFB}, {"^x", "int8", reflect.Int8, 5, 0xFA},
		{"-x", "uint16", reflect.Uint16, 5, 0xFFFB}, {"^x", "uint16", reflect.Uint16, 5, 0xFFFA},
		{"-x", "int32", reflect.Int32, 5, 0xFFFFFFFB}, {"^x", "uint", reflect.Uint, 5, ^uint64(5)},
		{"-x", "int", reflect.Int, 5, ^uint64(5) + 1}, {"!x", "bool", reflect.Bool, 1, 0}, {"!x", "bool", reflect.Bool, 0, 1},
		{"-x", "float32", reflect.Float32, uint64(math.Float32bits(2)), uint64(math.Float32bits(-2))},
		{"-x", "float64", reflect.Float64, math.Float64bits(2), math.Float64bits(-2)},
	} {
		if got := do(c.expr, c.typ, c.kind, c.x); got != c.want {
			t.Errorf("%s of %s %#x: %#x, want %#x", c.expr, c.typ, c.x, got, c.want)
		}
	}
}

// TestConvert compares conversions of numbers with those of package reflect. Floating-point numbers fit all kinds: else
// the result depends on the processor.
func TestConvert(t *testing.T) {
	numbers := []any{int(-3), int8(-100), int16(300), int32(-70000), int64(1 << 40), uint(7), uint8(200), uint16(60000),
		uint32(1 << 31), uint64(1 << 50), uintptr(9), float32(2.75), float64(100.5)}
	for _, from := range numbers {
		for _, to := range numbers {
			f, x, want := new(frame), reflect.ValueOf(from), reflect.ValueOf(from).Convert(reflect.TypeOf(to))
			p := unsafe.Pointer(f)
			d, s := unsafe.Offsetof(f.d), unsafe.Offsetof(f.x)
			reflect.NewAt(x.Type(), unsafe.Add(p, s)).Elem().Set(x)
			Convert(x.Kind(), want.Kind(), d, s)(p)
			if got := reflect.NewAt(want.Type(), unsafe.Add(p, d)).Elem(); !got.Equal(want) {
				t.Errorf("%T(%v) as %T: %v, want %v", from, from, to, got, want)
			}
		}
	}
}

// TestExtreme compares min and max of three values.
func TestExtreme(t *testing.T) {
	offsets := []uintptr{unsafe.Offsetof(frame{}.x), unsafe.Offsetof(frame{}.y), unsafe.Offsetof(frame{}.d)}
	values := []float64{2, -1, math.Copysign(0, -1), 0, math.NaN(), math.Inf(-1)}
	for _, a := range values {
		for _, b := range values {
			for _, least := range []bool{false, true} {
				f := new(frame)
				p := unsafe.Pointer(f)
				*slot.At[float64](p, offsets[0]), *slot.At[float64](p, offsets[1]) = a, b
				Extreme(least, reflect.Float64, offsets[:2], offsets[2])(p)
				want := max(a, b)
				if least {
					want = min(a, b)
				}
				got := *slot.At[float64](p, offsets[2])
				if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("least %v of %v and %v: %v, want %v", least, a, b, got, want)
				}
			}
		}
	}
}
