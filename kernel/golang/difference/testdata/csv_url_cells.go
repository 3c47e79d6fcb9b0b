package main

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type Rec struct{ Name, Val string }

func main() {
	r := csv.NewReader(strings.NewReader("name,val\n\"a,b\",1\nc,\"q\"\"x\"\n"))
	rows, err := r.ReadAll()
	fmt.Printf("%q %v\n", rows, err)
	var recs []Rec
	for _, row := range rows[1:] {
		recs = append(recs, Rec{row[0], row[1]})
	}
	sort.Slice(recs, func(i, j int) bool { return recs[i].Val < recs[j].Val })
	w := csv.NewWriter(os.Stdout)
	for _, r := range recs {
		w.Write([]string{r.Val, r.Name})
	}
	w.Flush()
	_, err = csv.NewReader(strings.NewReader("a\n\"b")).ReadAll()
	fmt.Println(err)
	u, err := url.Parse("https://u:p@host:80/a%20b?q=1&q=2#frag")
	fmt.Println(u.Host, u.Path, u.Query()["q"], u.Fragment, u.User.Username(), err)
	v := url.Values{}
	v.Set("k", "a b")
	v.Add("k", "c&d")
	fmt.Println(v.Encode(), filepath.Join("a", "../b"), filepath.Ext("x.tar.gz"))
}
