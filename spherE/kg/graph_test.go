package kg

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
)

func mustNew(t *testing.T, train, valid, test [][3]string) *Graph {
	t.Helper()
	g, err := New("test", train, valid, test)
	expect.NoError(t, err)
	return g
}

func TestNew(t *testing.T) {
	t.Parallel()
	g := mustNew(t,
		[][3]string{{"c", "s", "a"}, {"a", "r", "b"}, {"a", "r", "a"}},
		[][3]string{{"b", "r", "c"}},
		nil)
	if !slices.Equal(g.Train, []Triple{{0, 0, 0}, {0, 0, 1}, {2, 1, 0}}) ||
		!slices.Equal(g.Valid, []Triple{{1, 0, 2}}) || len(g.Test) != 0 {
		t.Errorf("triples %v %v %v", g.Train, g.Valid, g.Test)
	}
	if g.Name != "test" || g.Source != "" || g.Warnings != nil || g.Label(1) != "b" {
		t.Errorf("graph %+v", g)
	}
	if s := g.Split(Valid); !slices.Equal(s, g.Valid) {
		t.Errorf("split %v", s)
	}
}

func TestNewBadInput(t *testing.T) {
	t.Parallel()
	ok := [][3]string{{"a", "r", "b"}}
	for _, c := range []struct {
		train, valid [][3]string
		want         string
	}{
		{nil, ok, "train: no training triple"},
		{[][3]string{{"a", "r", "b"}, {"a", "", "b"}}, nil, "train:2: the relation is empty"},
		{ok, [][3]string{{"a", "r", "b\xff"}}, "valid:1: the tail is not valid UTF-8"},
		{ok, [][3]string{{"a\x00", "r", "b"}}, "valid:1: the head holds a zero byte"},
	} {
		_, err := New("x", c.train, c.valid, nil)
		if fe, ok := errors.AsType[*FileError](err); !ok || fe.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	g := mustNew(t,
		[][3]string{{"a", "r", "b"}, {"b", "r", "c"}, {"a", "r", "b"}, {"b", "r", "c"}, {"a", "r", "b"}},
		[][3]string{{"a", "r", "c"}, {"a", "r", "b"}, {"x", "r", "a"}, {"x", "q", "y"}, {"b", "r", "c"}},
		[][3]string{{"c", "r", "a"}, {"c", "r", "a"}, {"z", "q", "z"}, {"b", "r", "c"}, {"a", "r", "c"}})
	type short struct {
		kind        WarningKind
		split       Split
		file        string
		line, count int
	}
	var got []short
	for _, w := range g.Warnings {
		got = append(got, short{w.Kind, w.Split, w.File, w.Line, w.Count})
	}
	want := []short{
		{DuplicateTriple, Train, "train", 3, 3},
		{DuplicateTriple, Test, "test", 2, 1},
		{UnseenEntity, Valid, "valid", 3, 2},
		{UnseenRelation, Valid, "valid", 4, 1},
		{UnseenEntity, Test, "test", 3, 1},
		{UnseenRelation, Test, "test", 3, 1},
		{SplitOverlap, Valid, "valid", 2, 2},
		{SplitOverlap, Test, "test", 4, 1}, // with train
		{SplitOverlap, Test, "test", 4, 2}, // with valid
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if len(g.Train) != 2 || len(g.Test) != 4 {
		t.Errorf("%d train and %d test triples", len(g.Train), len(g.Test))
	}
	if s := g.Warnings[2].String(); s != `valid:3: 2 entities of valid are never seen in training; the first is "x"` {
		t.Errorf("text %q", s)
	}
}

// Ids, triples and digest do not depend on the order of the lines.
func TestLineOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	names := strings.Fields("delta alpha Beta gamma äta zeta eta theta iota")
	var rows [][3]string
	for range 200 {
		rows = append(rows, [3]string{names[r.IntN(9)], "r" + names[r.IntN(4)], names[r.IntN(9)]})
	}
	first := mustNew(t, rows[:150], rows[150:170], rows[170:])
	for range 5 {
		shuffled := slices.Clone(rows)
		for _, part := range [][][3]string{shuffled[:150], shuffled[150:170], shuffled[170:]} {
			r.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		}
		g := mustNew(t, shuffled[:150], shuffled[150:170], shuffled[170:])
		if g.Digest() != first.Digest() || !slices.Equal(g.Train, first.Train) ||
			!slices.Equal(g.Entities.names, first.Entities.names) {
			t.Fatal("the order of the lines matters")
		}
	}
}

// The digest changes with everything that it covers.
func TestDigestTellsApart(t *testing.T) {
	t.Parallel()
	base := [][3]string{{"a", "r", "b"}, {"b", "r", "a"}}
	seen := map[string]string{}
	for name, g := range map[string]*Graph{
		"base":            mustNew(t, base, nil, nil),
		"entity renamed":  mustNew(t, [][3]string{{"a", "r", "c"}, {"c", "r", "a"}}, nil, nil),
		"relation named":  mustNew(t, [][3]string{{"a", "s", "b"}, {"b", "s", "a"}}, nil, nil),
		"other triple":    mustNew(t, [][3]string{{"a", "r", "b"}, {"b", "r", "b"}}, nil, nil),
		"other split":     mustNew(t, base[:1], base[1:], nil),
		"third split":     mustNew(t, base[:1], nil, base[1:]),
		"fewer":           mustNew(t, base[:1], nil, nil),
		"names regrouped": mustNew(t, [][3]string{{"ab", "r", "a"}, {"a", "r", "ab"}}, nil, nil),
	} {
		d := g.Digest()
		if len(d) != 64 || seen[d] != "" {
			t.Errorf("%s has the digest of %s: %s", name, seen[d], d)
		}
		seen[d] = name
	}
	with := mustNew(t, base, nil, nil)
	with.Labels, with.Name, with.Source = []string{"A", "B"}, "other", "elsewhere"
	if seen[with.Digest()] != "base" {
		t.Error("labels, name or folder change the digest")
	}
	if d := mustNew(t, append(base, base[0]), nil, nil).Digest(); seen[d] != "base" {
		t.Error("a duplicate changes the digest")
	}
}

// Digest and indexes are computed once, also by concurrent callers.
func TestDigestAndIndexAreComputedOnce(t *testing.T) {
	g := mustNew(t, [][3]string{{"a", "r", "b"}, {"b", "r", "a"}}, [][3]string{{"a", "s", "b"}},
		[][3]string{{"b", "s", "b"}})
	if allocated := testing.AllocsPerRun(10, func() { g.Digest(); g.Index(Test, Train) }); allocated > 0 {
		t.Errorf("digest and index take %g allocations each time", allocated)
	}
	if g.Index() != g.Index(Test, Train, Valid) || g.Index(Train, Test) != g.Index(Test, Train, Test) ||
		g.Index(Train) == g.Index(Valid) {
		t.Error("an index does not belong to a set of splits")
	}
	for set, want := range [8]int{0, 2, 1, 3, 1, 3, 2, 4} {
		var splits []Split
		for _, s := range Splits() {
			if set>>s&1 == 1 {
				splits = append(splits, s)
			}
		}
		if len(splits) > 0 && g.Index(splits...).Len() != want {
			t.Errorf("index of %v has %d triples, want %d", splits, g.Index(splits...).Len(), want)
		}
	}
	other := mustNew(t, [][3]string{{"a", "r", "b"}, {"b", "r", "a"}}, nil, nil)
	var first [4]*Index
	parallel.Do(
		func() { first[0] = other.Index() }, func() { first[1] = other.Index() },
		func() { first[2] = other.Index() }, func() { first[3] = other.Index() },
	)
	for _, ix := range first {
		if ix != first[0] {
			t.Error("two indexes of one graph")
		}
	}
}

// A graph of some of another one's triples, as cells make it, needs no constructor.
func TestGraphFromLiteral(t *testing.T) {
	t.Parallel()
	g := mustNew(t, [][3]string{{"a", "r", "b"}, {"b", "r", "a"}}, nil, [][3]string{{"b", "r", "b"}})
	part := &Graph{Name: "part", Entities: g.Entities, Relations: g.Relations, Train: g.Train[:1], Test: g.Test}
	if want := mustNew(t, [][3]string{{"a", "r", "b"}}, nil,
		[][3]string{{"b", "r", "b"}}); part.Digest() != want.Digest() {
		t.Errorf("digest %s, want %s", part.Digest(), want.Digest())
	}
	if n := part.Index().Len(); n != 2 {
		t.Errorf("the index has %d triples, want 2", n)
	}
}

// A golden value: a changed digest would orphan every logged run.
func TestDigestGolden(t *testing.T) {
	t.Parallel()
	// Computed by Python with hashlib: the first line, then counts, lengths, names and ids in little endian.
	const want = "2a3c193aa0f6d2b75cdda6f3f693c58bfcf0b5a249a12621d7f969158ded5e73"
	if got := mustNew(t, [][3]string{{"a", "r", "b"}}, nil, nil).Digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	g := mustNew(t, [][3]string{{"m1", "advised", "m2"}, {"m3", "field", "m4"}, {"Paris", "field", "m4"}}, nil, nil)
	id := func(name string) int32 {
		i, ok := g.Entities.ID(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		return i
	}
	g.Labels = make([]string, g.Entities.Len())
	g.Labels[id("m1")] = "Max Born"
	g.Labels[id("m2")] = "Twin"
	g.Labels[id("m3")] = "Twin"
	g.Labels[id("m4")] = "Paris" // a label that is the name of another entity: the name wins
	for name, want := range map[string]string{"m1": "m1", "Max Born": "m1", "Paris": "Paris"} {
		if got, err := g.FindEntity(name); err != nil || got != id(want) {
			t.Errorf("FindEntity(%q) = %d, %v", name, got, err)
		}
	}
	if g.Label(id("m1")) != "Max Born" || g.Label(id("Paris")) != "Paris" {
		t.Error("labels")
	}
	_, err := g.FindEntity("Max Bohrn")
	if nf, ok := errors.AsType[*NotFoundError](err); !ok || nf.Kind != "entity" || nf.Name != "Max Bohrn" ||
		nf.Nearest[0] != "Max Born" {
		t.Errorf("error %v", err)
	}
	if want := `graph test has no entity "Max Bohrn"; nearest: "Max Born"`; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	_, err = g.FindEntity("zzzzzzzz")
	if want := `graph test has no entity "zzzzzzzz"; it has, for example: "`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	_, err = g.FindEntity("Twin")
	if ae, ok := errors.AsType[*AmbiguousError](err); !ok || !slices.Equal(ae.Names, []string{"m2", "m3"}) {
		t.Errorf("error %v", err)
	}
	if _, err := g.FindEntity(""); err == nil {
		t.Error("an entity without a name")
	}
	if r, err := g.FindRelation("field"); err != nil || g.Relations.Name(r) != "field" {
		t.Errorf("relation %d, %v", r, err)
	}
	g.RelationLabels = []string{"doctoral student", ""} // of advised and field
	if r, err := g.FindRelation("doctoral student"); err != nil || g.Relations.Name(r) != "advised" {
		t.Errorf("a relation by its label: %d, %v", r, err)
	}
	if got := g.RelationWords(); !slices.Equal(got, []string{"doctoral student", "field"}) {
		t.Errorf("words of relations %q", got)
	}
	g.RelationLabels = []string{"same", "same"}
	want := `2 relations are labelled "same"; use one of their names: advised, field`
	if _, err := g.FindRelation("same"); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	g.RelationLabels = nil
	_, err = g.FindRelation("advisd")
	if nf, ok := errors.AsType[*NotFoundError](err); !ok || nf.Kind != "relation" ||
		!slices.Equal(nf.Nearest, []string{"advised"}) {
		t.Errorf("error %v", err)
	}
}

func TestCategories(t *testing.T) {
	t.Parallel()
	rows := [][3]string{
		{"a", "1-1", "b"}, {"c", "1-1", "d"},
		{"a", "1-n", "b"}, {"a", "1-n", "c"}, {"a", "1-n", "d"},
		{"a", "n-1", "b"}, {"c", "n-1", "b"}, {"d", "n-1", "b"},
		{"a", "n-n", "b"}, {"a", "n-n", "c"}, {"b", "n-n", "b"}, {"b", "n-n", "c"},
		// 3 tails over 2 heads is 1.5 and thus n; heads per tail is 1.
		{"a", "edge n", "b"}, {"a", "edge n", "c"}, {"b", "edge n", "d"},
		// 4 over 3 is less.
		{"a", "edge 1", "b"}, {"a", "edge 1", "c"}, {"b", "edge 1", "d"}, {"c", "edge 1", "e"},
	}
	// Categories are over all splits.
	g := mustNew(t, rows[:5], rows[5:9], rows[9:])
	want := map[string]string{"1-1": "1-1", "1-n": "1-n", "n-1": "n-1", "n-n": "n-n", "edge n": "1-n", "edge 1": "1-1"}
	for id, c := range g.Index().Categories() {
		if name := g.Relations.Name(int32(id)); c.String() != want[name] {
			t.Errorf("%s is %s, want %s", name, c, want[name])
		}
	}
}
