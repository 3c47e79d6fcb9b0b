package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	html "html/template"
	"log/slog"
	"os"
	"strings"
	"text/template"
)

type Person struct {
	First, Last string
	Age         int
	Friends     []*Person
	Home        Address
	secret      string
}

type Address struct{ Street string }

func (a Address) Line(n int) string { return fmt.Sprintf("%d %s", n, a.Street) }

func (p Person) Full() string                        { return p.First + " " + p.Last }
func (p *Person) Older(by int) int                   { return p.Age + by }
func (p Person) Fail() (string, error)               { return "", errors.New("no such thing") }
func (p Person) Panics() string                      { panic("in a method") }
func (p Person) Join(sep string, s ...string) string { return strings.Join(s, sep) }
func (p Person) hidden() string                      { return "hidden" }

type Temp float64

func (t Temp) String() string { return fmt.Sprintf("%.1f°", float64(t)) }

type Safe string

func (s Safe) Bold() html.HTML { return html.HTML("<b>" + string(s) + "</b>") }

type User struct {
	Name, Password string
}

func (u User) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", u.Name), slog.Int("len", len(u.Password)))
}

type code struct{ n int }

func (c code) Error() string { return fmt.Sprint("code ", c.n) }

func execute(text string, data any) {
	t, err := template.New("t").Funcs(template.FuncMap{"up": strings.ToUpper}).Parse(text)
	if err != nil {
		fmt.Println("parse:", err)
		return
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	fmt.Println(b.String(), err)
}

func main() {
	p := &Person{First: "Ada", Last: "L", Age: 36, Home: Address{"Main"}, Friends: []*Person{{First: "B", Age: 1}}}
	execute("{{.Full}} {{.Older 4}} {{.Home.Line 7}} {{.Full | up}}", p)
	execute(`{{range $i, $f := .Friends}}{{$i}} {{$f.Full}} {{.Older 2}}{{end}} {{.Join "-" "a" "b"}}`, p)
	execute("{{with .Home}}{{.Street}} {{printf \"%v\" .}}{{end}}", p)
	execute("{{.Older 1}}", *p)
	execute("{{.Fail}}", p)
	execute("{{.Panics}}", p)
	execute("{{.hidden}}", p)
	execute("{{.secret}}", p)
	execute("{{.Missing}}", p)
	execute("{{.}} {{eq . .}}", Temp(21.5))
	execute("{{range $k, $v := .}}{{$k}}={{$v}} {{end}}", map[string]Temp{"b": 2, "a": 1})

	var b bytes.Buffer
	t := html.Must(html.New("h").Parse(`<a title="{{.Text}}" href="?q={{.Text}}">{{.Name.Bold}} {{.Name}}</a>
<script>x = {{.P}}</script>`))
	err := t.Execute(&b, struct {
		Text Temp
		Name Safe
		P    Address
	}{3, "<x>", Address{"S"}})
	fmt.Println(b.String(), err)

	timeless := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	logger := slog.New(slog.NewTextHandler(os.Stdout, timeless))
	logger.Info("in", "user", User{"ada", "secret"}, "temp", Temp(3), "err", code{4}, "p", Address{"x"})
	logger.With("u", &User{"b", ""}).WarnContext(context.Background(), "with", slog.Group("g", "t", Temp(1)))
	jsonLogger := slog.New(slog.NewJSONHandler(os.Stdout, timeless))
	jsonLogger.Error("json", "user", User{"ada", "secret"}, "temp", Temp(3), "err", code{4}, "p", Address{"x"})
}
