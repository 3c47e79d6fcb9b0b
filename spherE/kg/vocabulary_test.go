package kg

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestVocabulary(t *testing.T) {
	names := []string{"b", "ä", "a", "B", "b", "", "a b", "Z", "a"}
	before := slices.Clone(names)
	v := NewVocabulary(names)
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

func TestNearest(t *testing.T) {
	v := NewVocabulary([]string{"Max Born", "Niels Bohr", "Max Planck", "Max von Laue", "Otto Stern", "Aage Bohr", "Paul Dirac"})
	for _, c := range []struct {
		name string
		n    int
		want []string
	}{
		{"Max Bron", 1, []string{"Max Born"}},
		{"max born", 1, []string{"Max Born"}},
		{"Born", 3, []string{"Max Born"}},
		{"Bohr", 3, []string{"Aage Bohr", "Niels Bohr"}},
		{"Nils Bohr", 1, []string{"Niels Bohr"}},
		{"Q", 3, nil},
		{"", 3, nil},
		{"Max Born", 0, nil},
	} {
		got := v.Nearest(c.name, c.n)
		if len(got) == 0 {
			got = nil
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Nearest(%q, %d) = %q, want %q", c.name, c.n, got, c.want)
		}
	}
}

// Ties are in bytewise order, whatever the order of the candidates; a name
// that is there twice is offered once.
func TestNearestTies(t *testing.T) {
	candidates := []string{"abd", "abz", "abc", "abd", "xbc"}
	if got := nearest(candidates, "abx", 1); !slices.Equal(got, []string{"abc"}) {
		t.Errorf("one: %q", got)
	}
	if got := nearest(candidates, "abx", 3); !slices.Equal(got, []string{"abc", "abd", "abz"}) {
		t.Errorf("three: %q", got)
	}
}

// distance is the textbook recursion, exponential and plain.
func distance(a, b []rune) int {
	if len(a) == 0 {
		return len(b)
	}
	if len(b) == 0 {
		return len(a)
	}
	if a[0] == b[0] {
		return distance(a[1:], b[1:])
	}
	return 1 + min(distance(a[1:], b), distance(a, b[1:]), distance(a[1:], b[1:]))
}

func TestEditDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var s strings.Builder
		for range r.IntN(7) {
			s.WriteRune([]rune("abäß")[r.IntN(4)])
		}
		return s.String()
	}
	var row []int
	for range 500 {
		a, b := word(), word()
		var got int
		got, row = editDistance([]rune(a), b, row)
		if want := distance([]rune(a), []rune(b)); got != want {
			t.Fatalf("%q to %q: %d, want %d", a, b, got, want)
		}
	}
}
