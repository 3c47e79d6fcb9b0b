package prelude

import (
	"context"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/display"
)

// TestOffered: what examples use needs no import, and gives way to names of cells; a bare kernel has none of it.
func TestOffered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bare       bool
		code, want string
	}{
		{false, `fmt.Sprint(strings.Fields("a b"), filepath.Base("/x/y"), os.IsNotExist(nil), csv.ErrQuote != nil)`,
			"[a b]yfalse true"},
		{false, `strings := []int{1, 2}; len(strings)`, "2"},
		{false, `import strings "cmp"; strings.Compare(1, 2)`, "-1"},
		{false, "func os() int { return 7 }\nos()", "7"},
		{true, `fmt.Sprint(1)`, ""},
	} {
		e := engine(Options{Bare: c.bare}, &database{})
		expect.NoError(t, e.Start(silent{}))
		defer e.Close()
		r, err := e.Execute(context.Background(), kernel.Cell{Code: c.code, Number: 1})
		text, _ := r.Data.Data[display.MIMETypeText].(string)
		if text != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s (bare %v) returns %q, %v, want %q", c.code, c.bare, text, err, c.want)
		}
	}
}
