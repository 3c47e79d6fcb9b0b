package main

import (
	"errors"
	"fmt"
	"runtime"
)

func catch(f func()) {
	defer func() {
		r := recover()
		re, ok := r.(runtime.Error)
		fmt.Println(ok, r)
		if ok {
			var e error = re
			fmt.Println(errors.As(e, &re))
		}
	}()
	f()
}
func main() {
	var m map[string]int
	var s []int
	n := 0
	catch(func() { m["a"] = 1 })
	catch(func() { s[n] = 1 })
	catch(func() { fmt.Println(1 / n) })
	catch(func() { panic(errors.New("plain")) })
}
