package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"
)

type Row struct {
	Name string
	N    int
}

func (r Row) String() string { return r.Name + "!" }

func main() {
	re := regexp.MustCompile(`(?P<k>\w+)=(?P<v>\d+)`)
	s := "a=1, bb=22; c=x"
	fmt.Println(re.FindAllString(s, -1), re.FindStringSubmatch(s), re.NumSubexp(), re.SubexpNames())
	fmt.Println(re.ReplaceAllString(s, "$v=$k"), re.ReplaceAllStringFunc(s, strings.ToUpper))
	fmt.Println(re.FindAllStringSubmatchIndex(s, 1), re.MatchString("q"), re)
	_, err := regexp.Compile("a(b")
	fmt.Println(err)
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight|tabwriter.Debug)
	for _, r := range []Row{{"x", 1}, {"longer", 100}} {
		fmt.Fprintf(w, "%v\t%d\t%+v\n", r, r.N, struct{ R Row }{r})
	}
	w.Flush()
}
