package main

import (
	"fmt"
)

func f(x any) (s string) {
loop:
	for i := 0; ; i++ {
		switch v := x.(type) {
		case int:
			if v > 2 {
				break loop
			}
			x = v + 1
			continue
		case string:
			if i > 0 {
				break
			}
			x = len(v)
			goto done
		default:
			return fmt.Sprintf("default %v", v)
		}
		s += "after "
		x = 2.5
	}
	return s + fmt.Sprint(x)
done:
	return s + "done" + fmt.Sprint(x)
}

func main() {
	fmt.Println(f(0), f("abc"), f(nil))
	switch any(3).(type) {
	}
	switch y := f(9); z := any(y).(type) {
	case string:
		fmt.Println(y == z)
	}
}
