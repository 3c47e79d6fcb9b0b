package wire

import (
	"fmt"
	"testing"
)

// The memory for signatures is bounded.
func TestSignatures(t *testing.T) {
	t.Parallel()
	s := &signatures{}
	for i := range 3 * signaturesKept {
		name := []byte(fmt.Sprint(i))
		if first := s.first(name); !first || s.first(name) {
			t.Fatalf("signature %d", i)
		}
	}
	if len(s.known) != signaturesKept || len(s.order) != signaturesKept {
		t.Errorf("%d known, %d in order", len(s.known), len(s.order))
	}
	if s.first([]byte(fmt.Sprint(2 * signaturesKept))) {
		t.Error("the oldest that fits is forgotten")
	}
	if !s.first([]byte(fmt.Sprint(2*signaturesKept - 1))) {
		t.Error("one too many is remembered")
	}
}
