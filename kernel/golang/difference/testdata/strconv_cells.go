package main

import (
	"errors"
	"fmt"
	"strconv"
)

type Level int

func (l *Level) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(string(b))
	if err != nil {
		return fmt.Errorf("level: %w", err)
	}
	*l = Level(n)
	return nil
}

func main() {
	for _, s := range []string{"12", "x", "99999999999999999999", ""} {
		n, err := strconv.Atoi(s)
		fmt.Println(n, err, errors.Is(err, strconv.ErrRange), errors.Is(err, strconv.ErrSyntax))
	}
	var l Level
	err := l.UnmarshalText([]byte("q"))
	var ne *strconv.NumError
	fmt.Println(err, errors.As(err, &ne), ne.Func, ne.Num, l.UnmarshalText([]byte("5")), l)
	fmt.Println(strconv.Quote("a\tb\"é☺\x00"), strconv.QuoteToASCII("é"), strconv.FormatInt(-255, 16),
		strconv.FormatFloat(1.0/3, 'e', 3, 32))
	b, err := strconv.ParseBool("T")
	u, err2 := strconv.ParseUint("ff", 16, 8)
	i, err3 := strconv.ParseInt("-129", 10, 8)
	fmt.Println(b, err, u, err2, i, err3, strconv.AppendInt([]byte("n="), 5, 2))
	s, err := strconv.Unquote(`"a\n"`)
	fmt.Printf("%q %v\n", s, err)
}
