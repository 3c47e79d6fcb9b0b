// Texts, package unsafe, and numbers that overflow.
package main

import (
	"bytes"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

type S string
type B []byte
type R []rune
type hdr struct {
	a int8
	b int64
	c int16
	d [3]byte
	e string
}

func main() {
	var sb strings.Builder
	sb.WriteString("a")
	fmt.Fprintf(&sb, "%d", 3)
	func() { defer func() { fmt.Println(recover()) }(); c := sb; c.WriteString("x") }()
	fmt.Println(sb.String(), sb.Len())
	s := S("héllo, 世界")
	for i, r := range s {
		fmt.Print(i, ":", string(r), " ")
	}
	fmt.Println(len(s), utf8.RuneCountInString(string(s)))
	fmt.Println(B(s)[1], R(s)[1], string(B(s)), string(R(s)[:3]), S(B("x")), string(rune(0x4e16)), S(rune(65)))
	for i, r := range "a\xffb" {
		fmt.Print(i, r, " ")
	}
	fmt.Println([]rune("\xff"), string([]rune{-1, 0x110000}))
	b := []byte("abc")
	m := map[string]int{"abc": 1}
	fmt.Println(m[string(b)], string(b) == "abc")
	b2 := append([]byte("x"), "yz"...)
	fmt.Println(string(b2), copy(b, S("ZZ")), string(b))
	fmt.Println(unsafe.Sizeof(hdr{}), unsafe.Alignof(hdr{}.b), unsafe.Offsetof(hdr{}.d), unsafe.String(&b[0], 2),
		unsafe.Slice(&b[1], 2), *unsafe.StringData("q"), *unsafe.SliceData(b))
	x := 0x3ff0000000000000
	fmt.Println(*(*float64)(unsafe.Pointer(&x)), *(*[2]int32)(unsafe.Pointer(&[]int64{1<<32 | 7}[0])))
	arr := [4]int32{1, 2, 3, 4}
	p := (*int32)(unsafe.Add(unsafe.Pointer(&arr), 8))
	*p = 30
	fmt.Println(arr, *(*int32)(unsafe.Pointer(uintptr(unsafe.Pointer(&arr)) + 4)))
	func() { defer func() { fmt.Println(recover()) }(); n := -1; _ = unsafe.Slice(&b[0], n) }()
	func() { defer func() { fmt.Println(recover()) }(); var q *byte; n := 1; _ = unsafe.String(q, n) }()
	fmt.Println(strings.Map(func(r rune) rune {
		if r == 'l' {
			return -1
		}
		return r + 1
	}, "hello"), strings.FieldsFunc("a1b2c", func(r rune) bool { return r < 'a' }), strings.EqualFold("ß", "SS"), strings.Title("ab cd"), strings.ToUpper("ß"))
	fmt.Println(strings.NewReplacer("a", "1", "b", "2").Replace("abc"))
	fmt.Println(strings.Cut("k=v", "="))
	for l := range strings.Lines("x\ny") {
		fmt.Printf("%q ", l)
	}
	fmt.Println(bytes.Equal(nil, []byte{}), bytes.TrimRight(B("xx  "), " "))
	_, err := strconv.Atoi("12a")
	fmt.Println(err, err.(*strconv.NumError).Func)
	_, err = strconv.ParseInt("999", 10, 8)
	fmt.Println(err)
	fmt.Println(strconv.Quote("\u2028\x00é"), strconv.FormatFloat(1.0/3, 'g', -1, 32))
	fmt.Println(bits.OnesCount(255), bits.Reverse8(1), bits.Len(1<<40))
	hi, lo := bits.Mul64(1<<63, 4)
	fmt.Println(hi, lo)
	var u8 uint8 = 200
	u8 += 100
	var i8 int8 = 127
	i8++
	var u uint = 0
	u--
	fmt.Println(u8, i8, u, -7/2, -7%3, 7&^5, 1<<3|1, ^0, uint8(^uint8(3)))
	f := 1e300
	fmt.Println(f*f, -f*f, int64(f32(1.9)), uint8(int(300)&255), int(f32(-1.9)*2))
	var sh uint = 70
	fmt.Println(1<<sh == 0, int32(1)<<30, -8>>1, uint32(1)<<sh>>3)
	const big = 1 << 100
	fmt.Println(big>>98, float64(big), 'a'+1, "s"+"t", 5/2*2.0, 5.0/2, 1/3.0, len([...]int{9: 1}))
	type T = struct{ X, Y int }
	t := T{Y: 1}
	t.X, t.Y = t.Y, t.X
	a, i := []int{1, 2, 3}, 0
	i, a[i] = 2, 9
	fmt.Println(t, a, i)
}
func f32(x float32) float32 { return x }
