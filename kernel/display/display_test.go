package display

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestMake(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		got  Data
		want MIMEMap
	}{
		"HTML":       {HTML("<b>"), MIMEMap{MIMETypeHTML: "<b>", MIMETypeText: "<b>"}},
		"Markdown":   {Markdown("*a*"), MIMEMap{MIMETypeMarkdown: "*a*", MIMETypeText: "*a*"}},
		"JavaScript": {JavaScript("f()"), MIMEMap{MIMETypeJavaScript: "f()", MIMETypeText: "f()"}},
		"SVG":        {SVG("<svg/>"), MIMEMap{MIMETypeSVG: "<svg/>", MIMETypeText: "<svg/>"}},
		"Latex":      {Latex("$x$"), MIMEMap{MIMETypeLatex: "$x$", MIMETypeText: "$x$"}},
		"Math":       {Math("x^2"), MIMEMap{MIMETypeLatex: "$$x^2$$", MIMETypeText: "x^2"}},
		"PNG":        {PNG([]byte{1, 2}), MIMEMap{MIMETypePNG: []byte{1, 2}, MIMETypeText: "image/png, 2 bytes"}},
		"JPEG":       {JPEG([]byte{1}), MIMEMap{MIMETypeJPEG: []byte{1}, MIMETypeText: "image/jpeg, 1 bytes"}},
		"PDF":        {PDF([]byte{1}), MIMEMap{MIMETypePDF: []byte{1}, MIMETypeText: "application/pdf, 1 bytes"}},
		"JSON": {JSON(map[string]interface{}{"a": 1}),
			MIMEMap{MIMETypeJSON: map[string]interface{}{"a": 1}, MIMETypeText: "map[a:1]"}},
		"text":       {MakeData(MIMETypeText, "x"), MIMEMap{MIMETypeText: "x"}},
		"MakeData3":  {MakeData3("a/b", "plain", 7), MIMEMap{"a/b": 7, MIMETypeText: "plain"}},
		"MIME":       {MIME(MIMEMap{"a/b": 1}, MIMEMap{"c": 2}), MIMEMap{"a/b": 1}},
		"Any string": {Any(MIMETypeHTML, "<i>"), MIMEMap{MIMETypeHTML: "<i>", MIMETypeText: "<i>"}},
		"Auto":       {Auto("hello"), MIMEMap{MIMETypeText: "hello"}},
		"Auto int":   {Auto(42), MIMEMap{MIMETypeText: "42"}},
		"Reader": {Any(MIMETypeMarkdown, strings.NewReader("# a")),
			MIMEMap{MIMETypeMarkdown: "# a", MIMETypeText: "# a"}},
		"bytes": {Any("", []byte("plain text")), MIMEMap{MIMETypeText: "plain text"}},
		"Data":  {Any("", HTML("x")), MIMEMap{MIMETypeHTML: "x", MIMETypeText: "x"}},
	} {
		if !reflect.DeepEqual(test.got.Data, test.want) {
			t.Errorf("%s: %v, want %v", name, test.got.Data, test.want)
		}
	}
	if d := MIME(nil, MIMEMap{"c": 2}); d.Metadata["c"] != 2 {
		t.Errorf("metadata %v", d)
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.html")
	expect.NoError(t, os.WriteFile(file, []byte("<b>x</b>"), 0o600))
	if d := File("", file); d.Data[MIMETypeHTML] != "<b>x</b>" {
		t.Errorf("%v", d)
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("panic %v", err)
		}
	}()
	File("", file+"x")
}

func TestImage(t *testing.T) {
	t.Parallel()
	d := Image(image.NewRGBA(image.Rect(0, 0, 7, 5)))
	decoded, err := png.Decode(bytes.NewReader(d.Data[MIMETypePNG].([]byte)))
	if err != nil || decoded.Bounds().Dx() != 7 {
		t.Errorf("%v %v", decoded, err)
	}
	if size, _ := json.Marshal(d.Metadata); string(size) != `{"image/png":{"height":5,"width":7}}` {
		t.Errorf("metadata %s", size)
	}
	if d := Image(image.NewRGBA(image.Rectangle{})); !strings.Contains(d.Data[MIMETypeText].(string),
		"cannot display") {
		t.Errorf("an empty picture: %v", d)
	}
}

