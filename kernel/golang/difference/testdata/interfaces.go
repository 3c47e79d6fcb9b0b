package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

type Shape interface {
	Area() float64
	Perimeter() float64
}

type Circle struct{ R float64 }
type Rect struct{ W, H float64 }

func (c Circle) Area() float64      { return math.Round(c.R * c.R * 3) }
func (c Circle) Perimeter() float64 { return 6 * c.R }
func (r *Rect) Area() float64       { return r.W * r.H }
func (r *Rect) Perimeter() float64  { return 2 * (r.W + r.H) }

type Sizer interface{ Area() float64 }

type ReadWriter interface {
	io.Reader
	io.Writer
}

type upper struct{ r io.Reader }

func (u upper) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	copy(p, bytes.ToUpper(p[:n]))
	return n, err
}

type count int

func (c *count) Write(p []byte) (int, error) {
	*c += count(len(p))
	return len(p), nil
}

func main() {
	shapes := []Shape{Circle{2}, &Rect{3, 4}}
	total := 0.0
	for _, s := range shapes {
		total += s.Area() + s.Perimeter()
	}
	fmt.Println(total)
	var z Sizer = shapes[0]
	_, isShape := z.(Shape)
	c, isCircle := z.(Circle)
	fmt.Println(isShape, isCircle, c.R, shapes[0] == Circle{2}, shapes[1] == shapes[0])
	var rw ReadWriter = &bytes.Buffer{}
	fmt.Fprintf(rw, "hello %d", 5)
	data, _ := io.ReadAll(upper{rw})
	fmt.Println(string(data))
	var n count
	fmt.Fprintln(&n, "12345")
	io.Copy(&n, strings.NewReader("abc"))
	fmt.Println(n)
	var s Shape
	fmt.Println(s == nil)
	var st fmt.Stringer = time.Second
	fmt.Println(st.String(), st)
	sc := bufio.NewScanner(upper{strings.NewReader("a b\nc")})
	for sc.Scan() {
		fmt.Print(sc.Text(), ";")
	}
	fmt.Println()
	area := shapes[1].Area
	fmt.Println(area(), Shape.Area(shapes[0]), Sizer(shapes[1]).Area())
	var e interface{ Area() float64 } = Circle{1}
	fmt.Println(e.Area())
}
