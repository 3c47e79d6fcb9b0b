package main

import "fmt"

type P struct{ n int }

func (p *P) String() string { return fmt.Sprint("P", p.n) }

type V struct{ n int }

func (v V) String() string {
	if v.n > 1 {
		panic("too much")
	}
	return fmt.Sprint("V", v.n)
}

type E struct{}

func (E) Error() string { panic(fmt.Errorf("bad")) }

func main() {
	var np *P
	var nv *V
	fmt.Println(nv, V{2}, V{1}, &V{1}, &P{1}, P{2})
	fmt.Printf("%v %s %d\n", E{}, []V{{1}, {2}}, V{7})
	fmt.Println([]*P{{1}}[0], struct{ P *P }{&P{1}}.P)
	defer func() { fmt.Println("recovered", recover() != nil) }()
	fmt.Println(np.String())
}
