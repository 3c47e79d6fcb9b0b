package notebook_test

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// documented returns the documentation of linked packages.
func documented() func(pkg, name string) string {
	set := bindings.New(bindings.All()...)
	return func(pkg, name string) string {
		text, _ := set.Doc(pkg, name)
		return text
	}
}

// TestDocumentation: Shift-Tab on members of values shows what their package says of them.
func TestDocumentation(t *testing.T) {
	s := start(t, notebook.Options{Doc: documented()})
	s.ok("import (\"slices\"; \"strings\"; \"context\"; \"time\"; \"io\"; \"gonum.org/v1/gonum/mat\"; \"net/http\")\n" +
		"var b strings.Builder\nd := mat.NewDense(2, 2, nil)\nvar r io.Reader\nvar client http.Client")
	for _, c := range []struct{ code, want string }{
		{"b.WriteStr|ing", "func (b *Builder) WriteString(s string) (int, error)\n\nWriteString appends"},
		{"d.Mu|l(", "func (m *Dense) Mul(a, b Matrix)\n\nMul"},
		{"ctx.Er|r()", "Err() error\n\n"},
		{"r.Re|ad", "Read(p []byte) (n int, err error)"},
		{"client.Time|out", "Timeout specifies a time limit"},
		{"time.Now().Unix|()", "func (t Time) Unix() int64\n\nUnix returns t as a Unix time"},
		{"strings.NewReader(\"a\").Le|n()", "func (r *Reader) Len() int\n\nLen returns"},
		{"bytes.TrimSp|ace", "not imported yet: import \"bytes\""},
		{"mat.NewDense(|", "func NewDense(r, c int, data []float64) *Dense"},
		{"slices.SortFu|nc", "func SortFunc[S ~[]E, E any](x S, cmp func(a, b E) int)\n\nSortFunc sorts"},
		{"/* ä𝄞 */ b.Gro|w(1)", "func (b *Builder) Grow(n int)"},
	} {
		cursor := len([]rune(c.code[:strings.IndexByte(c.code, '|')]))
		d, ok := s.Inspect(strings.Replace(c.code, "|", "", 1), cursor, 0)
		text, _ := d.Data[display.MIMETypeText].(string)
		if !ok || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.code, text, c.want)
		}
	}
	for _, c := range []struct{ code, want string }{
		{"d.Mu|", "Mul MulElem"}, {"b.Writ|", "WriteString"}, {"client.Ti|", "Timeout"}, {"time.Now().Un|", "Unix"},
		{"r.|", "Read"}, {"ctx.|", "Err Done"},
		{"bytes.TrimS|", "TrimSpace"}, {"/* ä𝄞 */ b.Gr|", "Grow"}, {"import \"gonum|", "gonum.org/v1/gonum/mat"},
	} {
		cursor := len([]rune(c.code[:strings.IndexByte(c.code, '|')]))
		got := s.Complete(strings.Replace(c.code, "|", "", 1), cursor)
		for _, want := range strings.Fields(c.want) {
			if !strings.Contains(" "+strings.Join(got.Matches, " ")+" ", " "+want+" ") {
				t.Errorf("%s: %v, want %s", c.code, got.Matches, want)
			}
		}
		for _, match := range got.Matches {
			if strings.TrimSpace(match) != match || strings.Contains(match, "\n") {
				t.Errorf("%s: the match %q has space around it", c.code, match)
			}
		}
		if got.End != cursor {
			t.Errorf("%s: replaces up to %d, not to the cursor at %d", c.code, got.End, cursor)
		}
	}
}
