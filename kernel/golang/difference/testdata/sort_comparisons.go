package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

type Item struct {
	Key  int
	Name string
	More [2]int8
}

type Items []Item

type Celsius float64

type Order struct{ sign int }

func (o Order) Compare(a, b Item) int { return o.sign * cmp.Compare(a.Key, b.Key) }

// trace has all comparisons, so that a sort which compares others is seen.
type trace struct{ hash, n uint64 }

func (t *trace) add(a, b int) {
	t.hash = (t.hash*31+uint64(a))*1099511628211 ^ uint64(b)
	t.n++
}

func pattern(kind string, n int) Items {
	var list Items
	x := uint32(7)
	for i := 0; i < n; i++ {
		x = x*1664525 + 1013904223
		key := 0
		switch kind {
		case "random":
			key = int(x >> 8)
		case "few":
			key = int(x>>8) % 5
		case "up":
			key = i
		case "down":
			key = -i
		case "pipe":
			key = min(i, n-i)
		case "saw":
			key = i % 17
		case "tail":
			key = i
			if i > n-4 {
				key = int(x>>8) % n
			}
		}
		list = append(list, Item{key, fmt.Sprint(i), [2]int8{int8(i), int8(i >> 8)}})
	}
	return list
}

func digest(list Items) (h uint64) {
	for _, v := range list {
		h = (h*31+uint64(v.Key))*1099511628211 ^ uint64(v.More[0])<<8 ^ uint64(uint8(v.More[1])) ^ uint64(len(v.Name))
	}
	return h
}

func main() {
	for _, kind := range []string{"random", "few", "up", "down", "pipe", "saw", "tail", "equal"} {
		for _, n := range []int{0, 1, 2, 3, 11, 12, 13, 50, 51, 200, 1500} {
			for name, sorted := range map[string]func(Items, *trace){
				"func": func(list Items, t *trace) {
					slices.SortFunc(list, func(a, b Item) int { t.add(a.Key, b.Key); return a.Key - b.Key })
				},
				"stable func": func(list Items, t *trace) {
					slices.SortStableFunc(list, func(a, b Item) int {
						t.add(a.Key, b.Key)
						return cmp.Compare(a.Key, b.Key)
					})
				},
				"slice": func(list Items, t *trace) {
					sort.Slice(list, func(i, j int) bool { t.add(i, j); return list[i].Key < list[j].Key })
				},
				"stable slice": func(list Items, t *trace) {
					sort.SliceStable([]Item(list), func(i, j int) bool {
						t.add(i, j)
						return list[i].Key < list[j].Key
					})
				},
				"inconsistent": func(list Items, t *trace) {
					slices.SortFunc(list, func(a, b Item) int { t.add(a.Key, b.Key); return int(t.hash>>60) - 8 })
				},
			} {
				list, t := pattern(kind, n), &trace{}
				sorted(list, t)
				if n < 4 || name != "func" && n != 200 {
					continue
				}
				sums[fmt.Sprint(kind, " ", n, " ", name)] = fmt.Sprintf("%x %d %x", digest(list), t.n, t.hash)
			}
		}
	}
	keys := make([]string, 0, len(sums))
	for k := range sums {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Println(k, sums[k])
	}
	values()
	faults()
}

var sums = map[string]string{}

func values() {
	temperatures := []Celsius{3, Celsius(math.NaN()), -1, Celsius(math.Inf(1)), 0}
	slices.SortFunc(temperatures, cmp.Compare[Celsius])
	fmt.Println(temperatures, cmp.Less(temperatures[0], temperatures[1]), cmp.Compare(temperatures[0], temperatures[0]))
	slices.SortFunc(temperatures, func(a, b Celsius) int { return -cmp.Compare(a, b) })
	fmt.Println(temperatures, cmp.Compare("b", "a"), cmp.Less[uint8](200, 100), cmp.Compare(-0.0, 0.0))
	words := strings.Fields("the Quick brown Fox jumps over the Lazy dog")
	slices.SortFunc(words, strings.Compare)
	fmt.Println(words)
	slices.SortStableFunc(words, func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	fmt.Println(words)
	list := pattern("random", 20)
	slices.SortFunc(list, Order{-1}.Compare)
	fmt.Println(list[0], list[19])
	by := map[string]func(a, b Item) int{"name": func(a, b Item) int { return cmp.Compare(a.Name, b.Name) }}
	slices.SortFunc(list, by["name"])
	fmt.Println(list[0], list[19])
	nested := [][]int{{3, 1}, {2}, {9, 8, 7}, nil}
	slices.SortFunc(nested, func(a, b []int) int {
		slices.SortFunc(a, func(x, y int) int { return x - y })
		slices.SortFunc(b, func(x, y int) int { return x - y })
		return slices.Compare(a, b)
	})
	fmt.Println(nested)
	var deep func(depth int) func(a, b int) int
	deep = func(depth int) func(a, b int) int {
		return func(a, b int) int {
			if depth > 0 {
				pair := []int{a, b}
				slices.SortFunc(pair, deep(depth-1))
				if pair[0] == a {
					return -1
				}
				return 1
			}
			return a - b
		}
	}
	numbers := []int{5, 2, 8, 1}
	slices.SortFunc(numbers, deep(3))
	fmt.Println(numbers)
	empty := make([]struct{}, 5)
	n := 0
	slices.SortFunc(empty, func(a, b struct{}) int { n++; return 0 })
	fmt.Println(n)
	pointers := []*Item{{Key: 2}, {Key: 1}, nil}
	slices.SortFunc(pointers, func(a, b *Item) int {
		switch {
		case a == nil || b == nil:
			return 0
		}
		return a.Key - b.Key
	})
	fmt.Println(pointers[0].Key, pointers[1].Key, pointers[2])
	held := []any{2, "b", 1, "a"}
	sort.Slice(held, func(i, j int) bool { return fmt.Sprint(held[i]) < fmt.Sprint(held[j]) })
	fmt.Println(held)
}

func try(what string, f func()) {
	defer func() { fmt.Println(what, recover()) }()
	f()
}

func faults() {
	list := []int{4, 3, 2, 1}
	n := 0
	compare := func(a, b int) int {
		if n++; n == 3 {
			panic(fmt.Sprintf("compared %d and %d", a, b))
		}
		return a - b
	}
	try("panic", func() { slices.SortFunc(list, compare) })
	fmt.Println(list)
	slices.SortFunc(list, compare)
	fmt.Println(list)
	try("nil", func() { slices.SortFunc(list, nil) })
	try("nil less", func() { sort.Slice(list, nil) })
	try("nil less of a cell's slices", func() { sort.Slice(Items{{}, {}}, nil) })
	sort.Slice(Items{{}}, nil)
	try("short", func() { slices.SortFunc(list[:1], nil) })
	try("not a slice", func() { sort.Slice(3, func(i, j int) bool { return false }) })
	try("nil slice", func() { sort.Slice(nil, func(i, j int) bool { return false }) })
	try("index", func() { sort.Slice(list, func(i, j int) bool { return list[i+4] < 0 }) })
	slices.SortFunc(list, func(a, b int) (r int) {
		defer func() {
			if recover() != nil {
				r = b - a
			}
		}()
		panic(a)
	})
	fmt.Println(list)
}