type rich struct{}

func (rich) HTML() string   { return "<b>" }
func (rich) SVG() string    { return "<svg/>" }
func (rich) String() string { return "rich" }

type bare struct{ Numbers []int }

func (*bare) JSON() map[string]interface{} { return map[string]interface{}{"a": 1} }

type complete struct{ d Data }

func (c complete) Render() Data { return c.d }
func (complete) HTML() string   { return "<i>" }

func TestRender(t *testing.T) {
	t.Parallel()
	if d, ok := Render(rich{}); !ok || !reflect.DeepEqual(d.Data,
		MIMEMap{MIMETypeHTML: "<b>", MIMETypeSVG: "<svg/>", MIMETypeText: "rich"}) {
		t.Errorf("%v %v", d, ok)
	}
	if d, ok := Render(&bare{}); !ok || d.Data[MIMETypeText] != "*display.bare" || d.Data[MIMETypeJSON] == nil {
		t.Errorf("%v %v", d, ok)
	}
	own := complete{Data{Data: MIMEMap{"a/b": 1, MIMETypeText: "own"}, Metadata: MIMEMap{"m": 1},
		Transient: MIMEMap{"t": 1}}}
	d, ok := Render(own)
	if !ok || !reflect.DeepEqual(d.Data, MIMEMap{"a/b": 1, MIMETypeText: "own", MIMETypeHTML: "<i>"}) ||
		d.Metadata["m"] != 1 || d.Transient["t"] != 1 {
		t.Errorf("%v %v", d, ok)
	}
	if len(own.d.Data) != 2 {
		t.Errorf("the value's own map was changed: %v", own.d.Data)
	}
	for _, v := range []interface{}{nil, 1, "x", bare{}, errors.New("x"), (*bare)(nil), (*rich)(nil)} {
		if d, ok := Render(v); ok {
			t.Errorf("%T: %v", v, d)
		}
	}
	for _, v := range []interface{}{rich{}, &bare{}, Data{}, image.NewGray(image.Rect(0, 0, 1, 1))} {
		if _, ok := Render(v); !ok {
			t.Errorf("%T cannot be rendered", v)
		}
	}
}

// The names are those of gophernotes: an interpreter makes types of them.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	want := "Renderer SimpleRenderer HTMLer JavaScripter JPEGer JSONer Latexer Markdowner PNGer PDFer SVGer Image"
	var names []string
	for _, i := range Interfaces() {
		names = append(names, i.Name)
		if i.Type.Kind() != reflect.Interface {
			t.Errorf("%s is a %v", i.Name, i.Type.Kind())
		}
		if _, err := i.Add(Data{}, 5); err == nil {
			t.Errorf("%s takes an int", i.Name)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s", got)
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	a := HTML("x")
	b := WithID(WithID(a, "first"), "second")
	if ID(a) != "" || ID(b) != "second" || b.Data[MIMETypeHTML] != "x" {
		t.Errorf("%v %v", a, b)
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	var r Registry
	if _, ok := r.Render(7); ok {
		t.Error("an empty registry renders an int")
	}
	if d, ok := r.Render(rich{}); !ok || d.Data[MIMETypeHTML] != "<b>" {
		t.Errorf("%v", d)
	}
	only := func(text string) func(interface{}) (Data, bool) {
		return func(v interface{}) (Data, bool) {
			_, ok := v.(int)
			return MakeData(MIMETypeText, text), ok
		}
	}
	r.Register(only("first"))
	r.Register(only("second"))
	if d, ok := r.Render(7); !ok || d.Data[MIMETypeText] != "second" {
		t.Errorf("%v", d)
	}
	if _, ok := r.Render("x"); ok {
		t.Error("a string is rendered")
	}
}
