package main

import "fmt"

type failure struct {
	code int
	why  string
}

func (f failure) Error() string { return fmt.Sprint(f.code, f.why) }

func main() {
	defer fmt.Println("deferred runs")
	panic(failure{7, " bad"})
}
