package main

import (
	"fmt"
	"strings"
	"unicode"
)

type Word string

func (w Word) Reverse() Word {
	r := []rune(w)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return Word(r)
}

func (w Word) Title() (out Word) {
	up := true
	for _, c := range w {
		if up {
			c = unicode.ToUpper(c)
		}
		up = unicode.IsSpace(c)
		out += Word(c)
	}
	return
}

func caesar(s string, k rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLower(r) && r < 128:
			return 'a' + (r-'a'+k+26)%26
		case unicode.IsUpper(r) && r < 128:
			return 'A' + (r-'A'+k+26)%26
		}
		return r
	}, s)
}

func main() {
	fmt.Println(Word("héllo wörld").Reverse(), Word("élan vital").Title(), caesar("Hello, Zé!", 3),
		caesar(caesar("abc", 5), -5))
	freq := map[rune]int{}
	for _, r := range "mississippi" {
		freq[r]++
	}
	fmt.Println(freq, strings.IndexFunc("abc1", unicode.IsDigit), strings.ToUpper("straße"),
		strings.ContainsRune("é", 'é'))
	fmt.Println(strings.FieldsFunc("a1b22c", unicode.IsDigit), strings.TrimLeft("xxabc", "x"),
		strings.SplitN("a,b,c", ",", 2), strings.SplitAfter("a,b", ","))
	fmt.Printf("%c|%-4c|%U|%#U|%x|%q\n", 'é', 'x', 'é', '世', "é", []rune("é\n"))
}
