package notebook

import (
	"unsafe"

	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/golang/bridge"
)

// shown adds to a value of a cell the method of one of package display's interfaces.
type shown struct{ bridge.Box }

func result[T any](s shown, method string) (v T) {
	s.Call(method, nil, []unsafe.Pointer{unsafe.Pointer(&v)})
	return v
}

type (
	rendered       struct{ shown }
	simplyRendered struct{ shown }
	html           struct{ shown }
	javaScript     struct{ shown }
	jpeg           struct{ shown }
	json           struct{ shown }
	latex          struct{ shown }
	markdown       struct{ shown }
	png            struct{ shown }
	pdf            struct{ shown }
	svg            struct{ shown }
)

func (s rendered) Render() display.Data { return result[display.Data](s.shown, "Render") }
func (s simplyRendered) SimpleRender() display.MIMEMap {
	return result[display.MIMEMap](s.shown, "SimpleRender")
}
func (s html) HTML() string             { return result[string](s.shown, "HTML") }
func (s javaScript) JavaScript() string { return result[string](s.shown, "JavaScript") }
func (s jpeg) JPEG() []byte             { return result[[]byte](s.shown, "JPEG") }
func (s json) JSON() map[string]any     { return result[map[string]any](s.shown, "JSON") }
func (s latex) Latex() string           { return result[string](s.shown, "Latex") }
func (s markdown) Markdown() string     { return result[string](s.shown, "Markdown") }
func (s png) PNG() []byte               { return result[[]byte](s.shown, "PNG") }
func (s pdf) PDF() []byte               { return result[[]byte](s.shown, "PDF") }
func (s svg) SVG() string               { return result[string](s.shown, "SVG") }

// shows lists the interfaces by name: the method, and what has it.
var shows = map[string]struct {
	method string
	make   func(shown) any
}{
	"Renderer":       {"Render", func(s shown) any { return rendered{s} }},
	"SimpleRenderer": {"SimpleRender", func(s shown) any { return simplyRendered{s} }},
	"HTMLer":         {"HTML", func(s shown) any { return html{s} }},
	"JavaScripter":   {"JavaScript", func(s shown) any { return javaScript{s} }},
	"JPEGer":         {"JPEG", func(s shown) any { return jpeg{s} }},
	"JSONer":         {"JSON", func(s shown) any { return json{s} }},
	"Latexer":        {"Latex", func(s shown) any { return latex{s} }},
	"Markdowner":     {"Markdown", func(s shown) any { return markdown{s} }},
	"PNGer":          {"PNG", func(s shown) any { return png{s} }},
	"PDFer":          {"PDF", func(s shown) any { return pdf{s} }},
	"SVGer":          {"SVG", func(s shown) any { return svg{s} }},
}

// render shows a value: by the methods of a cell's type, by what the program or its compiled type knows, or as text.
func (e *Engine) render(v any) display.Data {
	v = e.session.Still(v)
	box, methods, ok := e.session.Box(v)
	if !ok {
		if d, ok := e.rich(v); ok {
			return d
		}
		return e.plain(v)
	}
	var d display.Data
	found := false
	for _, i := range display.Interfaces() {
		s := shows[i.Name]
		if s.make == nil || methods[s.method] != i.Type.Method(0).Type.String() {
			continue
		}
		added, err := i.Add(d, s.make(shown{box}))
		if err != nil {
			return display.MakeData(display.MIMETypeText, "cannot display: "+err.Error())
		}
		d, found = added, true
	}
	if !found {
		return e.plain(v)
	}
	if _, ok := d.Data[display.MIMETypeText]; !ok {
		d.Data[display.MIMETypeText] = e.text(v)
	}
	return d
}

// plain shows a value without display methods: as a table, or as text.
func (e *Engine) plain(v any) display.Data {
	rows, ok := e.session.Rows(v)
	if !ok {
		return display.MakeData(display.MIMETypeText, e.text(v))
	}
	var columns []display.Column
	for _, c := range rows.Columns {
		columns = append(columns, display.Column(c))
	}
	return display.MakeData3(display.MIMETypeHTML, e.text(v), display.Table(columns, rows.Len, rows.Text))
}

// rich shows a compiled value if the program or its type knows how.
func (e *Engine) rich(v any) (display.Data, bool) {
	if v == nil {
		return display.Data{}, false
	}
	if e.options.Render != nil {
		if d, ok := e.options.Render(v); ok {
			return d, true
		}
	}
	return display.Render(v)
}

// display shows values at once, after what was printed before.
func (e *Engine) display(values ...any) error {
	e.flush()
	for _, v := range values {
		if err := e.here().Display(e.render(v)); err != nil {
			return err
		}
	}
	return nil
}
