package main

import (
	"fmt"
	"slices"
	"strings"
)

type Event interface{ Name() string }
type Created struct{ ID int }
type Deleted struct {
	Created
	Why string
}

func (c Created) Name() string { return "created" }
func (d Deleted) Name() string { return "deleted:" + d.Created.Name() }

type Bus struct{ subs map[string][]func(Event) }

func (b *Bus) On(n string, f func(Event)) func() {
	if b.subs == nil {
		b.subs = map[string][]func(Event){}
	}
	i := len(b.subs[n])
	b.subs[n] = append(b.subs[n], f)
	return func() { b.subs[n][i] = nil }
}

func (b Bus) Emit(e Event) (n int) {
	for _, f := range b.subs[e.Name()] {
		if f != nil {
			f(e)
			n++
		}
	}
	return
}

func main() {
	var b Bus
	var log []string
	off := b.On("created", func(e Event) { log = append(log, fmt.Sprintf("1:%v", e)) })
	b.On("created", func(e Event) { log = append(log, fmt.Sprintf("2:%d", e.(Created).ID)) })
	b.On("deleted:created", func(e Event) { log = append(log, fmt.Sprintf("%+v", e)) })
	fmt.Println(b.Emit(Created{1}), b.Emit(Deleted{Created{2}, "old"}))
	off()
	fmt.Println(b.Emit(Created{3}))
	fmt.Println(strings.Join(log, "|"), slices.Index(log, "2:3"))
}
