package visible_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
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

func TestJSON(t *testing.T) {
	t.Parallel()
	const odd = "a\x1b[2J\a\x7f\u009b\u061c\u200e\u202e\u2028\u2069\r\n\tZürich 北京 \U0001f600"
	var raw strings.Builder
	e := json.NewEncoder(&raw)
	e.SetIndent("", "\t")
	expect.NoError(t, e.Encode(map[string]string{odd: odd}))
	text := visible.JSON([]byte(raw.String()))
	if got := visible.Lines(string(text)); got != string(text) {
		t.Errorf("%q still controls a terminal", text)
	}
	var back map[string]string
	if err := json.Unmarshal(text, &back); err != nil || back[odd] != odd {
		t.Errorf("%q is read as %q, %v", text, back, err)
	}
	if plain := []byte("{\n\t\"größe\": \"北京\"\n}\n"); string(visible.JSON(plain)) != string(plain) {
		t.Errorf("%q is changed to %q", plain, visible.JSON(plain))
	}
}

func TestWriter(t *testing.T) {
	t.Parallel()
	const odd = "a,\x1b[2J\u009b\r\n\"Zürich\t北京 \U0001f600\u202e\"\r\n"
	for step := 1; step < len(odd); step++ {
		var b strings.Builder
		w := &visible.Writer{W: &b}
		for rest := odd; rest != ""; {
			part := rest[:min(step, len(rest))]
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
			rest = rest[len(part):]
		}
		if b.String() != visible.Lines(odd) {
			t.Errorf("in parts of %d bytes: %q", step, b.String())
		}
	}
}
