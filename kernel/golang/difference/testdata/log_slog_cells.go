package main

import (
	"bytes"
	"fmt"
	"log"
	"log/slog"
	"os"
)

type ID int

func (i ID) String() string { return fmt.Sprint("id", int(i)) }

type Pair struct{ A, B int }

func (p Pair) LogValue() slog.Value { return slog.GroupValue(slog.Int("a", p.A), slog.Int("b", p.B)) }

type w struct{ n int }

func (x *w) Write(b []byte) (int, error) { x.n++; return os.Stdout.Write(bytes.ToUpper(b)) }

func main() {
	x := &w{}
	l := log.New(x, "pre: ", log.Lmsgprefix)
	l.Println("hello", ID(3), Pair{1, 2})
	l.Printf("%v %d", ID(4), ID(4))
	fmt.Println(x.n, l.Prefix())
	h := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
		if a.Key == "time" {
			return slog.Attr{}
		}
		return a
	}})
	s := slog.New(h).With("app", "t")
	s.Info("msg", "n", 1, "s", "a b", "list", []int{1})
	s.WithGroup("g").Warn("w", slog.Any("err", fmt.Errorf("bad")))
}
