package visible_test

import (
	"testing"

	"github.com/spherelab/spherelab/internal/visible"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, line, lines string }{
		{"", "", ""},
		{"Zürich 北京", "Zürich 北京", "Zürich 北京"},
		{"a\nb\tc", `a\nb\tc`, "a\nb\tc"},
		{"\x1b[2J\a\x7f\u009b0m", `\x1b[2J\a\x7f\u009b0m`, `\x1b[2J\a\x7f\u009b0m`},
		{"\r\u202eevil\u2028", `\r\u202eevil\u2028`, `\r\u202eevil\u2028`},
	} {
		if got := visible.Line(c.text); got != c.line {
			t.Errorf("Line(%q) = %q, want %q", c.text, got, c.line)
		}
		if got := visible.Lines(c.text); got != c.lines {
			t.Errorf("Lines(%q) = %q, want %q", c.text, got, c.lines)
		}
	}
}
