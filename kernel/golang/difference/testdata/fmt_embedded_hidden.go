// What package fmt sees of embedded structs without exported names, and of maps with keys that are not numbers.
package main

import (
	"fmt"
	"math"
	"time"
)

type level int

func (l level) String() string { return fmt.Sprintf("L%d", int(l)) }

type inner struct {
	l level
	L level
	I fmt.Stringer
	D time.Duration
	P *level
	M map[level][]level
}

func (inner) String() string { return "inner" }

type deeper struct {
	inner
	K level
}

func (deeper) String() string { return "deeper" }

type outer struct {
	deeper
	named inner
	N     level
}

func (outer) String() string { return "outer" }

type list []level

type holder struct {
	list
	*deeper
	fmt.Stringer
}

func (holder) String() string { return "holder" }

type plain struct{ deeper }

type both struct {
	plain
	list
}

func (both) Format(s fmt.State, verb rune) { fmt.Fprint(s, "both") }

type float float64

func main() {
	in := inner{l: 1, L: 2, I: level(3), D: 4, M: map[level][]level{5: {6}}}
	d := deeper{in, 7}
	type shown struct{ outer }
	type more struct {
		both
		x both
	}
	type quiet struct{ plain }
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%d", "%6v"} {
		fmt.Printf(format+"\n", in)
		fmt.Printf(format+"\n", struct {
			A outer
			outer
			b outer
		}{b: outer{deeper: d}})
		fmt.Printf(format+"\n", struct {
			inner
			deeper
		}{in, d})
		fmt.Printf(format+"\n", []any{shown{}, more{}, quiet{}, struct{ list }{list{1}}, struct {
			plain
			list
		}{plain{d}, list{2}}})
	}
	nan := math.NaN()
	fmt.Println(map[float64]level{nan: 1, 2: 2}, map[float]level{float(nan): 3, 1: 4})
	fmt.Printf("%#v %v\n", map[float]int{float(nan): 3, 1: 4}, map[[1]float]level{{float(nan)}: 1})
	fmt.Println(map[any]level{nan: 1}, map[struct{ f any }]level{{float(nan)}: 2})
}
