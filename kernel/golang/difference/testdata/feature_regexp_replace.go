package main

import (
	"fmt"
	"regexp"
)

func main() {
	re := regexp.MustCompile(`(\w+)@(\w+)`)
	s := "a@b, cc@dd"
	fmt.Println(re.FindAllString(s, -1), re.ReplaceAllString(s, "$2.$1"), re.ReplaceAllStringFunc(s, func(m string) string { return fmt.Sprint(len(m)) }), re.FindStringSubmatchIndex(s))
}
