package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// What the rows work on is made once.

type Point struct{ X, Y int }

func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

type Shape interface{ Area() int }

type Square struct{ side int }

func (s *Square) Area() int { return s.side * s.side }

type Circle struct{ radius int }

func (c *Circle) Area() int { return 3 * c.radius * c.radius }

type ByX []Point

func (b ByX) Len() int           { return len(b) }
func (b ByX) Less(i, j int) bool { return b[i].X < b[j].X }
func (b ByX) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type Person struct {
	Name   string  `json:"name"`
	Age    int     `json:"age"`
	Height float64 `json:"height"`
	City   string  `json:"city"`
}

func draws(n int) []int {
	list, x := make([]int, n), 42
	for i := range list {
		x = (x*1103515245 + 12345) % 2147483648
		list[i] = x
	}
	return list
}

func texts(list []int) []string {
	var out []string
	for _, v := range list {
		out = append(out, strconv.Itoa(v%100000))
	}
	return out
}

func people(n int) []Person {
	var out []Person
	for i := 0; i < n; i++ {
		out = append(out, Person{"person " + strconv.Itoa(i), i % 90, float64(i%50)/4 + 150.125, "Ulm"})
	}
	return out
}

func points(list []int) []Point {
	var out []Point
	for i, v := range list {
		out = append(out, Point{v, i})
	}
	return out
}

var (
	numbers = draws(300000)
	words   = texts(numbers)
	text    = strings.Repeat("the quick brown fox jümps over the lazy dog ", 5000)
	crowd   = people(100000)
	plain   = marshal(crowd)
	spots   = points(numbers)
)

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// The rows.

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func additions(n int) int {
	t := 0
	for i := 0; i < n; i++ {
		t += i
	}
	return t
}

func roots(n int) int {
	t := 0.0
	for i := 0; i < n; i++ {
		t += math.Sqrt(float64(i))
	}
	return int(t)
}

func matmul(n int) int {
	a, b, c := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := range a {
		a[i], b[i], c[i] = make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range a[i] {
			a[i][j], b[i][j] = float64(i+j), float64(i-j)
		}
	}
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			s := 0.0
			for k := 0; k < n; k++ {
				s += a[i][k] * b[k][j]
			}
			c[i][j] = s
		}
	}
	return int(c[n-1][n-1])
}

func appends(n int) int {
	var list []int
	for i := 0; i < n; i++ {
		list = append(list, i)
	}
	t := 0
	for _, v := range list {
		t += v
	}
	return t
}

func counts(n int) int {
	m := map[string]int{}
	for _, w := range words[:n] {
		m[w]++
	}
	return m[words[0]] + len(m)
}

func places(n int) int {
	m := map[Point]int{}
	for i := 0; i < n; i++ {
		m[Point{i % 100, i % 7}]++
	}
	return len(m)
}

func entries(n int) int {
	m, t := map[int]int{}, 0
	for i := 0; i < 1000; i++ {
		m[i] = i
	}
	for i := 0; i < n; i++ {
		for k, v := range m {
			t += k - v + 1
		}
	}
	return t
}

func methods(n int) int {
	p, step := Point{}, Point{1, 2}
	for i := 0; i < n; i++ {
		p = p.Add(step)
	}
	return p.X + p.Y
}

func interfaces(n int) int {
	shapes, t := []Shape{&Square{3}, &Circle{2}}, 0
	for i := 0; i < n; i++ {
		t += shapes[i&1].Area()
	}
	return t
}

func closures(n int) int {
	t := 0
	add := func(k int) { t += k }
	for i := 0; i < n; i++ {
		add(i)
	}
	return t
}

func sortedInts(n int) int {
	list := slices.Clone(numbers[:n])
	slices.Sort(list)
	return list[n/2]
}

func sortedStrings(n int) int {
	list := slices.Clone(words[:n])
	sort.Strings(list)
	return len(list[n/2])
}

func sortedSlice(n int) int {
	list := slices.Clone(spots[:n])
	sort.Slice(list, func(i, j int) bool { return list[i].X < list[j].X })
	return list[n/2].X
}

func sortedBy(n int) int {
	list := slices.Clone(spots[:n])
	sort.Sort(ByX(list))
	return list[n/2].X
}

func sortedFunc(n int) int {
	list := slices.Clone(spots[:n])
	slices.SortFunc(list, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return list[n/2].X
}

func encoded(n int) int { return len(marshal(crowd[:n])) / n }

func decoded(n int) int {
	var list []Person
	if err := json.Unmarshal([]byte(plain), &list); err != nil {
		panic(err)
	}
	return len(list) + list[n-1].Age
}

func printed(n int) int {
	t := 0
	for i := 0; i < n; i++ {
		t += len(fmt.Sprintf("%d: %s %.2f", i, "item", float64(i)/3))
	}
	return t
}

func handed(n int) int {
	c, t := make(chan int), 0
	go func() {
		for i := 0; i < n; i++ {
			c <- i
		}
		close(c)
	}()
	for v := range c {
		t += v
	}
	return t
}

func buffered(n int) int {
	c, t := make(chan int, 128), 0
	go func() {
		for i := 0; i < n; i++ {
			c <- i
		}
		close(c)
	}()
	for v := range c {
		t += v
	}
	return t
}

func selects(n int) int {
	a, b, t := make(chan int), make(chan int), 0
	send := func(c chan int) {
		for i := 0; i < n; i++ {
			c <- i
		}
	}
	go send(a)
	go send(b)
	for i := 0; i < 2*n; i++ {
		select {
		case v := <-a:
			t += v
		case v := <-b:
			t -= v
		}
	}
	return t
}

func locks(n int) int {
	var mu sync.Mutex
	t := 0
	for i := 0; i < n; i++ {
		mu.Lock()
		t += i
		mu.Unlock()
	}
	return t
}

func deferred(n int) int {
	var mu sync.Mutex
	t := 0
	add := func(k int) {
		mu.Lock()
		defer mu.Unlock()
		t += k
	}
	for i := 0; i < n; i++ {
		add(i)
	}
	return t
}

func callbacks(n int) int {
	return len(strings.Map(func(r rune) rune {
		if r == 'e' {
			return 'i'
		}
		return r
	}, text[:n]))
}

func built(n int) int {
	var b strings.Builder
	for i := 0; i < n; i++ {
		b.WriteString("word ")
	}
	return len(b.String())
}

func split(n int) int {
	t := 0
	for i := 0; i < n; i++ {
		t += len(strings.Fields(text)) + len(strings.Split(text, " "))
	}
	return t
}

func characters(n int) int {
	t := 0
	for i := 0; i < n; i++ {
		for _, r := range text {
			if r == 'ü' {
				t++
			}
		}
	}
	return t
}

func converted(n int) int {
	t := 0
	for i := 0; i < n; i++ {
		v, err := strconv.Atoi(strconv.Itoa(i))
		if err != nil {
			panic(err)
		}
		t += v
	}
	return t
}
