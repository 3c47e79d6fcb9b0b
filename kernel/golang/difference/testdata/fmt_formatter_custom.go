package main

import (
	"fmt"
	"io"
)

type V struct{ X, Y float64 }

func (v V) Format(s fmt.State, verb rune) {
	w, wok := s.Width()
	p, pok := s.Precision()
	switch verb {
	case 'v', 's':
		if s.Flag('+') {
			fmt.Fprintf(s, "V{x:%g y:%g}", v.X, v.Y)
			return
		}
		if s.Flag('#') {
			io.WriteString(s, "main.V!")
			return
		}
		fmt.Fprint(s, "(", v.X, ",", v.Y, ")")
	case 'f':
		fmt.Fprintf(s, fmt.FormatString(s, verb)+"/"+fmt.FormatString(s, verb), v.X, v.Y)
	default:
		fmt.Fprintf(s, "?%c %d %t %d %t %t", verb, w, wok, p, pok, s.Flag('-'))
	}
}

func main() {
	v := V{1, 2.5}
	fmt.Println(v, &v, []V{v}, map[string]V{"a": v})
	fmt.Printf("%+v %#v %s %.2f %6.1f %-8.3z %d\n", v, v, v, v, v, v, v)
	fmt.Printf("%v %+v %x\n", struct{ A V }{v}, []*V{nil}, [1]V{v})
}
