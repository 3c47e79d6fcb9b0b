package notebook_test

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// TestDescribeLists: after the documentation, ? lists what a value, a type or a package has.
func TestDescribeLists(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("type Base struct{ Depth int }\nfunc (b Base) Double() int { return 2 * b.Depth }")
	s.ok("type Shape struct {\n\tBase\n\tSides int\n\tname string\n}\n" +
		"func (s *Shape) Area(scale float64) float64 { return scale }")
	s.ok("import \"strings\"\nshape := &Shape{Sides: 3}\nvar reader *strings.Reader\nnumber := 7\n" +
		"func twice(x int) int { return 2 * x }")
	for code, wants := range map[string][]string{
		"?shape": {"var shape *Shape\n\n" +
			"", "field Shape.Sides int", "field Shape.Depth int",
			"func (s *Shape) Area(scale float64) float64", "func (b Base) Double() int"},
		"Shape?":      {"type Shape struct", "func (s *Shape) Area(scale float64) float64"},
		"?shape.Base": {"func (b Base) Double() int"},
		"?reader":     {"var reader *strings.Reader\n\n", "ReadByte", "WriteTo"},
		"?strings":    {"package strings", "func strings.ToUpper(", "type strings.Builder"},
		"?math":       {"func math.Sqrt(", "const math.Pi = 3.14159", "not imported yet"},
	} {
		o := s.ok(code)
		for _, want := range wants {
			if !strings.Contains(o.value, want) {
				t.Errorf("%s has no %q:\n%s", code, want, o.value)
			}
		}
	}
	for code, want := range map[string]string{
		"?number": "var number int", "?twice": "func twice(x int) int", "?int": "type int", "?byte": "type byte = uint8",
		"?any": "type any", "?error": "type error interface{Error() string}\n\nfunc (error) Error() string",
		"?true": "const true untyped bool",
		"?nil":  "nil is the zero value of pointers, functions, interfaces, slices, channels and maps",
	} {
		if o := s.ok(code); o.value != want {
			t.Errorf("%s is %q, want %q", code, o.value, want)
		}
	}
	all := s.ok("?strings").value
	if strings.Index(all, "func strings.ToUpper") > strings.Index(all, "type strings.Builder") {
		t.Error("types come before functions")
	}
}
