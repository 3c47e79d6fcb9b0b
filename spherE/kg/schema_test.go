package kg

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestSchema compares the schema of a random graph with counts over all pairs of entities.
func TestSchema(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(5, 9))
	var train, valid [][3]string
	for range 150 {
		a, b, r := draw.IntN(14), 6+draw.IntN(14), draw.IntN(3)
		fact := [3]string{fmt.Sprintf("e%02d", a), fmt.Sprintf("r%d", r), fmt.Sprintf("e%02d", b)}
		if draw.IntN(9) == 0 {
			valid = append(valid, fact) // must not count
			continue
		}
		train = append(train, fact)
		if r == 1 {
			train = append(train, [3]string{fact[2], "back", fact[0]})
		}
	}
	g := mustNew(t, train, valid, nil)
	is := func(h int, r string, tail int) bool {
		return slices.Contains(train, [3]string{fmt.Sprintf("e%02d", h), r, fmt.Sprintf("e%02d", tail)})
	}
	on := func(r string, tail bool) (list []int) {
		for a := range 20 {
			for b := range 20 {
				if (!tail && is(a, r, b) || tail && is(b, r, a)) && !slices.Contains(list, a) {
					list = append(list, a)
				}
			}
		}
		return list
	}
	s := g.Schema()
	for _, r := range s.Relations {
		facts, loops, reversed, inverse, oneTail, oneHead := 0, 0, 0, 0, 0, 0
		other := map[string]string{"r1": "back", "back": "r1"}[r.Relation]
		for a := range 20 {
			tails, heads := 0, 0
			for b := range 20 {
				if is(b, r.Relation, a) {
					heads++
				}
				if !is(a, r.Relation, b) {
					continue
				}
				facts, tails = facts+1, tails+1
				if a == b {
					loops++
				} else if is(b, r.Relation, a) {
					reversed++
				}
				if a != b && other != "" && is(b, other, a) {
					inverse++
				}
			}
			oneTail, oneHead = oneTail+btoi(tails == 1), oneHead+btoi(heads == 1)
		}
		heads, tails := on(r.Relation, false), on(r.Relation, true)
		got := []int{r.Facts, r.Heads, r.Tails, r.Loops, r.Reversed, r.OneTail, r.OneHead}
		want := []int{facts, len(heads), len(tails), loops, reversed, oneTail, oneHead}
		if !slices.Equal(got, want) || r.TailsPerHead != float64(facts)/float64(len(heads)) ||
			r.HeadsPerTail != float64(facts)/float64(len(tails)) {
			t.Errorf("%s: counts %v, want %v; %+v", r.Relation, got, want, r)
		}
		at := slices.IndexFunc(r.Inverses, func(x Inverse) bool { return x.Relation == other })
		if (other != "") != (at >= 0) || at >= 0 && r.Inverses[at].Facts != inverse {
			t.Errorf("%s: inverses %+v, want %s with %d facts", r.Relation, r.Inverses, other, inverse)
		}
		for i, list := range [][]Class{r.Domain, r.Range} {
			side, best := [][]int{heads, tails}[i], 0.
			for _, x := range s.Relations {
				for tail := range 2 {
					class, shared := on(x.Relation, tail == 1), 0
					for _, e := range side {
						shared += btoi(slices.Contains(class, e))
					}
					if x.Relation == r.Relation && tail == i {
						continue
					}
					best = max(best, float64(shared)/float64(len(side)+len(class)-shared))
					named := slices.IndexFunc(list, func(c Class) bool {
						return c.Relation == x.Relation && c.Side == Side(tail).String()
					})
					if named >= 0 && (list[named].Entities != shared || list[named].Size != len(class) ||
						list[named].Share != float64(shared)/float64(len(side))) {
						t.Errorf("%s: class %+v, want %d of %d, size %d", r.Relation, list[named], shared, len(side), len(class))
					}
				}
			}
			if c := list[0]; float64(c.Entities)/float64(len(side)+c.Size-c.Entities) != best {
				t.Errorf("%s: the first class is %v, which is not the most alike, %g", r.Relation, c, best)
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestTypes: types come from types.tsv next to a folder or a file, else from training facts of rdf:type.
func TestTypes(t *testing.T) {
	t.Parallel()
	const facts = "Ann\tmet\tBen\nAnn\tlives_in\tRome\nBen\trdf:type\tghost\n"
	const types = "Ann\tperson\nBen\tperson\nAnn\tpoet\nRome\tcity\nOslo\tcity\n"
	for name, files := range map[string]map[string]string{
		"folder": {"train.txt": facts, "types.tsv": types},
		"file":   {"graph.tsv": facts, "types.tsv.gz": types},
		"facts":  {"graph.tsv": facts},
	} {
		dir := folder(t, files)
		if name != "folder" {
			dir = filepath.Join(dir, "graph.tsv")
		}
		g, err := LoadDivided(dir, DefaultDivision())
		expect.NoError(t, err)
		from, want := "types.tsv", []string{"poet 100 %", "person 100 %"} // one of one head is alike, one of two less
		warnings := 1
		if name == "facts" {
			from, want, warnings = "rdf:type", []string{}, 0
		}
		s := g.Whole().Schema()
		met := s.Relations[1]
		got := []string{}
		for _, c := range met.Domain {
			got = append(got, c.String())
		}
		if s.TypesFrom != from || met.Relation != "met" || !slices.Equal(got, want) || len(g.Warnings) != warnings {
			t.Errorf("%s: types from %q, heads of %s are %q, warnings %v", name, s.TypesFrom, met.Relation, got, g.Warnings)
		}
		if name == "folder" && (g.Warnings[0].Kind != UnknownType || g.Warnings[0].Line != 5 || s.Typed != 3 || s.Types != 3) {
			t.Errorf("warning %+v, schema %+v", g.Warnings[0], s)
		}
		if without := g.Without(g.Train[:1]); without.Schema().TypesFrom != from {
			t.Errorf("%s: a graph without a fact has types from %q", name, without.Schema().TypesFrom)
		}
	}
	dir := folder(t, map[string]string{"train.txt": facts, "types.tsv": "Ann\tperson\nBen\n"})
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "types.tsv:2: 1 column, expected 2: entity and type") {
		t.Errorf("error %v", err)
	}
	g, err := LoadFile(filepath.Join(dir, "train.txt")) // the types may be those of another file
	if err != nil || len(g.Warnings) != 1 || g.Warnings[0].Kind != UnreadTypes || g.Typing().From != "rdf:type" {
		t.Errorf("a file next to types of another form: %v, %v", g, err)
	}
	itself := filepath.Join(dir, "types.tsv")
	expect.NoError(t, os.WriteFile(itself, []byte(facts), 0o644))
	if g, err := LoadFile(itself); err != nil || g.Typing().From != "rdf:type" {
		t.Errorf("a graph of this name: %v", err)
	}
}
