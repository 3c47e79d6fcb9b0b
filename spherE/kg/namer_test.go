package kg

import (
	"fmt"
	"testing"
)

// TestNamerGivesIDsInOrder adds many batches and compares the ids with those of naming triple by triple.
func TestNamerGivesIDsInOrder(t *testing.T) {
	t.Parallel()
	one, ahead := newBuilder(), newBuilder()
	var want []Triple
	n := ahead.namer()
	size := 0
	for i := range 3 * batches * batchText / 20 {
		h, r, x := fmt.Appendf(nil, "head%d", i*7919%5000), fmt.Appendf(nil, "r%d", i%37),
			fmt.Appendf(nil, "tail%d", i*104729%3000)
		size += len(h) + len(r) + len(x)
		want = append(want, one.triple(h, r, x))
		n.add(h, r, x)
		clear(h) // the namer has copied it
		if n.len() != len(want) {
			t.Fatalf("%d triples added, len is %d", len(want), n.len())
		}
	}
	if size < 2*batches*batchText {
		t.Fatalf("only %d bytes of names", size)
	}
	got := n.triples()
	n.stop() // as the deferred call of a reader does
	if len(got) != len(want) {
		t.Fatalf("%d triples, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("triple %d is %v, want %v", i, got[i], want[i])
		}
	}
	for name, id := range one.entities.ids {
		if ahead.entities.ids[name] != id {
			t.Fatalf("entity %q has id %d, want %d", name, ahead.entities.ids[name], id)
		}
	}
}
