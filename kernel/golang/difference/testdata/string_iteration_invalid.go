package main

import (
	"fmt"
	"unicode/utf8"
)

func main() {
	s := "a\xffé\u2318\U0001F600\xc3"
	for i, r := range s {
		fmt.Print(i, ":", r, " ")
	}
	fmt.Println(len(s), utf8.RuneCountInString(s), utf8.ValidString(s))
	for i := 0; i < len(s); i += 3 {
		fmt.Print(s[i], " ")
	}
	fmt.Println([]rune(s), []byte(s)[1], string([]rune{65, -1, 0x110000, 0xd800, 'z'}))
	fmt.Printf("%q %+q %x % x %X %v\n", s, s, s, s, s, s[1:2] == "\xff")
	type myByte byte
	type myRunes []rune
	fmt.Println(string([]byte{104, 105}), string(myRunes{'o', 'k'}), string(rune(65)), string(rune(0x4e16)))
	x := []myByte("abc")
	fmt.Println(x, string(x))
	c := "héllo"[1:3]
	fmt.Println(c, len("héllo"), len([]rune("héllo")))
}
