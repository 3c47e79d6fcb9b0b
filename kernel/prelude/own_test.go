package prelude

import (
	"strings"
	"testing"
)

// TestOwnUsage: a kernel of one's own says how it is used.
func TestOwnUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"install"}, {"install", "a", "b"}} {
		if err := ownMain(args, Options{}); err == nil || !strings.HasPrefix(err.Error(), "usage: ") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
