package kg

import (
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestWhole: the whole graph has every triple once in training, in order, with the names and ids of the divided one,
// which it remembers.
func TestWhole(t *testing.T) {
	t.Parallel()
	path := leakyFile(t)
	d := Division{Valid: .15, Test: .2, Seed: 3}
	g, err := LoadDivided(path, d)
	expect.NoError(t, err)
	d.Whole = true
	loaded, err := LoadDivided(path, d)
	expect.NoError(t, err)
	d.Seed, d.Leakless = 4, true
	other, err := LoadDivided(path, d)
	expect.NoError(t, err)
	overlapping, err := New("twice", [][3]string{{"a", "r", "b"}}, [][3]string{{"b", "r", "c"}}, [][3]string{{"a", "r", "b"}})
	expect.NoError(t, err)
	if got := overlapping.Whole().Train; len(got) != 2 {
		t.Errorf("a triple of two splits is in training twice: %v", got)
	}
	for name, whole := range map[string]*Graph{"Whole": g.Whole(), "LoadDivided": loaded, "another draw": other,
		"twice": g.Whole().Whole(), "Without": g.Whole().Without(nil)} {
		if len(whole.Train) != 280 || len(whole.Valid)+len(whole.Test) > 0 || whole.Digest() != loaded.Digest() {
			t.Errorf("%s: %d training triples, digest %s", name, len(whole.Train), whole.Digest())
		}
		for _, held := range slices.Concat(g.Train, g.Valid, g.Test) {
			if !whole.Index(Train).Has(held) {
				t.Fatalf("%s lacks %v", name, held)
			}
		}
		if divided := whole.Divided(); name != "another draw" && divided.Digest() != g.Digest() || len(divided.Test) != 56 {
			t.Errorf("%s: divided as %s", name, divided.Division)
		}
		if len(whole.Warnings) > 0 || whole.Drawn {
			t.Errorf("%s: drawn %v, warnings %v", name, whole.Drawn, whole.Warnings)
		}
	}
	if g.Divided() != g || len(g.Warnings) == 0 {
		t.Error("a divided graph is not its own")
	}
}

// TestDrawn: test triples are drawn where a file or a folder gives none.
func TestDrawn(t *testing.T) {
	t.Parallel()
	many, held := "", "h07\tr\th01\n"
	for i := range 60 {
		many += "h0" + string(rune('0'+i%10)) + "\tr" + string(rune('a'+i/10)) + "\th0" + string(rune('0'+i*7%10)) + "\n"
	}
	for name, test := range map[string]struct {
		path string
		want bool
	}{
		"file":         {fileNamed(t, "some.tsv", many), true},
		"few":          {fileNamed(t, "few.tsv", many[:20*11]), false},
		"split column": {fileNamed(t, "given.tsv", "a\tr\tb\ttrain\nb\tr\ta\ttest\n"), false},
		"train alone":  {folder(t, map[string]string{"train.txt": many}), true},
		"valid given":  {folder(t, map[string]string{"train.txt": many, "valid.txt": held}), true},
		"test given":   {folder(t, map[string]string{"train.txt": many, "test.txt": held}), false},
	} {
		g, err := LoadDivided(test.path, DefaultDivision())
		if err != nil || g.Drawn != test.want {
			t.Errorf("%s: drawn %v, %v", name, g != nil && g.Drawn, err)
		}
	}
}
