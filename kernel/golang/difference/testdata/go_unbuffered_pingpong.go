package main

import (
	"fmt"
)

type Ball struct{ hits int }

func player(name string, table chan *Ball, done chan<- string) {
	for b := range table {
		b.hits++
		if b.hits == 6 {
			close(table)
			done <- name
			return
		}
		table <- b
	}
}

func main() {
	table, done := make(chan *Ball), make(chan string, 2)
	go player("ping", table, done)
	go player("pong", table, done)
	b := new(Ball)
	table <- b
	<-done
	fmt.Println(b.hits)
}
