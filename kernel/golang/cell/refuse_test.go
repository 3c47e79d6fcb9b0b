package cell_test

import (
	"testing"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// TestRefused calls functions that would take values of cells wrongly, and the same ones with what they take.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	run1(t, s, `import ("bytes"; "context"; "database/sql"; "encoding/asn1"; "encoding/gob"; "encoding/xml"; "fmt"; "log/slog"; "text/template")
type Plain struct{ A int }
type Text struct{ A int }
func (t Text) String() string { return "text" }
type Scanned int
func (s *Scanned) Scan(state fmt.ScanState, verb rune) error { *s = 7; return nil }
var b bytes.Buffer
page := template.Must(template.New("").Parse("{{.A}}"))
func logged(v any) string { b.Reset(); slog.New(slog.NewTextHandler(&b, nil)).Info("m", "k", v); return b.String()[b.Len()-4:b.Len()-1] }
func filled(v any) (string, error) { b.Reset(); err := page.Execute(&b, v); return b.String(), err }`)
	for code, want := range map[string]string{
		"xml.Marshal([]Plain{{1}})": "encoding/xml.Marshal does not see the type main.Plain of a cell: use encoding/json",
		"gob.NewEncoder(&b).Encode(Plain{1})": "encoding/gob.Encoder.Encode does not see the type main.Plain of a cell: " +
			"use encoding/json",
		"filled(&Text{1})": "text/template.Template.Execute does not see the methods of main.Text of a cell: pass it a " +
			"map of what the methods return",
		"asn1.Marshal(Plain{1})": "encoding/asn1.Marshal does not see the type main.Plain of a cell: use encoding/json",
		"slog.InfoContext(context.Background(), \"m\", \"k\", Text{1})": "log/slog.InfoContext does not see the methods of " +
			"main.Text of a cell: pass it text, as fmt.Sprint makes",
		"new(sql.DB).Exec(\"\", Plain{1})": "database/sql.DB.Exec does not see the type main.Plain of a cell: pass it a " +
			"value of a basic type",
		"fmt.Sscan(\"1\", new(Scanned))": "fmt.Sscan does not see the method Scan of main.Scanned of a cell: call it",
		"logged(map[string]Text{})": "log/slog.Logger.Info does not see the methods of main.Text of a cell: pass it " +
			"text, as fmt.Sprint makes",
	} {
		_, err := s.Run("cell", code, run.NewExecution(nil))
		if err == nil || err.Error() != "panic: "+want {
			t.Errorf("%s\ngave %v, want %s", code, err, want)
		}
	}
	run1(t, s, "type Node struct{ A int; Next *Node }\nnode := &Node{A: 3, Next: &Node{}}\n"+
		"deep := template.Must(template.New(\"\").Parse(\"{{.Next.A}}\"))")
	for code, want := range map[string]string{
		"filled(node)": "[3 <nil>]",
		"deep.Execute(&b, node)": "[template: :1:7: executing \"\" at <.Next.A>: can't evaluate field A in type " +
			"*layout.opaqueElem]",
		"xml.Marshal([]int{1})": "[[60 105 110 116 62 49 60 47 105 110 116 62] <nil>]",
		"filled(Plain{1})":      "[1 <nil>]",
		"logged(5)":             "[k=5]",
	} {
		if got := run1(t, s, code); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
}
