package kg

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
)

func TestSimilarNames(t *testing.T) {
	t.Parallel()
	names := map[string]string{ // name, and what it is to a reader
		"BRCA1": "brca1", "Brca1": "brca1", "brca1": "brca1", "brca2": "brca2",
		"M\u00fcller": "müller", "Mu\u0308ller": "müller", "MU\u0308LLER": "müller", "Muller": "muller",
		"stra\u00dfe": "strasse", "STRASSE": "strasse", "\uff21": "a", "a": "a",
		"Max\u00a0Born": "max born", "Max Born": "max born", "Max  Born": "max born", "MaxBorn": "maxborn",
		"zero\u200bwidth": "zerowidth", "zerowidth": "zerowidth", "tab\tbed": "tab bed", " lead": "lead", "lead": "lead",
		"ok": "ok", "Ok 2": "ok 2",
	}
	var list []string
	for name := range names {
		list = append(list, name)
	}
	v := newVocabulary(list)
	var want [][]int32
	for a := range int32(v.Len()) { // all pairs, by the table
		group := []int32{}
		for b := range int32(v.Len()) {
			if names[v.Name(a)] == names[v.Name(b)] {
				group = append(group, b)
			}
		}
		if len(group) > 1 && group[0] == a {
			want = append(want, group)
		}
	}
	if got := similarNames(v); len(want) != 7 || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v of %q", got, want, v.names)
	}
}

// TestSimilarNamesAreWarnedOf: also of relations, also across splits, with the line of the second form.
func TestSimilarNamesAreWarnedOf(t *testing.T) {
	t.Parallel()
	g, err := Load(folder(t, map[string]string{
		"train.txt": "Jos\u00e9\tlikes\tBRCA1\nBRCA1\tlikes\tJos\u00e9\nBrca1\tlikes\tx\n",
		"valid.txt": "x\tLikes\tBRCA1\n",
		"test.txt":  "x\tlikes\tJos\u00e9\nx\tlikes\tJose\u0301\n",
	}))
	expect.NoError(t, err)
	got := map[string]Warning{}
	for _, w := range g.Warnings {
		if w.Kind == SimilarName {
			got[strings.Fields(w.Message)[0]+w.Split.String()] = w
		}
	}
	entity, relation := got["2train"], got["1valid"]
	for _, c := range []struct {
		w     Warning
		count int
		at    string
		words []string
	}{
		{entity, 2, "train.txt:3", []string{`"BRCA1" and "Brca1" (case)`, `"Jose\u0301" and "Jos\u00e9" (Unicode form)`,
			"different entities"}},
		{relation, 1, "valid.txt:1", []string{`"Likes" and "likes" (case)`, "different relations"}},
	} {
		if c.w.Count != c.count || !strings.Contains(c.w.String(), c.at+": ") {
			t.Errorf("%+v, want %d at %s", c.w, c.count, c.at)
		}
		for _, word := range c.words {
			if !strings.Contains(c.w.Message, word) {
				t.Errorf("no %s in %s", word, c.w.Message)
			}
		}
	}
	want := []Similar{{"entity", []string{"BRCA1", "Brca1"}, "case"},
		{"entity", []string{"Jose\u0301", "Jos\u00e9"}, "Unicode form"}, {"relation", []string{"Likes", "likes"}, "case"}}
	if r := Check(g); !slices.EqualFunc(r.Similar, want, func(a, b Similar) bool {
		return a.String() == b.String() && a.Kind == b.Kind
	}) {
		t.Errorf("%+v, want %+v", r.Similar, want)
	}
}

// illnesses is a graph of 40 illnesses and 60 symptoms, in which some illnesses have the name of a symptom, and some of
// these have it as their symptom.
func illnesses(merged, loops int) (rows [][3]string) {
	illness := func(i int) string {
		if i < merged {
			return fmt.Sprintf("symptom %d", i)
		}
		return fmt.Sprintf("illness %d", i)
	}
	for i := range 60 {
		rows = append(rows, [3]string{fmt.Sprintf("symptom %d", i), "is_a", fmt.Sprintf("symptom %d", i/2+1)})
	}
	for i := range 40 {
		rows = append(rows, [3]string{fmt.Sprintf("gene %d", i/2), "causes", illness(i)})
		for k := range 3 {
			rows = append(rows, [3]string{illness(i), "shows", fmt.Sprintf("symptom %d", 50-i-k)})
		}
		if i < loops {
			rows = append(rows, [3]string{illness(i), "shows", illness(i)})
		}
	}
	return rows
}

func TestHomonyms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		merged, loops int
		found         bool
	}{{7, 4, true}, {7, 3, true}, {7, 2, false}, {0, 0, false}, {30, 20, false}} {
		g := mustNew(t, illnesses(c.merged, c.loops), nil, nil)
		got := Check(g).Homonyms
		if !c.found {
			if len(got) != 0 {
				t.Errorf("%d merged with %d loops: %+v", c.merged, c.loops, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Relation != "shows" || len(got[0].Entities) != c.merged || got[0].Loops != c.loops ||
			!slices.Contains(got[0].Entities, "symptom 6") {
			t.Fatalf("%d merged with %d loops: %+v", c.merged, c.loops, got)
		}
		at := slices.IndexFunc(g.Warnings, func(w Warning) bool { return w.Kind == Homonym })
		if at < 0 {
			t.Fatalf("no warning: %v", g.Warnings)
		}
		// Line 65 is the first loop: 60 of is_a, then causes and three of shows.
		if w := g.Warnings[at]; w.Count != c.merged || w.Line != 65 || !strings.Contains(w.Message, `of "shows"`) ||
			!strings.Contains(w.Message, fmt.Sprintf("%d facts lead from an entity to itself", c.loops)) {
			t.Errorf("%+v", w)
		}
	}
}

// TestHomonymsOfHPO: 62 names are of an illness and of a phenotype, counted with Python from the file.
func TestHomonymsOfHPO(t *testing.T) {
	t.Parallel()
	g, err := LoadFile(graphtest.File(t, "hpo/hpo.csv.gz"))
	expect.NoError(t, err)
	r := Check(g)
	if len(r.Homonyms) != 1 || r.Homonyms[0].Relation != "has_phenotype" || len(r.Homonyms[0].Entities) != 62 ||
		r.Homonyms[0].Loops != 36 {
		t.Errorf("%+v", r.Homonyms)
	}
	if len(g.Warnings) != 1 || g.Warnings[0].Kind != Homonym || g.Warnings[0].Count != 62 {
		t.Errorf("warnings %v", g.Warnings)
	}
}
