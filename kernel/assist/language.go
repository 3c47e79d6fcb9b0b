package assist

import "go/token"

// builtinDocs are signatures and meanings of what the language predeclares.
var builtinDocs = map[string]string{
	"append":  "func append(slice []T, elems ...T) []T\n\nAppends elements to the end of a slice and returns the updated slice.",
	"cap":     "func cap(v T) int\n\nThe capacity of an array, slice or channel.",
	"clear":   "func clear(t T)\n\nDeletes all entries of a map, or sets all elements of a slice to zero.",
	"close":   "func close(c chan<- T)\n\nCloses a channel: receivers get what was sent, then zero values.",
	"complex": "func complex(r, i float64) complex128\n\nA complex number from its two parts.",
	"copy":    "func copy(dst, src []T) int\n\nCopies elements between slices and returns how many: the smaller of both lengths.",
	"delete":  "func delete(m map[K]V, key K)\n\nDeletes the entry with the key from a map.",
	"imag":    "func imag(c complex128) float64\n\nThe imaginary part.",
	"len":     "func len(v T) int\n\nThe length of a string, array, slice, map or channel.",
	"make":    "func make(t T, size ...int) T\n\nMakes a slice, map or channel.",
	"max":     "func max(x T, y ...T) T\n\nThe largest of numbers or strings.",
	"min":     "func min(x T, y ...T) T\n\nThe smallest of numbers or strings.",
	"new":     "func new(t T) *T\n\nA pointer to a new zero value.",
	"panic":   "func panic(v interface{})\n\nStops the function and its callers, running their deferred functions; in a cell, ends it with an error.",
	"print":   "func print(args ...T)\n\nPrints to the standard error output of the cell.",
	"println": "func println(args ...T)\n\nPrints to the standard error output of the cell, with spaces and a newline.",
	"real":    "func real(c complex128) float64\n\nThe real part.",
	"recover": "func recover() interface{}\n\nIn a deferred function: stops a panic and returns its value.",
	"ctx": "var ctx context.Context\n\nThe context of the running cell: the interrupt button ends it. Pass it to functions that take a context.\n" +
		"The kernel gives it a new value for every cell, unless the session declares a ctx of its own.",
	"Display":       "func Display(values ...interface{}) error\n\nShows values at once: display.HTML(...), pictures, values of types that define their display, text.",
	"UpdateDisplay": "func UpdateDisplay(d display.Data) error\n\nReplaces what was shown with the same id: display.WithID(d, \"id\").",
	"ClearOutput":   "func ClearOutput(wait bool) error\n\nRemoves the output of the cell, at once or (wait) when the next output arrives.",
}

// LanguageDoc documents keywords and predeclared names.
func LanguageDoc(name string) (string, bool) {
	if doc, ok := builtinDocs[name]; ok {
		return doc, true
	}
	if token.IsKeyword(name) {
		return "keyword " + name + "\n\nSee https://go.dev/ref/spec", true
	}
	return "", false
}
