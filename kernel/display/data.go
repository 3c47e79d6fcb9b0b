// Package display lets cells show more than text: HTML, Markdown, formulas, SVG, pictures. Names and signatures are
// those of gophernotes' display package, so that its notebooks run unchanged.
//
// A function such as [HTML] returns a [Data]. As the last expression of a cell it is the cell's value; the cell's
// Display function shows it at once. A type that implements one of the interfaces, for example [HTMLer] or [Renderer],
// is shown with pictures or markup. These are aliases of plain interfaces, so a library need not import this package.
package display

import (
	"fmt"
	"image"
	"os"
	"strings"
)

// MIME types that front ends know.
const (
	MIMETypeHTML       = "text/html"
	MIMETypeJavaScript = "application/javascript"
	MIMETypeJPEG       = "image/jpeg"
	MIMETypeJSON       = "application/json"
	MIMETypeLatex      = "text/latex"
	MIMETypeMarkdown   = "text/markdown"
	MIMETypePDF        = "application/pdf"
	MIMETypePNG        = "image/png"
	MIMETypeSVG        = "image/svg+xml"
	MIMETypeText       = "text/plain"
)

// MIMEMap holds one thing in several formats, by MIME type. Text is a string, binary data is []byte, JSON is anything
// that encoding/json accepts. It should hold a "text/plain" string for front ends that cannot show the rest.
type MIMEMap = map[string]interface{}

// Data is all that a front end gets to show a value. Metadata holds hints by MIME type, for example width and height of
// a picture. Transient is not stored with the notebook; its "display_id" names a display so that it can be replaced
// later.
type Data = struct {
	Data      MIMEMap
	Metadata  MIMEMap
	Transient MIMEMap
}

// displayID is the key in Data.Transient that names a display.
const displayID = "display_id"

// WithID returns d under a name. A later update of that name replaces it wherever it is shown. d itself is not changed.
func WithID(d Data, id string) Data {
	transient := MIMEMap{displayID: id}
	for key, value := range d.Transient {
		if key != displayID {
			transient[key] = value
		}
	}
	d.Transient = transient
	return d
}

// ID returns the name that d was given by [WithID], "" if it has none.
func ID(d Data) string {
	id, _ := d.Transient[displayID].(string)
	return id
}

// MakeData shows data in one format, with a text form.
func MakeData(mimeType string, data interface{}) Data {
	if mimeType == MIMETypeText {
		return Data{Data: MIMEMap{mimeType: data}}
	}
	return MakeData3(mimeType, plain(mimeType, data), data)
}

// MakeData3 shows data in one format, with the given text for front ends that cannot show it.
func MakeData3(mimeType string, plaintext string, data interface{}) Data {
	return Data{Data: MIMEMap{MIMETypeText: plaintext, mimeType: data}}
}

// MIME shows the same thing in several formats; the front end takes the richest that it knows.
func MIME(data, metadata MIMEMap) Data {
	return Data{Data: data, Metadata: metadata}
}

// File shows the contents of a file. An empty MIME type is detected from the contents. It panics if the file cannot be
// read, which ends the cell with that error.
func File(mimeType string, path string) Data {
	contents, err := os.ReadFile(path)
	if err != nil {
		panic(fmt.Errorf("display.File: %w", err))
	}
	return Any(mimeType, contents)
}

// HTML shows markup.
func HTML(html string) Data { return MakeData(MIMETypeHTML, html) }

// JavaScript runs a script in the front end, if that allows scripts.
func JavaScript(javascript string) Data { return MakeData(MIMETypeJavaScript, javascript) }

// JPEG shows a picture given as the contents of a JPEG file.
func JPEG(jpeg []byte) Data { return MakeData(MIMETypeJPEG, jpeg) }

// JSON shows a tree of values.
func JSON(json map[string]interface{}) Data { return MakeData(MIMETypeJSON, json) }

// Latex shows a formula within a line; dollar signs around it are optional.
func Latex(latex string) Data {
	return MakeData3(MIMETypeLatex, latex, "$"+strings.Trim(latex, "$")+"$")
}

// Markdown shows formatted text.
func Markdown(markdown string) Data { return MakeData(MIMETypeMarkdown, markdown) }

// Math shows a formula on a line of its own; dollar signs around it are optional.
func Math(latex string) Data {
	return MakeData3(MIMETypeLatex, latex, "$$"+strings.Trim(latex, "$")+"$$")
}

// PDF shows a document.
func PDF(pdf []byte) Data { return MakeData(MIMETypePDF, pdf) }

// PNG shows a picture given as the contents of a PNG file.
func PNG(png []byte) Data { return MakeData(MIMETypePNG, png) }

// SVG shows a drawing.
func SVG(svg string) Data { return MakeData(MIMETypeSVG, svg) }

// Image shows a picture, sent as PNG with its size.
func Image(img image.Image) Data {
	d, err := addImage(Data{}, img)
	if err != nil {
		return failure(err)
	}
	return d
}

// plain is the text form of data. Bytes are only counted, because they are not for readers.
func plain(mimeType string, data interface{}) string {
	if b, ok := data.([]byte); ok && !strings.HasPrefix(mimeType, "text/") && mimeType != MIMETypeSVG {
		return fmt.Sprintf("%s, %d bytes", mimeType, len(b))
	} else if ok {
		return string(b)
	}
	return fmt.Sprint(data)
}

// failure shows why a value could not be shown.
func failure(err error) Data {
	return Data{Data: MIMEMap{MIMETypeText: "cannot display: " + err.Error()}}
}
