// Functions of packages as values see types of programs as calls do.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"reflect"
	"strings"
	"time"
)

type ID int

func (i ID) String() string { return fmt.Sprintf("#%d", int(i)) }

type point struct {
	X    int
	Name ID
	own  int
}

type failure struct{ text string }

func (f failure) Error() string { return "failure " + f.text }

type logger struct{ logf func(string, ...any) }

func apply(f func(...any) string, args ...any) string { return f(args...) }

func main() {
	sprintf, println := fmt.Sprintf, fmt.Println
	println(sprintf("%v %T %+v", ID(3), point{}, point{1, 2, 3}), ID(4))
	fmt.Println(apply(fmt.Sprint, ID(5), point{1, 2, 3}))
	byName := map[string]func(...any) string{"line": fmt.Sprintln, "text": fmt.Sprint}
	fmt.Print(byName["line"](ID(6), ID(7)), byName["text"](ID(8)), "\n")

	marshal, unmarshal := json.Marshal, json.Unmarshal
	text, err := marshal([]point{{1, 2, 3}})
	fmt.Println(string(text), err)
	var read []point
	fmt.Println(unmarshal(text, &read), read)

	as, is, equal := errors.As, errors.Is, reflect.DeepEqual
	var found failure
	wrapped := fmt.Errorf("in: %w", failure{"x"})
	fmt.Println(as(wrapped, &found), found, is(wrapped, failure{"x"}))
	fmt.Println(equal([]point{{1, 2, 3}}, []point{{1, 2, 3}}), equal(ID(1), 1))

	own := log.New(os.Stdout, "log: ", 0)
	logger{own.Printf}.logf("%v at %v", ID(9), point{Name: 1})
	log.SetOutput(os.Stdout)
	log.SetFlags(0)
	logger{log.Printf}.logf("%v", ID(10))

	var b bytes.Buffer
	to := fmt.Fprintf
	to(&b, "%v", ID(11))
	scan := fmt.Sscan
	var id ID
	n, err := scan("12", &id)
	fmt.Println(b.String(), n, err, id)

	sleep := time.Sleep
	sleep(time.Nanosecond)
	calls := make(chan func(string, ...any) string, 1)
	calls <- fmt.Sprintf
	fmt.Println((<-calls)("%v", ID(13)), strings.Map(func(r rune) rune { return r + 1 }, "ab"))
	fmt.Println(reflect.ValueOf(fmt.Sprint).Call([]reflect.Value{reflect.ValueOf("a")})[0])
	defer func() { fmt.Println("recovered", recover()) }()
	fail := log.Panicf
	fail("%v", ID(14))
}
