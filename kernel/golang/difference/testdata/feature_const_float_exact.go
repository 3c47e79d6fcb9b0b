package main

import (
	"fmt"
)

const third = 1.0 / 3
const h = 6.62607015e-34

func main() {
	var f32 float32 = third
	fmt.Println(third*3 == 1, f32, float64(f32), h*1e34, 5/2, 5/2.0, 7%3, -7/2, 1<<3|1)
	const c = 'a' + 1
	fmt.Println(c, string(rune(c)))
}
