package main

import (
	"fmt"
	"strings"
)

type Doc struct {
	strings.Builder
	depth int
}

func (d *Doc) Open(tag string) {
	fmt.Fprintf(d, "%s<%s>\n", strings.Repeat(" ", d.depth), tag)
	d.depth++
}
func (d *Doc) Close(tag string) {
	d.depth--
	d.WriteString(strings.Repeat(" ", d.depth))
	d.WriteByte('<')
	d.WriteRune('/')
	d.WriteString(tag + ">\n")
}

func main() {
	var d Doc
	d.Open("a")
	d.Open("b")
	d.Close("b")
	d.Close("a")
	fmt.Print(d.String())
	fmt.Println(d.Len(), d.Builder.Len())
	r := strings.NewReplacer("a", "1", "b", "2")
	fmt.Println(r.Replace("abcab"), strings.Map(func(r rune) rune {
		if r == 'x' {
			return -1
		}
		return r + 1
	}, "axbx"))
	before, after, ok := strings.Cut("k=v=w", "=")
	fmt.Println(before, after, ok, strings.Fields(" a  b "), strings.EqualFold("Go", "GO"))
	fmt.Println(strings.Title("x y"), strings.TrimFunc("123abc456", func(r rune) bool { return r < 'a' }),
		strings.Count("cheese", "e"))
}
