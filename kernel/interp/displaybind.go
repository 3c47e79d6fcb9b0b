package interp

import (
	"image"
	"image/color"
	"reflect"

	"github.com/cosmos72/gomacro/imports"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel/display"
)

// displayPackage is package display as cells import it. The proxies let types defined in cells implement its interfaces: a field for the value, then one for
// each method, in the order of reflect.
func displayPackage(name string) imports.Package {
	pkg := imports.Package{
		Name: name,
		Binds: map[string]reflect.Value{
			"Any": reflect.ValueOf(display.Any), "Auto": reflect.ValueOf(display.Auto), "File": reflect.ValueOf(display.File),
			"HTML": reflect.ValueOf(display.HTML), "Image": reflect.ValueOf(display.Image), "JPEG": reflect.ValueOf(display.JPEG),
			"JSON": reflect.ValueOf(display.JSON), "JavaScript": reflect.ValueOf(display.JavaScript), "Latex": reflect.ValueOf(display.Latex),
			"MakeData": reflect.ValueOf(display.MakeData), "MakeData3": reflect.ValueOf(display.MakeData3),
			"Markdown": reflect.ValueOf(display.Markdown), "Math": reflect.ValueOf(display.Math), "MIME": reflect.ValueOf(display.MIME),
			"PDF": reflect.ValueOf(display.PDF), "PNG": reflect.ValueOf(display.PNG), "SVG": reflect.ValueOf(display.SVG),
			"WithID": reflect.ValueOf(display.WithID), "ID": reflect.ValueOf(display.ID),
			"MIMETypeHTML": reflect.ValueOf(display.MIMETypeHTML), "MIMETypeJavaScript": reflect.ValueOf(display.MIMETypeJavaScript),
			"MIMETypeJPEG": reflect.ValueOf(display.MIMETypeJPEG), "MIMETypeJSON": reflect.ValueOf(display.MIMETypeJSON),
			"MIMETypeLatex": reflect.ValueOf(display.MIMETypeLatex), "MIMETypeMarkdown": reflect.ValueOf(display.MIMETypeMarkdown),
			"MIMETypePDF": reflect.ValueOf(display.MIMETypePDF), "MIMETypePNG": reflect.ValueOf(display.MIMETypePNG),
			"MIMETypeSVG": reflect.ValueOf(display.MIMETypeSVG), "MIMETypeText": reflect.ValueOf(display.MIMETypeText),
		},
		Types: map[string]reflect.Type{
			"Data":    reflect.TypeFor[display.Data](),
			"MIMEMap": reflect.TypeFor[display.MIMEMap](),
		},
		Proxies: map[string]reflect.Type{
			"HTMLer": reflect.TypeFor[proxyHTML](), "Image": reflect.TypeFor[proxyImage](), "JavaScripter": reflect.TypeFor[proxyJavaScript](),
			"JPEGer": reflect.TypeFor[proxyJPEG](), "JSONer": reflect.TypeFor[proxyJSON](), "Latexer": reflect.TypeFor[proxyLatex](),
			"Markdowner": reflect.TypeFor[proxyMarkdown](), "PNGer": reflect.TypeFor[proxyPNG](), "PDFer": reflect.TypeFor[proxyPDF](),
			"Renderer": reflect.TypeFor[proxyRender](), "SimpleRenderer": reflect.TypeFor[proxySimpleRender](), "SVGer": reflect.TypeFor[proxySVG](),
		},
	}
	for _, i := range display.Interfaces() {
		pkg.Types[i.Name] = i.Type
	}
	return pkg
}

type (
	proxyHTML struct {
		Object interface{}
		HTML_  func(interface{}) string
	}
	proxyJavaScript struct {
		Object      interface{}
		JavaScript_ func(interface{}) string
	}
	proxyJPEG struct {
		Object interface{}
		JPEG_  func(interface{}) []byte
	}
	proxyJSON struct {
		Object interface{}
		JSON_  func(interface{}) map[string]interface{}
	}
	proxyLatex struct {
		Object interface{}
		Latex_ func(interface{}) string
	}
	proxyMarkdown struct {
		Object    interface{}
		Markdown_ func(interface{}) string
	}
	proxyPNG struct {
		Object interface{}
		PNG_   func(interface{}) []byte
	}
	proxyPDF struct {
		Object interface{}
		PDF_   func(interface{}) []byte
	}
	proxyRender struct {
		Object  interface{}
		Render_ func(interface{}) display.Data
	}
	proxySimpleRender struct {
		Object        interface{}
		SimpleRender_ func(interface{}) display.MIMEMap
	}
	proxySVG struct {
		Object interface{}
		SVG_   func(interface{}) string
	}
	proxyImage struct {
		Object      interface{}
		At_         func(o interface{}, x, y int) color.Color
		Bounds_     func(interface{}) image.Rectangle
		ColorModel_ func(interface{}) color.Model
	}
)

func (p *proxyHTML) HTML() string                          { return p.HTML_(p.Object) }
func (p *proxyJavaScript) JavaScript() string              { return p.JavaScript_(p.Object) }
func (p *proxyJPEG) JPEG() []byte                          { return p.JPEG_(p.Object) }
func (p *proxyJSON) JSON() map[string]interface{}          { return p.JSON_(p.Object) }
func (p *proxyLatex) Latex() string                        { return p.Latex_(p.Object) }
func (p *proxyMarkdown) Markdown() string                  { return p.Markdown_(p.Object) }
func (p *proxyPNG) PNG() []byte                            { return p.PNG_(p.Object) }
func (p *proxyPDF) PDF() []byte                            { return p.PDF_(p.Object) }
func (p *proxyRender) Render() display.Data                { return p.Render_(p.Object) }
func (p *proxySimpleRender) SimpleRender() display.MIMEMap { return p.SimpleRender_(p.Object) }
func (p *proxySVG) SVG() string                            { return p.SVG_(p.Object) }
func (p *proxyImage) At(x, y int) color.Color              { return p.At_(p.Object, x, y) }
func (p *proxyImage) Bounds() image.Rectangle              { return p.Bounds_(p.Object) }
func (p *proxyImage) ColorModel() color.Model              { return p.ColorModel_(p.Object) }

// declareDisplay declares the functions by which cells show things at once.
func (e *Engine) declareDisplay() {
	e.ir.DeclVar("Display", nil, func(values ...interface{}) error { return e.show(e.io.Display, values) })
	e.ir.DeclVar("UpdateDisplay", nil, func(d display.Data) error { e.flush(); return e.io.Update(d) })
	e.ir.DeclVar("ClearOutput", nil, func(wait bool) error { e.flush(); return e.io.ClearOutput(wait) })
}

// show renders values and hands them to the front end, after what was printed before.
func (e *Engine) show(to func(display.Data) error, values []interface{}) error {
	e.flush()
	for _, v := range values {
		var d display.Data
		if typed, ok := v.(typedValue); ok {
			d = e.render(typed.value, typed.t)
		} else {
			d = e.renderCompiled(v)
		}
		if err := to(d); err != nil {
			return err
		}
	}
	return nil
}

// flush hands on everything printed so far.
func (e *Engine) flush() {
	e.stdout.Sync()
	e.stderr.Sync()
}

// typedValue is a value with its type in the interpreter, which the value alone does not tell when the type is defined in a cell.
type typedValue struct {
	value xreflect.Value
	t     xreflect.Type
}
