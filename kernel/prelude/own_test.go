package prelude

import (
	"io"
	"strings"
	"testing"
)

// TestOwnUsage: a kernel of one's own says how it is used, on request without an error.
func TestOwnUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"--unknown"}, {"install"}, {"install", "a", "b"}, {"install", "--help"}} {
		if err := ownMain(args, io.Discard, Options{}); err == nil || !strings.HasPrefix(err.Error(), "usage: ") {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, arg := range []string{"--help", "-h", "help"} {
		var out strings.Builder
		if err := ownMain([]string{arg}, &out, Options{}); err != nil || !strings.Contains(out.String(), " install NAME ") {
			t.Errorf("%s: %v, %q", arg, err, out.String())
		}
	}
}
