package kg

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestFolderLacksSplits: what a folder lacks, or has without triples, is drawn from train; what it has stays.
func TestFolderLacksSplits(t *testing.T) {
	t.Parallel()
	var rows [][3]string
	for i := range 40 {
		for step := 1; step <= 5; step++ {
			rows = append(rows, [3]string{fmt.Sprintf("e%02d", i), fmt.Sprintf("plus%d", step),
				fmt.Sprintf("e%02d", (i+step)%40)})
		}
	}
	train := lines(rows, "hrt", "\t") + lines(rows[3:5], "hrt", "\t")
	held := "e01\tplus2\te09\n"
	nt := func(text string) string {
		var b strings.Builder
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			fmt.Fprintf(&b, "<%s> <%s> <%s> .\n", f[0], f[1], f[2])
		}
		return b.String()
	}
	for _, c := range []struct {
		name               string
		files              map[string]string
		train, valid, test int
		words              string
	}{
		{"no valid", map[string]string{"train.txt": train, "test.txt": held}, 180, 20, 1,
			"no valid.txt: train.txt is divided by a fixed draw into 180 train and 20 valid triples"},
		{"empty valid", map[string]string{"train.txt": train, "valid.txt": "", "test.txt": held}, 180, 20, 1,
			"valid.txt is empty: train.txt is divided"},
		{"blank valid", map[string]string{"train.txt": train, "valid.txt": "\ufeff\r\n\n", "test.txt": held}, 180, 20, 1,
			"valid.txt is empty"},
		{"no test", map[string]string{"train.txt": train, "valid.tsv": held}, 180, 1, 20,
			"no test.txt: train.txt is divided by a fixed draw into 180 train and 20 test triples"},
		{"train alone", map[string]string{"train.txt.gz": train}, 160, 20, 20,
			"no valid.txt and no test.txt: train.txt.gz is divided by a fixed draw into 160 train, 20 valid and 20 test"},
		{"few", map[string]string{"train.txt": lines(rows[:49], "hrt", "\t"), "test.txt": held}, 49, 0, 1,
			"no valid.txt: all 49 triples of train.txt are for training; fewer than 50 are not divided"},
		{"csv", map[string]string{"train.csv": lines(rows, "hrt", ","), "valid.csv": "head,relation,tail\n",
			"test.csv": "e01,plus2,e09\n"}, 180, 20, 1, "valid.csv is empty"},
		{"nt", map[string]string{"train.nt": nt(train), "test.nt": nt(held)}, 180, 20, 1, "no valid.nt"},
		{"nt", map[string]string{"train.nt": nt(train), "valid.nt": "# none\n", "test.nt": nt(held)}, 180, 20, 1,
			"valid.nt is empty"},
		{"OpenKE", map[string]string{"entity2id.txt": "3\na\t0\nb\t1\nc\t2\n", "relation2id.txt": "1\nr\t0\n",
			"train2id.txt": "2\n0 1 0\n1 2 0\n", "valid2id.txt": "0\n"}, 2, 0, 0, "valid2id.txt is empty and no test2id.txt"},
	} {
		g, err := Load(folder(t, c.files))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(g.Train) != c.train || len(g.Valid) != c.valid || len(g.Test) != c.test ||
			!strings.HasPrefix(g.Division, c.words) {
			t.Errorf("%s: %d, %d and %d triples: %s", c.name, len(g.Train), len(g.Valid), len(g.Test), g.Division)
		}
		for i, w := range g.Warnings {
			if w.Kind != DuplicateTriple || i > 0 || w.Count != 2 || w.Line != 201 {
				t.Errorf("%s: warning %+v", c.name, w)
			}
		}
		seen := seenIn(g, g.Train)
		if slices.Contains(seen.entities, false) || slices.Contains(seen.relations, false) {
			t.Errorf("%s: a name is not in training", c.name)
		}
	}
	// The shares and the seed are those that are asked for; a share of 0 leaves the split empty.
	dir := folder(t, map[string]string{"train.txt": train, "test.txt": held})
	other, err := LoadDivided(dir, Division{Valid: .25, Test: .3, Seed: 3})
	if err != nil || len(other.Valid) != 50 || len(other.Test) != 1 {
		t.Errorf("a quarter: %v", err)
	}
	none, err := LoadDivided(dir, Division{Test: .3})
	if err != nil || len(none.Valid) != 0 || len(none.Train) != 200 ||
		none.Division != "no valid.txt: none are drawn from train.txt" {
		t.Errorf("none: %v", err)
	}
}
