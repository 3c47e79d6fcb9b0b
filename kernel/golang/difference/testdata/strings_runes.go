package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func main() {
	s := "héllo, 世界\xff!"
	for i, r := range s {
		fmt.Print(i, ":", string(r), " ")
	}
	fmt.Println(len(s), []byte(s)[:4], []rune(s)[:3])
	fmt.Println(s[1], s[1:3], s[7:], s < "i", s == "x", string(rune(65)), string([]rune{19990, 'x'}))
	b := []byte("abc")
	b[0] = 'X'
	fmt.Println(string(b), "a"+"b"+s[:1])
	var sb strings.Builder
	for i := 0; i < 3; i++ {
		sb.WriteString(strconv.Itoa(i))
		sb.WriteByte('-')
		sb.WriteRune('é')
	}
	fmt.Println(sb.String(), sb.Len())
	fmt.Println(strings.Map(unicode.ToUpper, "abc"), strings.Fields(" a b  c "), strings.Split("a,b,c", ","))
	fmt.Println(utf8.RuneCountInString(s), utf8.ValidString(s))
	fmt.Printf("%q %x %v %s|%10s|%-10s|%c %U\n", s[:3], "hi", []byte("hi"), []byte("hi"), "r", "l", 'x', '世')
}
