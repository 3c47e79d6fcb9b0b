package spelling

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// plainDistance is the recurrence of optimal string alignment, written as its definition.
func plainDistance(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	}
	x, y := a[:len(a)-1], b[:len(b)-1]
	change := 1
	if a[len(x)] == b[len(y)] {
		change = 0
	}
	d := min(plainDistance(x, b)+1, plainDistance(a, y)+1, plainDistance(x, y)+change)
	if len(x) > 0 && len(y) > 0 && a[len(x)] == b[len(y)-1] && a[len(x)-1] == b[len(y)] {
		d = min(d, plainDistance(x[:len(x)-1], y[:len(y)-1])+1)
	}
	return d
}

func TestDistanceIsItsDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		letters := make([]rune, random.IntN(7))
		for i := range letters {
			letters[i] = []rune("abcé")[random.IntN(4)]
		}
		return string(letters)
	}
	for range 500 {
		a, b := word(), word()
		if got, want := Distance(a, b), plainDistance([]rune(a), []rune(b)); got != want {
			t.Fatalf("Distance(%q, %q) = %d, want %d", a, b, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"Max Born", "Max Planck", "Niels Bohr", "Maria Goeppert Mayer", "Born", "max born"}
	for _, c := range []struct {
		word string
		n    int
		want []string
	}{
		{"Max Bron", 2, []string{"Max Born", "max born"}},
		{"planck", 3, []string{"Max Planck"}},
		{"Born", 2, []string{"Born", "Max Born"}},
		{"ohr", 1, []string{"Niels Bohr"}},
		{"goeppert", 1, []string{"Maria Goeppert Mayer"}},
		{"born", 4, []string{"Born", "Max Born", "max born"}},
		{"orn", 2, []string{"Born", "Max Born"}},
		{"xyzxyz", 3, []string{}},
		{"", 3, nil},
		{"Born", 0, nil},
	} {
		if got := Nearest(names, c.word, c.n); !slices.Equal(got, c.want) {
			t.Errorf("Nearest(%q, %d) = %q, want %q", c.word, c.n, got, c.want)
		}
	}
}

// TestNearestHasTheShortestAround: of names that contain the word, the one with the least around it is meant.
func TestNearestHasTheShortestAround(t *testing.T) {
	names := []string{"a.b.seeds", "zseed", "split.seed"}
	got, want := Nearest(names, "seed", 3), []string{"zseed", "a.b.seeds", "split.seed"}
	if !slices.Equal(got, want) {
		t.Errorf("Nearest is %q, want %q", got, want)
	}
}
