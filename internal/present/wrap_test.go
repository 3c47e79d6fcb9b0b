package present

import (
	"strings"
	"testing"
)

func TestWrapParagraphs(t *testing.T) {
	t.Parallel()
	const help = `One sentence of a paragraph that is longer than
a narrow page. Another one.

Usage:
  program query RUN HEAD RELATION '?' | query RUN

Examples:
  program query last "Max Born" advised '?' --format json

Flags:
  -h, --help          help for query
      --file string   read the questions of this file, one on each line
`
	const want = `One sentence of a paragraph that is
longer than a narrow page. Another one.

Usage:
  program query RUN HEAD RELATION '?' |
  query RUN

Examples:
  program query last "Max Born" advised '?' --format json

Flags:
  -h, --help          help for query
      --file string   read the questions
                      of this file, one
                      on each line
`
	if got := WrapParagraphs(help, 40); got != want {
		t.Errorf("help is\n%s\nwant\n%s", got, want)
	}
	if got := WrapParagraphs(want, 40); got != want {
		t.Errorf("wrapped again it is\n%s", got)
	}
}

func TestHang(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"  key      value", 40, "  key      value"},
		{"  key      " + strings.Repeat("word ", 8) + "end", 0, "  key      " + strings.Repeat("word ", 8) + "end"},
		{"  key      one two three four", 22, "  key      one two\n           three four"},
		{"  key      file:///a/very/long/path", 28, "  key\n    file:///a/very/long/path"},
		{"one column that is long", 12, "one column\nthat is long"},
	} {
		if got := hang(c.line, c.width); got != c.want {
			t.Errorf("%q on %d columns is\n%s\nwant\n%s", c.line, c.width, got, c.want)
		}
	}
}
