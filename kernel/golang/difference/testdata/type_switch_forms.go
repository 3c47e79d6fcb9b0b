package main

import (
	"errors"
	"fmt"
	"io"
)

type Celsius float64
type Point struct{ X, Y int }
type Stack []int

func (p *Point) String() string { return "*P" }

func name(x any) string {
	switch v := x.(type) {
	case nil:
		return "nil"
	case int, int64:
		return fmt.Sprintf("integer %v", v)
	case Celsius:
		return fmt.Sprintf("celsius %.1f", float64(v)+1)
	case float64:
		return fmt.Sprint("float ", v*2)
	case Point:
		return fmt.Sprint("point ", v.X)
	case fmt.Stringer:
		return "stringer " + v.String()
	case error:
		return "error " + v.Error()
	case []int, Stack:
		return fmt.Sprintf("ints %T", v)
	case func() int:
		return fmt.Sprint("func ", v())
	case map[string]Point:
		return fmt.Sprint("map ", len(v))
	case chan<- int:
		return "chan"
	case *any:
		return "any pointer"
	case [2]Celsius:
		return fmt.Sprint("arr", v[1])
	}
	return fmt.Sprintf("? %T", x)
}

func main() {
	var a any = 1
	for _, x := range []any{nil, 1, int64(2), int8(3), Celsius(4), 5.5, Point{6, 6}, &Point{}, errors.New("e"),
		[]int{}, Stack{},
		func() int { return 7 }, map[string]Point{}, make(chan<- int), make(chan int), &a, [2]Celsius{1, 2},
		[2]float64{}, io.EOF, struct{}{}} {
		fmt.Println(name(x))
	}
}
