package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

func reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

func main() {
	s := "héllo, 世界\x00\xff!"
	for i, r := range s {
		fmt.Print(i, ":", string(r), "(", r, ") ")
	}
	fmt.Println(len(s), utf8.RuneCountInString(s), utf8.ValidString(s))
	for i := 0; i < 4; i++ {
		fmt.Printf("%x %c ", s[i], s[i])
	}
	fmt.Printf("%q %+q %x % X\n", s, s, s[:3], s[:3])
	fmt.Println(reverse("abc世"), strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, "aBcD"))
	b := []byte("hello")
	copy(b[1:], "EY")
	b = append(b, " there"...)
	fmt.Println(string(b), bytes.Contains(b, []byte("EY")), string(bytes.Title(b[:2])))
	fmt.Println("a" < "b", "a" < "B", "abc" > "ab", "" == string([]byte(nil)), strings.Fields(" a  b "))
	fmt.Println(strings.FieldsFunc("a1b2c", unicode.IsDigit), strings.IndexFunc("ab1", unicode.IsNumber))
	raw := `a\n
b`
	fmt.Println(raw, len(raw), "\u00e9\t\x41\101\"")
	var sb strings.Builder
	for i := range 3 {
		fmt.Fprintf(&sb, "%d-", i)
	}
	sb.WriteByte('z')
	sb.WriteRune('é')
	fmt.Println(sb.String(), sb.Len())
	before, after, ok := strings.Cut("k=v=w", "=")
	fmt.Println(before, after, ok, strings.NewReplacer("a", "1", "b", "2").Replace("cab"))
}
