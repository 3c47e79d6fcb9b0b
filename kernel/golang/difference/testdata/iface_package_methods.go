// Methods of packages that an interface of the program calls see types of programs.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
)

type ID int

func (i ID) String() string { return fmt.Sprintf("#%d", int(i)) }

type item struct {
	Name string
	ID   ID
	own  int
}

type printer interface {
	Print(...any)
	Printf(string, ...any)
	Println(...any)
}

type encoder interface{ Encode(any) error }

type service struct {
	printer
	out encoder
}

func main() {
	s := service{log.New(os.Stdout, "", 0), json.NewEncoder(os.Stdout)}
	s.Printf("%v %+v", ID(1), item{"a", 2, 3})
	s.Println(ID(4), item{"b", 5, 6})
	s.printer.Print(ID(7))
	fmt.Println(s.out.Encode([]item{{"c", 8, 9}}))

	encode := s.out.Encode
	encode(map[ID]item{1: {"d", 10, 11}})
	any(s.out).(interface{ SetIndent(prefix, indent string) }).SetIndent("", " ")
	s.out.Encode(&item{"e", 12, 13})

	var d interface{ Decode(any) error } = json.NewDecoder(strings.NewReader(`{"Name": "f", "ID": 14, "own": 15}`))
	var read item
	fmt.Println(d.Decode(&read), read)

	var l sync.Locker = new(sync.Mutex)
	n := 0
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			l.Lock()
			defer l.Unlock()
			n++
		})
	}
	var w interface{ Wait() } = &all
	w.Wait()
	fmt.Println(n)
}
