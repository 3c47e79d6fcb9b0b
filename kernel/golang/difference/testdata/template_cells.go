package main

import (
	"fmt"
	"os"
	"strings"
	"text/template"
)

type Item struct {
	Name  string
	Price float64
	Tags  []string
}

func main() {
	t := template.Must(template.New("t").Funcs(template.FuncMap{"up": strings.ToUpper}).Parse(
		"{{range $i, $e := .}}{{$i}} {{.Name | up}} {{printf \"%.2f\" .Price}}{{with .Tags}} {{join .}}{{end}}\n{{end}}"[:0] +
			"{{range $i, $e := .}}{{$i}} {{.Name | up}} {{printf \"%.2f\" .Price}} {{len .Tags}}\n{{end}}"))
	if err := t.Execute(os.Stdout, []Item{{"a", 1.5, nil}, {"b", 2, []string{"x", "y"}}}); err != nil {
		fmt.Println(err)
	}
	m := template.Must(template.New("m").Parse("{{.k}} {{index .list 1}} {{if eq .n 3}}three{{else}}other{{end}}\n"))
	fmt.Println(m.Execute(os.Stdout, map[string]any{"k": "v", "list": []int{1, 2}, "n": 3}))
}
