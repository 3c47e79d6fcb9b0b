package main

import (
	"fmt"
	"strings"
)

type Suit uint8

const (
	Clubs Suit = iota
	Hearts
)

func (s Suit) String() string { return "CH"[s : s+1] }

type Card struct {
	Suit Suit
	Rank int
}

func (c Card) String() string { return fmt.Sprintf("%v%d", c.Suit, c.Rank) }

type Hand []Card

func (h Hand) String() string {
	var parts []string
	for _, c := range h {
		parts = append(parts, c.String())
	}
	return strings.Join(parts, "-")
}

type Table struct {
	Hands  map[string]Hand
	Trump  *Suit
	Turn   any
	hidden Suit
}

func main() {
	h := Hand{{Hearts, 3}, {Clubs, 4}}
	s := Hearts
	t := Table{map[string]Hand{"ann": h, "bob": nil}, &s, h[0], Hearts}
	fmt.Println(h, []Card(h), [1]Hand{h})
	fmt.Printf("%v %s %d %+v\n", h[0], h[0], h[0], h[0])
	fmt.Println(t.Hands, t.Turn, map[Suit]int{Hearts: 1, Clubs: 2}, map[Card]bool{h[0]: true})
	t.Trump = nil
	fmt.Printf("%v\n%+v\n", t, t)
	fmt.Println(fmt.Sprint("a", 1, 2, "b", h[0], h[1], 3), fmt.Sprintln(s, "x"))
	fmt.Println(any(s), []any{s, h, nil, t.hidden}, struct {
		Suit
		N int
	}{s, 1})
}
