package main

import (
	"errors"
	"fmt"
)

type point struct {
	x, y int
	in   struct{ a, b float64 }
}

var (
	total, left, right int
	p                  point
	pp                 = &p
	row                [4]int
	grid               [2][3]uint8
	list               []int
	names              = []string{"c", "a", "b"}
	flag, other        bool
	text               = "t"
	small              uint8
	index              uint8
	ratio              float32
	bits               uint64 = 1 << 63
)

func bump() int {
	total += 10
	return total
}

// A variable that changes between its read and the end of the expression.
func order() {
	row[1] = 8
	defer func() { row[1], index = 0, 0 }()
	total = 1
	a := total
	total = 5
	fmt.Println(a+total, total)
	left, right = 1, 2
	left, right = right, left+right
	fmt.Println(left, right)
	left = left - right
	right = left - right
	fmt.Println(left, right)
	total = 3
	q := &total
	total += *q
	*q += total
	fmt.Println(total, *q)
	total = total*total - total
	fmt.Println(total)
	total = 0
	for i := range 3 {
		total += i
		defer func() { total -= i; fmt.Println("deferred", total) }()
	}
	kept := total
	bump()
	fmt.Println(kept + 1)
	was := flag
	flag = !flag
	if was {
		fmt.Println("was")
	}
	flag = was
	at := index
	index = 1
	fmt.Println(row[at] - row[index])
	if at := total; bump() > 0 && at < 100 {
		fmt.Println(at - 1)
	}
	b := bump()
	fmt.Println(b + total)
}

func parts() {
	p.x += 3
	p.y -= p.x
	p.in.a += 0.5
	p.in.b = p.in.a * 3
	pp.x *= 7
	pp.in.a -= p.in.b
	fmt.Println(p, *pp, p.x > p.y, p.in.a < p.in.b)
	row[2] += 4
	row[3] = row[2] * row[2]
	grid[1][2] -= 1
	grid[0][1] = grid[1][2] / 2
	for i := range row {
		row[i] += i
	}
	index = 2
	row[index]++
	fmt.Println(row, grid, row[index] == row[2])
	list = append(list, 1, 2, 3)
	for total = 0; total < len(list); total++ {
		list[total] *= total + 1
	}
	old := list
	list[1], list = 9, []int{7}
	list[0] += old[1]
	fmt.Println(list, old, names[index], len(names[0]))
}

func conditions() (s string) {
	for total = 0; total < 6; total++ {
		flag = !flag
		if flag {
			s += "f"
		}
		if flag && total > 2 || other {
			s += "o"
		}
		if text == "t" {
			text = "u"
			s += text
		}
		other = total == 4
		switch total {
		case 1:
			s += "1"
		case 3:
			s += "3"
		}
	}
	return s
}

func loops() {
	total = 0
outer:
	for left = 0; left < 5; left++ {
		for right = 0; right < 5; right++ {
			if right == 3 {
				continue outer
			}
			if left == 3 {
				break outer
			}
			total += left * right
		}
	}
	fmt.Println(total, left, right)
	i := 0
	goto middle
top:
	i += 2
middle:
	i++
	if i%2 == 0 {
		goto top
	}
	if i < 10 {
		goto middle
	}
	fmt.Println(i)
	for small = 250; small >= 250; small++ {
		ratio += 0.25
	}
	fmt.Println(small, ratio, bits>>62)
	for bits != 0 {
		bits <<= 1
	}
	fmt.Println(bits)
}

func faults(f func()) {
	defer func() {
		err, _ := recover().(error)
		fmt.Println(err, errors.Unwrap(err), total, row[0])
	}()
	f()
}

func main() {
	order()
	parts()
	fmt.Println(conditions())
	loops()
	total, small, left = 12, 0, 0
	faults(func() { total /= left })
	faults(func() { total = total % left })
	faults(func() { small = 3 / small })
	left = 9
	faults(func() { row[left] += 5 })
	faults(func() { list[left]++ })
	left = -1
	faults(func() { total <<= left })
	faults(func() { total = row[left] })
	pp = nil
	faults(func() { pp.x += 1 })
}
