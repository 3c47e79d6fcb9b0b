package notebook_test

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// TestTableOfStructs: a slice of structs shows as a table, of compiled types and of those of cells.
func TestTableOfStructs(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok(`import ("image/color"; "time"; "strings")
type Base struct{ Depth int }
type Fact struct {
	Base
	Head, Tail string
	Score float64
	secret int
}
type Named struct{ Name string }
func (n Named) String() string { return "named " + n.Name }
many := make([]Fact, 60)
for i := range many { many[i].Score = float64(i) }`)
	for code, wants := range map[string][]string{
		`[]Fact{{Head: "<b>a</b>", Tail: "b\x1b", Score: 1.5}}`: {`>Base</th>`, `>Head</th>`,
			`<th style="text-align:right">Score</th>`, `&lt;b&gt;a&lt;/b&gt;`, "b\ufffd",
			`<td style="text-align:right">1.5</td>`},
		`[]*Fact{nil, {Head: "x"}}`:      {"&lt;nil&gt;", ">x<"},
		`[]color.Gray{{2}}`:              {`>Y</th>`, `<td style="text-align:right">2</td>`},
		`[2]Base{{3}, {4}}`:              {`>Depth</th>`, `>4</td>`},
		`many`:                           {">49</td>", "50 of 60 rows"},
		`[]struct{ A interface{} }{{5}}`: {`>A</th>`, ">5</td>"},
		`[]Base{{5}}` + "\n" + `[]Fact{{Head: strings.Repeat("y", 900)}}`: {strings.Repeat("y", 200) + "…"},
	} {
		o := s.ok(code)
		html, _ := o.data.Data["text/html"].(string)
		for _, want := range wants {
			if !strings.Contains(html, want) {
				t.Errorf("%s has no %q:\n%s", code, want, html)
			}
		}
		if strings.Contains(html, "ecret") || strings.Contains(html, ">50</td>") {
			t.Errorf("%s: %s", code, html)
		}
		if text, _ := o.data.Data["text/plain"].(string); !strings.HasPrefix(text, "[") {
			t.Errorf("%s: the text is %q", code, text)
		}
	}
	for _, code := range []string{`[]int{1}`, `[]Named{{"x"}}`, `[]time.Time{{}}`, `[]Fact{}`,
		`Fact{}`, `[]struct{ a int }{{1}}`, `[]error{nil}`} {
		if o := s.ok(code); o.data.Data["text/html"] != nil {
			t.Errorf("%s is a table: %v", code, o.data.Data)
		}
	}
}
