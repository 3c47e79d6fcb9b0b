package kg

import (
	"slices"
	"testing"
)

func TestVocabulary(t *testing.T) {
	t.Parallel()
	names := []string{"b", "ä", "a", "B", "b", "", "a b", "Z", "a"}
	before := slices.Clone(names)
	v := newVocabulary(names)
	if !slices.Equal(names, before) {
		t.Error("the argument was changed")
	}
	want := []string{"", "B", "Z", "a", "a b", "b", "ä"} // bytewise
	if v.Len() != len(want) {
		t.Fatalf("%d names", v.Len())
	}
	for i, name := range want {
		if v.Name(int32(i)) != name {
			t.Errorf("name %d is %q, want %q", i, v.Name(int32(i)), name)
		}
		if id, ok := v.ID(name); !ok || id != int32(i) {
			t.Errorf("id of %q is %d, %v", name, id, ok)
		}
	}
	for _, name := range []string{"A", "c", "a ", "ö", "a b c"} {
		if id, ok := v.ID(name); ok {
			t.Errorf("%q has id %d", name, id)
		}
	}
}
