// Verbs of package fmt for types of the program, also those that do not fit.
package main

import "fmt"

type Weekday uint8

const (
	Mon Weekday = iota
	Tue
	Wed
)

func (d Weekday) String() string { return [...]string{"Mon", "Tue", "Wed"}[d] }

type Inner struct {
	D Weekday
	p *Weekday
}
type Outer struct {
	Inner
	Name string
	L    []Weekday
	M    map[Weekday]Inner
	A    any
	E    error
	F    func()
	C    chan int
}
type St struct{ v int }

func (s *St) String() string { return fmt.Sprint("St", s.v) }

type Fm struct{ v int }

func (f Fm) Format(s fmt.State, c rune) {
	w, ok := s.Width()
	fmt.Fprintf(s, "<%c %d %v %v>", c, w, ok, s.Flag('+'))
}

type Gs int

func (g Gs) GoString() string { return "Gs!" }

type Pn struct{}

func (Pn) String() string { panic("no") }

type Er struct{ St }

func (Er) Error() string { return "er" }

type Rec struct {
	n    int
	next *Rec
}
type By []byte
type Bs []Weekday
type Ar [3]byte
type emb struct {
	fmt.Stringer
	n int
}

func main() {
	w := Tue
	o := Outer{Inner: Inner{Wed, &w}, Name: "n", L: []Weekday{Mon, Tue}, M: map[Weekday]Inner{Tue: {}}, A: Mon}
	o.Inner.p = nil
	for _, f := range []string{"%v", "%+v", "%s", "%d", "%x", "%T", "%q"} {
		fmt.Printf(f+"\n", o)
	}
	fmt.Printf("%#v\n", o.Inner)
	fmt.Printf("%v %+v %s %d\n", St{1}, &St{2}, []*St{nil}, []St{{3}})
	fmt.Printf("%v %+8v %s %#v\n", Fm{1}, []Fm{{2}}, map[string]Fm{"a": {}}, struct{ F Fm }{})
	fmt.Printf("%#v %v %#v %#v\n", Gs(1), Gs(1), []Gs{1}, struct {
		g Gs
		G Gs
	}{1, 2})
	fmt.Printf("%v %s|%v\n", Pn{}, []Pn{{}}, (*St)(nil))
	fmt.Println(Er{}, []Er{{}}, &Er{})
	fmt.Printf("%+v %v\n", Rec{1, nil}, &Rec{1, nil})
	fmt.Printf("%v %s %x %q %v %s %d %x\n", By("hi"), By("hi"), By("hi"), By("hi"), Ar{1, 2, 3}, Ar{65, 66}, Bs{1,
		2}, Bs{1, 2})
	fmt.Printf("%6.2f|%-8s|%08b|%+d|%x|%X|%o|%e|%g|%U|%c|%t|%p\n", 3.14159, Tue, 5, 3, "hi", -255, 8, 1234.5, 1e21,
		'⌘', 0x1F600, true, nil)
	fmt.Printf("%[2]d %[1]d %d %[1]*d %v %!|%z %d\n", 1, 2, 3)
	fmt.Printf("%v %v %v\n", struct{}{}, [0]int{}, (*int)(nil))
	fmt.Printf("%v %+v %#v %T\n", emb{n: 1}.n, struct {
		A any
		B error
	}{}, struct {
		A any
		B error
		C *int
		D []int
		M map[string]int
	}{}, struct {
		A int `json:"x"`
	}{})
	fmt.Printf("%5t|%-5d|%05d|%x|% x|%#x|%+q|%#q|%08.3f|%+.2e\n", true, 3, -3, []byte{1, 171}, []byte{1, 171},
		[]byte{1, 171}, "é", "a`b", -3.14159, 12345.678)
	fmt.Printf("%v %v %.2f %v\n", 1+2i, complex64(1), 1.234+5i, [2]bool{true})
	fmt.Printf("%s %d %v\n", error(nil), []any{1, "a", nil}, []error{nil})
	fmt.Printf("%T %T %T %T %T\n", o.F, o.C, o.M, [2]*Weekday{}, func(Weekday, ...Inner) (error, Bs) {
		return nil,
			nil
	})
	fmt.Printf("%T %T %T\n", struct {
		Weekday
		x *Inner
	}{}, make(<-chan Weekday), map[Bs2]any{})
	fmt.Println(fmt.Sprint("a", 1, 2, "b", "c", 3.0, nil, Tue, Mon), fmt.Sprintln("x", Tue))
	fmt.Printf("%!d %d\n", "s")
	fmt.Printf("%d\n", 1, 2)
	fmt.Printf("%s\n", 42)
	fmt.Printf("%*d|%-*d|%.*f\n", 5, 1, 5, 2, 2, 3.14159)
}

type Bs2 [1]Weekday
