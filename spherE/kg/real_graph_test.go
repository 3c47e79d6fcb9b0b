package kg

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
)

// The counts are published ones, not computed by this package.
func TestRealCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                    string
		entities, relations     int
		train, valid, test      int
		manyToMany              int // test triples of n-n relations; 0: not published
		unseenValid, unseenTest int // entities; by sort and comm on the files
	}{
		{"fb15k-237", 14541, 237, 272115, 17535, 20466, 14796, 8, 29},
		{"wn18rr", 40943, 11, 86835, 3034, 3134, 1130, 198, 209},
		{"umls", 135, 46, 5216, 652, 661, 0, 0, 0},
		{"kinships", 104, 25, 8544, 1068, 1074, 0, 0, 0},
		{"nations", 14, 55, 1592, 199, 201, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := realGraph(t, c.name)
			if g.Entities.Len() != c.entities || g.Relations.Len() != c.relations {
				t.Errorf("%d entities and %d relations, want %d and %d", g.Entities.Len(), g.Relations.Len(),
					c.entities, c.relations)
			}
			if len(g.Train) != c.train || len(g.Valid) != c.valid || len(g.Test) != c.test {
				t.Errorf("%d, %d and %d triples", len(g.Train), len(g.Valid), len(g.Test))
			}
			r := Check(g)
			if n := r.Categories[NToN].Test; c.manyToMany > 0 && n != c.manyToMany {
				t.Errorf("%d test triples of n-n relations, want %d", n, c.manyToMany)
			}
			if r.Splits[Valid].UnseenEntities != c.unseenValid || r.Splits[Test].UnseenEntities != c.unseenTest {
				t.Errorf("unseen entities: %d and %d", r.Splits[Valid].UnseenEntities, r.Splits[Test].UnseenEntities)
			}
			for _, w := range g.Warnings {
				if w.Kind != UnseenEntity {
					t.Errorf("warning %v", w)
				}
			}
			if (c.unseenValid > 0) != (len(g.Warnings) == 2) {
				t.Errorf("warnings %v", g.Warnings)
			}
		})
	}
}

// The numbers of answers per query are from a published audit of the two graphs.
func TestRealAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		headMean, headMedian   float64
		tailMean, tailMedian   float64
		meanDigits             float64 // half of the last digit that is published
		headQueries, tailQuery int
	}{
		{"fb15k-237", 435, 29, 37.6, 7, .5, 9113, 13737},
		{"wn18rr", 25.4, 3, 6.6, 1, .05, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Check(realGraph(t, c.name))
			head, tail := r.PerSide[0], r.PerSide[1]
			if math.Abs(head.PerTriple.Mean-c.headMean) > c.meanDigits || head.PerTriple.Median != c.headMedian {
				t.Errorf("heads: mean %v, median %v", head.PerTriple.Mean, head.PerTriple.Median)
			}
			if math.Abs(tail.PerTriple.Mean-c.tailMean) > .05 || tail.PerTriple.Median != c.tailMedian {
				t.Errorf("tails: mean %v, median %v", tail.PerTriple.Mean, tail.PerTriple.Median)
			}
			if c.headQueries > 0 && (head.DistinctQueries != c.headQueries || tail.DistinctQueries != c.tailQuery) {
				t.Errorf("%d and %d distinct queries", head.DistinctQueries, tail.DistinctQueries)
			}
		})
	}
}

func TestRealLabels(t *testing.T) {
	t.Parallel()
	g := realGraph(t, "wn18rr")
	if g.Labels == nil {
		t.Skip("wn18rr has no entity_labels.tsv here; the file has no public home")
	}
	id, err := g.FindEntity("physical entity")
	if err != nil || g.Entities.Name(id) != "00001930" || g.Label(id) != "physical entity" {
		t.Errorf("%d, %v", id, err)
	}
}

// The order of lines changes nothing in a real graph.
func TestRealLineOrder(t *testing.T) {
	t.Parallel()
	source := realFolder(t, "kinships")
	dir := t.TempDir()
	for _, s := range Splits() {
		data, err := os.ReadFile(filepath.Join(source, s.String()+".txt"))
		expect.NoError(t, err)
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		slices.Reverse(lines)
		expect.NoError(t, os.WriteFile(filepath.Join(dir, s.String()+".tsv"), []byte(strings.Join(lines, "\n")),
			0o644))
	}
	a, b := realGraph(t, "kinships"), (*Graph)(nil)
	b, err := Load(dir)
	expect.NoError(t, err)
	if a.Digest() != b.Digest() || !slices.Equal(a.Train, b.Train) {
		t.Error("the graphs differ")
	}
}

// FB15k-237 in memory is a small multiple of its triples of 12 bytes.
func TestRealMemory(t *testing.T) {
	dir := realFolder(t, "fb15k-237")
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := heap()
	g, err := Load(dir)
	expect.NoError(t, err)
	loaded := heap()
	ix := g.Index()
	indexed := heap()
	triples := float64(12 * ix.Len())
	t.Logf("graph %.2f, index %.2f times the triples", (loaded-before)/triples, (indexed-loaded)/triples)
	if loaded-before > 2*triples || indexed-loaded > 2*triples {
		t.Errorf("graph %.0f, index %.0f bytes for %.0f bytes of triples", loaded-before, indexed-loaded, triples)
	}
	runtime.KeepAlive(g)
	runtime.KeepAlive(ix)
}

// A real file with one changed byte is refused or has another digest.
func TestRealDamage(t *testing.T) {
	t.Parallel()
	source := realFolder(t, "nations")
	whole := realGraph(t, "nations").Digest()
	data, err := os.ReadFile(filepath.Join(source, "train.txt"))
	expect.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{"valid.txt", "test.txt"} {
		other, err := os.ReadFile(filepath.Join(source, name))
		expect.NoError(t, err)
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), other, 0o644))
	}
	for at := 0; at < len(data); at += 997 {
		for _, with := range []byte{0xff, 0, '\t', 'x'} {
			bad := bytes.Clone(data)
			if bad[at] == with {
				continue
			}
			bad[at] = with
			expect.NoError(t, os.WriteFile(filepath.Join(dir, "train.txt"), bad, 0o644))
			g, err := Load(dir)
			if err == nil && g.Digest() == whole {
				t.Errorf("byte %d changed to %q goes unnoticed", at, with)
			}
		}
	}
}

func realFolder(tb testing.TB, name string) string {
	tb.Helper()
	return graphtest.Folder(tb, name)
}

func realGraph(tb testing.TB, name string) *Graph {
	tb.Helper()
	g, err := Load(realFolder(tb, name))
	expect.NoError(tb, err)
	return g
}
