package notebook

import (
	"fmt"
	"io/fs"
	"reflect"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/compile"
)

// library adds package display, under the names that notebooks use, and what cells have without an import. Standard
// input is the front end's.
type library struct {
	cell.Library
	own   map[string]reflect.Value
	stdin *kernel.Stdin
	args  []string // os.Args of cells
}

// Paths implements cell.Library.
func (l *library) Paths() []string { return append(l.Library.Paths(), "display") }

var displayNames = map[string]string{
	"display": "display", "github.com/spherelab/spherelab/kernel/display": "display",
	"github.com/gopherdata/gophernotes": "gophernotes",
}

// Table implements cell.Library.
func (l *library) Table(path string) (compile.Table, bool) {
	switch path {
	case cell.SessionPath:
		return compile.Table{Name: "session", Values: l.own}, true
	case cell.InputPath:
		return compile.Table{Name: "os", Values: map[string]reflect.Value{"Stdin": reflect.ValueOf(&l.stdin).Elem()}}, true
	}
	if name, ok := displayNames[path]; ok {
		return displayTable(name), true
	}
	return l.Library.Table(path)
}

func (l *library) mine(path string) bool {
	return path == cell.SessionPath || path == cell.InputPath || displayNames[path] != ""
}

// Export implements cell.Library.
func (l *library) Export(path string) ([]byte, error) {
	if l.mine(path) {
		return nil, fs.ErrNotExist
	}
	return l.Library.Export(path)
}

// Value implements cell.Library.
func (l *library) Value(path, name string) (reflect.Value, bool) {
	if f, ok := l.stdinFunction(path, name); ok {
		return reflect.ValueOf(f), true
	}
	if path == "os" && name == "Args" {
		return reflect.ValueOf(&l.args).Elem(), true
	}
	if !l.mine(path) {
		return l.Library.Value(path, name)
	}
	table, _ := l.Table(path)
	v, ok := table.Values[name]
	return v, ok
}

// stdinFunction returns the functions that read standard input.
func (l *library) stdinFunction(path, name string) (any, bool) {
	if path != "fmt" {
		return nil, false
	}
	switch name {
	case "Scan":
		return func(a ...any) (int, error) { return fmt.Fscan(l.stdin, a...) }, true
	case "Scanln":
		return func(a ...any) (int, error) { return fmt.Fscanln(l.stdin, a...) }, true
	case "Scanf":
		return func(format string, a ...any) (int, error) { return fmt.Fscanf(l.stdin, format, a...) }, true
	}
	return nil, false
}

// Type implements cell.Library.
func (l *library) Type(path, name string) (reflect.Type, bool) {
	if !l.mine(path) {
		return l.Library.Type(path, name)
	}
	table, _ := l.Table(path)
	t, ok := table.Types[name]
	return t, ok
}

func displayTable(name string) compile.Table {
	values := map[string]reflect.Value{}
	for name, f := range map[string]any{
		"Any": display.Any, "Auto": display.Auto, "File": display.File, "HTML": display.HTML, "Image": display.Image,
		"JPEG": display.JPEG, "JSON": display.JSON, "JavaScript": display.JavaScript, "Latex": display.Latex,
		"MakeData": display.MakeData, "MakeData3": display.MakeData3, "Markdown": display.Markdown,
		"Math": display.Math, "MIME": display.MIME, "PDF": display.PDF, "PNG": display.PNG, "SVG": display.SVG,
		"WithID": display.WithID, "ID": display.ID,
	} {
		values[name] = reflect.ValueOf(f)
	}
	constants := map[string]string{}
	for name, text := range map[string]string{
		"HTML": display.MIMETypeHTML, "JavaScript": display.MIMETypeJavaScript, "JPEG": display.MIMETypeJPEG,
		"JSON": display.MIMETypeJSON, "Latex": display.MIMETypeLatex, "Markdown": display.MIMETypeMarkdown,
		"PDF": display.MIMETypePDF, "PNG": display.MIMETypePNG, "SVG": display.MIMETypeSVG,
		"Text": display.MIMETypeText,
	} {
		constants["MIMEType"+name] = "string:" + text
	}
	table := compile.Table{Name: name, Values: values, Constants: constants, Types: map[string]reflect.Type{
		"Data": reflect.TypeFor[display.Data](), "MIMEMap": reflect.TypeFor[display.MIMEMap](),
	}}
	for _, i := range display.Interfaces() {
		if values[i.Name].IsValid() { // as image.Image, whose name a function has
			continue
		}
		table.Types[i.Name] = i.Type
	}
	return table
}
