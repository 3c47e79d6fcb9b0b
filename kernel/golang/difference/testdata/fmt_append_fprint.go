package main

import (
	"fmt"
	"os"
)

type T struct{ A, B int }

func (t T) String() string { return fmt.Sprintf("%d-%d", t.A, t.B) }

func main() {
	b := fmt.Append(nil, "x", 1, T{1, 2}, 3)
	b = fmt.Appendf(b, "|%v %d|", T{3, 4}, T{3, 4})
	b = fmt.Appendln(b, T{5, 6}, []T{{7, 8}})
	fmt.Print(string(b))
	fmt.Fprintln(os.Stdout, T{1, 1}, []any{T{2, 2}})
	fmt.Fprint(os.Stdout, T{1, 1}, "\n")
	n, err := fmt.Fprintf(os.Stdout, "%v %T\n", T{3, 3}, T{})
	fmt.Println(n, err)
	fmt.Print("a", "b", 1, 2, true, "c", T{9, 9}, T{8, 8}, "\n")
}
