package bridge

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"regexp/syntax"
	"runtime/debug"
	"testing"
)

type read struct {
	Name  string
	Age   int `json:"age"`
	Small int8
	Count uint16
	High  float64 `json:"high"`
	Low   float32
	On    bool
	Next  *read1
	List  []read1
	Grid  [][]int
	Lone  string `json:"-"`
}

type read1 struct {
	A string
	B int `json:"a b"`
}

// around and round contain each other.
type around struct{ List []round }
type round struct{ Back *around }

// TestFillersReadAsCompiled: what a filler accepts is what encoding/json accepts, and it fills memory with the same.
func TestFillersReadAsCompiled(t *testing.T) {
	fill := fillerOf(reflect.TypeFor[[]read]())
	if fill == nil {
		t.Fatal("encoding/json must read a struct of basic types")
	}
	const good = `[{"Name":"ab\n\u00e9 ü","age":-12,"Small":127,"Count":65535,"high":-1.5e-3,"Low":0.1,"On":true,
"Next":{"A":"x","a b":0},"List":[{"A":"","a b":7},{"a b":1,"A":"y"}],"Grid":[[1,2],[],null]},
{"NAME":"fold","more":[1,{"x":"\""},false,null,-0.0e+1],"Lone":"l","-":"m","Next":null,"On":false},null,{}]`
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for n := range 40000 {
		data := []byte(good)
		if n > 0 {
			for range 1 + random.IntN(3) {
				at, signs := random.IntN(len(data)), `{}[]",:\ 0129.-+eEtrufalsn`+"\x00\xff\xc3\n"
				switch random.IntN(3) {
				case 0:
					data[at] = signs[random.IntN(len(signs))]
				case 1:
					data = append(data[:at], data[at+1:]...)
				case 2:
					data = append(data[:at], append([]byte{signs[random.IntN(len(signs))]}, data[at:]...)...)
				}
			}
		}
		var got, want []read
		err := json.Unmarshal(data, &want)
		in := &text{data: data}
		switch accepts := fill(in, reflect.ValueOf(&got).UnsafePointer()) && in.atEnd(); {
		case accepts && err != nil:
			t.Fatalf("%q is accepted: %v", data, err)
		case accepts && (!reflect.DeepEqual(got, want) || cap(got) != cap(want)):
			t.Fatalf("%q: %+v, want %+v", data, got, want)
		case accepts:
			accepted++
		case n == 0:
			t.Fatal("a good text is not accepted")
		}
	}
	if least := 5000; accepted < least {
		t.Errorf("%d texts accepted, want %d", accepted, least)
	}
}

// TestFillersRefuse what only encoding/json can read.
func TestFillersRefuse(t *testing.T) {
	for _, rt := range []reflect.Type{
		reflect.TypeFor[[]byte](), reflect.TypeFor[any](), reflect.TypeFor[map[string]int](),
		reflect.TypeFor[json.RawMessage](), reflect.TypeFor[struct {
			A int `json:",string"`
		}](), reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
			{Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
		}), reflect.TypeFor[struct{ read1 }](), reflect.TypeFor[complex128](),
		reflect.TypeFor[debug.Module](), reflect.TypeFor[*debug.Module](), reflect.TypeFor[[]syntax.Regexp](),
		reflect.TypeFor[struct{ A around }](), reflect.TypeFor[round](),
		reflect.TypeFor[json.Number](), reflect.TypeFor[struct{ A []json.Number }](),
	} {
		if fillerOf(rt) != nil {
			t.Errorf("%s has a filler", rt)
		}
	}
	for _, c := range []struct {
		rt        reflect.Type
		zero, any bool
	}{
		{reflect.TypeFor[read1](), true, true}, {reflect.TypeFor[read](), true, false},
		{reflect.TypeFor[struct{ a int }](), false, false}, {reflect.TypeFor[[2]*int](), true, false},
	} {
		if isWhole(c.rt, true) != c.zero || isWhole(c.rt, false) != c.any {
			t.Errorf("%s: %v %v", c.rt, isWhole(c.rt, true), isWhole(c.rt, false))
		}
	}
}
