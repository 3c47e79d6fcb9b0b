package cell_test

import "testing"

// TestMethodsSeen: compiled code sees names and methods of cells' types, also those of a later cell.
func TestMethodsSeen(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for _, c := range [][2]string{
		{`import ("bytes"; "encoding/xml"; "errors"; "fmt"; "reflect"; "text/template")
type Late struct{ A int }
late := Late{3}
fmt.Sprint(late, reflect.TypeOf(late), reflect.TypeOf(late).NumMethod())`, "[{3} main.Late 0]"},
		{"text, err := xml.Marshal(late)\nstring(text)", "[<Late><A>3</A></Late>]"},
		{`func (l Late) Twice() int { return 2 * l.A }
func (l Late) MarshalXML(e *xml.Encoder, _ xml.StartElement) error { return e.EncodeToken(xml.Comment(fmt.Sprint(l.A))) }
var b bytes.Buffer
e := template.Must(template.New("").Parse("{{.Twice}}")).Execute(&b, late)
fmt.Sprint(b.String(), e, reflect.TypeOf(late).NumMethod())`, "[6<nil> 2]"},
		{"text, err := xml.Marshal(&late)\nstring(text)", "[<!--3-->]"},
		{"func (l *Late) Error() string { return fmt.Sprint(\"late \", l.A) }\nvar fault error = &late\n" +
			"errors.Is(fmt.Errorf(\"in: %w\", fault), fault)", "[true]"},
		{"func (l Late) Twice() int { return 20 * l.A }\nreflect.ValueOf(late).MethodByName(\"Twice\").Call(nil)[0].Int()", "[60]"},
		{"type Outer struct{ *Late; X int }\nfmt.Sprint(reflect.TypeOf(Outer{}).NumMethod(), reflect.TypeOf(Outer{}).Field(0).Anonymous)",
			"[3 true]"},
		{"func (l *Late) More() {}\nreflect.TypeOf(Outer{}).NumMethod()", "[4]"},
		{"func f() (any, any) { type T struct{ A int }; type U struct{ A int }; return T{1}, U{1} }\n" +
			"x, y := f()\nfmt.Sprintf(\"%T %T\", x, y) + fmt.Sprint(x == y, reflect.TypeOf(x).Name())", "[main.T main.UfalseT]"},
		{"type Late struct{ A string }\nfmt.Sprint(reflect.TypeOf(Late{}) == reflect.TypeOf(late), reflect.TypeOf(Late{}))",
			"[false main.Late]"},
	} {
		if got := run1(t, s, c[0]); got != c[1] {
			t.Errorf("%s\ngave %s, want %s", c[0], got, c[1])
		}
	}
}
