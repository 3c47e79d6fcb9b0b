package display

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"reflect"
)

// Renderer is for types that define their display completely.
type Renderer = interface{ Render() Data }

// SimpleRenderer is for types that are shown in several formats.
type SimpleRenderer = interface{ SimpleRender() MIMEMap }

// Each of these is for types that are shown in one format.
type (
	HTMLer       = interface{ HTML() string }
	JavaScripter = interface{ JavaScript() string }
	JPEGer       = interface{ JPEG() []byte }
	JSONer       = interface{ JSON() map[string]interface{} }
	Latexer      = interface{ Latex() string }
	Markdowner   = interface{ Markdown() string }
	PNGer        = interface{ PNG() []byte }
	PDFer        = interface{ PDF() []byte }
	SVGer        = interface{ SVG() string }
)

// Interface is one of the interfaces by which a type defines its display. An interpreter whose types have no real
// methods converts its values to Type itself and calls Add.
type Interface struct {
	Name string       // "HTMLer"
	Type reflect.Type // of the interface
	add  func(Data, interface{}) (Data, error)
}

// Add adds to d what the interface's method of v returns. v must implement the interface.
func (i Interface) Add(d Data, v interface{}) (Data, error) { return i.add(d, v) }

// Interfaces lists all interfaces. Renderer comes first, since it may return everything; the others add what is
// missing.
func Interfaces() []Interface {
	return []Interface{
		facet("Renderer", func(d Data, v Renderer) (Data, error) {
			r := v.Render()
			d.Data, d.Metadata = merged(d.Data, r.Data), merged(d.Metadata, r.Metadata)
			d.Transient = merged(d.Transient, r.Transient)
			return d, nil
		}),
		facet("SimpleRenderer", func(d Data, v SimpleRenderer) (Data, error) {
			d.Data = merged(d.Data, v.SimpleRender())
			return d, nil
		}),
		facet("HTMLer", func(d Data, v HTMLer) (Data, error) { return with(d, MIMETypeHTML, v.HTML()), nil }),
		facet("JavaScripter", func(d Data, v JavaScripter) (Data, error) {
			return with(d, MIMETypeJavaScript, v.JavaScript()), nil
		}),
		facet("JPEGer", func(d Data, v JPEGer) (Data, error) { return with(d, MIMETypeJPEG, v.JPEG()), nil }),
		facet("JSONer", func(d Data, v JSONer) (Data, error) { return with(d, MIMETypeJSON, v.JSON()), nil }),
		facet("Latexer", func(d Data, v Latexer) (Data, error) { return with(d, MIMETypeLatex, v.Latex()), nil }),
		facet("Markdowner", func(d Data, v Markdowner) (Data, error) {
			return with(d, MIMETypeMarkdown, v.Markdown()),
				nil
		}),
		facet("PNGer", func(d Data, v PNGer) (Data, error) { return with(d, MIMETypePNG, v.PNG()), nil }),
		facet("PDFer", func(d Data, v PDFer) (Data, error) { return with(d, MIMETypePDF, v.PDF()), nil }),
		facet("SVGer", func(d Data, v SVGer) (Data, error) { return with(d, MIMETypeSVG, v.SVG()), nil }),
		facet("Image", addImage),
	}
}

func facet[T any](name string, add func(Data, T) (Data, error)) Interface {
	return Interface{Name: name, Type: reflect.TypeFor[T](), add: func(d Data, v interface{}) (Data, error) {
		t, ok := v.(T)
		if !ok {
			return d, fmt.Errorf("display: %T is not a %s", v, name)
		}
		return add(d, t)
	}}
}

// isNil reports whether v is nil or a nil pointer, which has nothing to show and on which few methods can be called.
func isNil(v interface{}) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}

// Render shows v by the interfaces that it implements. It returns false if there are none, and v must be shown as text.
// A text form is added if v does not provide one.
func Render(v interface{}) (Data, bool) {
	if isNil(v) {
		return Data{}, false
	}
	if d, ok := v.(Data); ok {
		return d, true
	}
	t := reflect.TypeOf(v)
	var d Data
	found := false
	for _, i := range Interfaces() {
		if !t.Implements(i.Type) {
			continue
		}
		found = true
		var err error
		if d, err = i.add(d, v); err != nil {
			return failure(err), true
		}
	}
	if found {
		d = withText(d, v)
	}
	return d, found
}

// withText adds the text form of v unless there is one. For a value that is not a Stringer it is the name of the type:
// the fields of a struct with a picture are noise.
func withText(d Data, v interface{}) Data {
	if text, ok := d.Data[MIMETypeText]; ok && text != "" {
		return d
	}
	switch v := v.(type) {
	case fmt.Stringer, error:
		return with(d, MIMETypeText, fmt.Sprint(v))
	case image.Image:
		b := v.Bounds()
		return with(d, MIMETypeText, fmt.Sprintf("%T, %d x %d", v, b.Dx(), b.Dy()))
	}
	return with(d, MIMETypeText, fmt.Sprintf("%T", v))
}

// Any shows data as the given MIME type; an empty one is detected from the data. A type that implements one of the
// interfaces is shown by it. Strings, []byte, io.Reader and io.WriterTo are contents. Anything else is shown as text.
func Any(mimeType string, data interface{}) Data {
	if d, ok := Render(data); ok {
		return d
	}
	switch data := data.(type) {
	case string:
		if mimeType == "" {
			mimeType = MIMETypeText
		}
		return MakeData(mimeType, data)
	case []byte:
		return contents(mimeType, data)
	case io.Reader:
		b, err := io.ReadAll(data)
		if err != nil {
			return failure(err)
		}
		return contents(mimeType, b)
	case io.WriterTo:
		var b bytes.Buffer
		if _, err := data.WriteTo(&b); err != nil {
			return failure(err)
		}
		return contents(mimeType, b.Bytes())
	}
	return MakeData(MIMETypeText, fmt.Sprint(data))
}

// Auto is Any with the MIME type detected from the data.
func Auto(data interface{}) Data { return Any("", data) }

func contents(mimeType string, b []byte) Data {
	if mimeType == "" {
		mimeType = http.DetectContentType(b)
		if i := bytes.IndexByte([]byte(mimeType), ';'); i >= 0 { // "text/plain; charset=utf-8"
			mimeType = mimeType[:i]
		}
	}
	switch mimeType {
	case MIMETypeHTML, MIMETypeJavaScript, MIMETypeLatex, MIMETypeMarkdown, MIMETypeSVG, MIMETypeText:
		return MakeData(mimeType, string(b))
	}
	return MakeData(mimeType, b)
}

func addImage(d Data, img image.Image) (Data, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return d, fmt.Errorf("display: %w", err)
	}
	size := img.Bounds()
	d = with(d, MIMETypePNG, b.Bytes())
	if _, ok := d.Data[MIMETypeText]; !ok {
		d = with(d, MIMETypeText, fmt.Sprintf("image, %d x %d", size.Dx(), size.Dy()))
	}
	d.Metadata = merged(d.Metadata, MIMEMap{MIMETypePNG: MIMEMap{"width": size.Dx(), "height": size.Dy()}})
	return d, nil
}

// with and merged copy the map before they change it, since it may belong to the shown value.
func with(d Data, mimeType string, v interface{}) Data {
	d.Data = merged(d.Data, MIMEMap{mimeType: v})
	return d
}

func merged(a, b MIMEMap) MIMEMap {
	if len(a) == 0 && len(b) == 0 {
		return a
	}
	m := make(MIMEMap, len(a)+len(b))
	for key, value := range a {
		m[key] = value
	}
	for key, value := range b {
		m[key] = value
	}
	return m
}
