// Panics of the runtime are values of the runtime's types.
package main

import (
	"errors"
	"fmt"
	"runtime"
)

type list struct{ items []int }

type pair[T any] struct{ a, b T }

type namer interface{ Name() string }

type named struct{}

func (named) Name() string { return "" }

var zero, negative, huge = 0, -1, uint64(1) << 63

func catch(name string, f func()) {
	defer func() {
		r := recover()
		err, ok := r.(error)
		var wrong *runtime.TypeAssertionError
		as := errors.As(fmt.Errorf("wrapped: %w", err), &wrong)
		_, is := r.(*runtime.TypeAssertionError)
		_, fault := r.(runtime.Error)
		fmt.Printf("%s: %v %T %v %v %v %v\n", name, r, r, ok, fault, is, as)
		if as {
			fmt.Println(wrong.Error() == err.Error())
		}
	}()
	f()
}

func is[T any](v any) { _ = v.(T) }

func main() {
	s, str, arr := []int{1, 2, 3}, "text", [3]int{}
	for i, f := range []func(){
		func() { _ = s[3+zero] },
		func() { _ = s[negative] },
		func() { _ = s[huge] },
		func() { _ = str[9+zero] },
		func() { _ = arr[negative] },
		func() { _ = s[2+zero : 1] },
		func() { _ = s[:9+zero] },
		func() { _ = s[huge:] },
		func() { _ = s[negative:] },
		func() { _ = s[:negative] },
		func() { _ = str[9+zero:] },
		func() { _ = str[:negative] },
		func() { _ = arr[:9+zero] },
		func() { _ = s[: 1 : 9+zero] },
		func() { _ = arr[: 1 : 9+zero] },
		func() { _ = s[: 3 : 2+zero] },
		func() { _ = s[3+zero : 2+zero : 3] },
		func() { _ = s[negative:2:3] },
		func() { _ = s[:negative:3] },
		func() { _ = s[:0:huge] },
		func() { _ = [4]int(s) },
		func() { _ = (*[9]int)(s) },
		func() { _ = make([]int, negative) },
		func() { _ = make([]int, 2, 1+zero) },
		func() { _ = make(chan int, negative) },
		func() { _ = 1 / zero },
		func() { _ = 1 << negative },
		func() { var m map[int]int; m[1] = 1 },
	} {
		catch(fmt.Sprint(i), f)
	}
	for i, f := range []func(){
		func() { is[int](nil) },
		func() { is[int]("x") },
		func() { is[list](&list{}) },
		func() { is[namer](list{}) },
		func() { is[namer](nil) },
		func() { is[pair[int]](pair[string]{}) },
		func() { is[fmt.Stringer](named{}) },
		func() { var n namer = named{}; _ = n.(fmt.Stringer) },
		func() { var n namer = named{}; _ = n.(*list2) },
		func() { type list struct{}; is[list](any(mine())) },
		func() { _ = any(list{}) == any(list{}) },
		func() { _ = map[any]int{}[list{}] },
		func() { _ = map[any]int{}[s] },
		func() { _ = any(s) == any(s) },
	} {
		catch(fmt.Sprint("types ", i), f)
	}
}

type list2 struct{ named }

func mine() any {
	type list struct{}
	return list{}
}
