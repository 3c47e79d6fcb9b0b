package main

import (
	"fmt"
)

func Count[T ~string | ~[]byte](s T, c byte) (n int) {
	for i := 0; i < len(s); i++ {
		if s[i] == c {
			n++
		}
	}
	return
}

func Tail[T ~string | ~[]byte](s T) T { return s[1:] }

func ToString[T ~string | ~[]byte](s T) string { return string(s) }

type B []byte

func Append[T ~[]byte](dst T, s string) T { return append(dst, s...) }

func main() {
	fmt.Println(Count("banana", 'a'), Count([]byte("banana"), 'n'), Count(B("x"), 'x'))
	fmt.Println(Tail("héllo"), string(Tail(B("abc"))), ToString([]byte{104, 105}))
	fmt.Printf("%T %s\n", Append(B("a"), "bc"), Append(B("a"), "bc"))
}
