package answer

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/spherE/kg"
)

// TestLeftText: every reason has its words, and the first of several facts is named.
func TestLeftText(t *testing.T) {
	t.Parallel()
	for _, reason := range kg.LeftReasons() {
		left := []kg.LeftFact{{Head: "Ann", Relation: "knows", Tail: "Bob", Reason: reason},
			{Head: "Bob", Relation: "knows", Tail: "Ann", Reason: reason}}
		if text := LeftText(left); !strings.HasPrefix(text, "2 "+leftWords[reason]+" (first: Ann knows Bob)") || leftWords[reason] == "" {
			t.Errorf("%s: %s", reason, text)
		}
	}
}
