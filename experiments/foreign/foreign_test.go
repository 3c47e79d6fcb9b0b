package foreign_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/foreign"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

func drinks(t *testing.T) *kg.Graph {
	t.Helper()
	g, err := kg.New("tea", [][3]string{{"Zoe", "knows", "Ann"}, {"Ann", "drinks", "tea"}, {"Bob", "drinks", "milk"},
		{"Bob", "knows", "Zoe"}}, nil, nil)
	expect.NoError(t, err)
	return g
}

// score is minus the distance of a triple as a tail query.
func score(t *testing.T, m *foreign.Model, g *kg.Graph, names [3]string) float64 {
	t.Helper()
	h, _ := g.Entities.ID(names[0])
	r, _ := g.Relations.ID(names[1])
	e, known := g.Entities.ID(names[2])
	if !known {
		t.Fatalf("no entity %s", names[2])
	}
	dist := make([]float32, m.Entities())
	m.Distances([]kg.Query{{Side: kg.TailSide, Known: h, Relation: r}}, dist)
	return -float64(dist[e])
}

// pykeenFolders are those of testdata/make.py and _tool/python/pykeen_models.py: a TuckER has batch normalizations, or
// has none.
func pykeenFolders() []string { return append(foreign.Models(), "tucker", "tucker-plain") }

// TestPyKEEN reads models that PyKEEN has written and compares scores with its own.
func TestPyKEEN(t *testing.T) {
	t.Parallel()
	g := drinks(t)
	for _, name := range pykeenFolders() {
		folder, model, from := filepath.Join("testdata", name), name, sphere.Title(name)
		if strings.HasPrefix(name, "tucker") {
			model, from = sphere.RESCAL, "TuckER, as a RESCAL"
		}
		m, err := foreign.Open(folder, g, foreign.Options{})
		expect.NoError(t, err)
		if m.Settings().Model != model || m.From != "PyKEEN's "+from || m.Note != "" {
			t.Errorf("%s: %+v, %s, %s", name, m.Settings(), m.From, m.Note)
		}
		var scores []struct {
			Triple [3]string
			Score  float64
		}
		raw, err := os.ReadFile(filepath.Join(folder, "scores.json"))
		expect.NoError(t, err)
		expect.NoError(t, json.Unmarshal(raw, &scores))
		for _, s := range scores {
			if got := score(t, m, g, s.Triple); !(math.Abs(got-s.Score) <= 2e-6*(1+math.Abs(s.Score))) {
				t.Errorf("%s %v: score %v, PyKEEN has %v", name, s.Triple, got, s.Score)
			}
		}
		if len(scores) != len(g.Train) {
			t.Errorf("%s: %d scores", name, len(scores))
		}
	}
}

// npy is an array as numpy.save writes it.
func npy(kind, shape string, data any) []byte {
	var b bytes.Buffer
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n", kind, shape)
	b.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	_ = binary.Write(&b, binary.LittleEndian, data)
	return b.Bytes()
}

// written is a folder with a model.npz of these arrays and the names of drinks in another order.
func written(t *testing.T, arrays map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range arrays {
		w, err := z.Create(name + ".npy")
		expect.NoError(t, err)
		_, err = w.Write(content)
		expect.NoError(t, err)
	}
	expect.NoError(t, z.Close())
	for name, content := range map[string]string{"model.npz": b.String(),
		"entities.tsv":  "id\tname\n1\tZoe\n0\ttea\n2\tAnn\n4\tBob\n3\tmilk\n5\tEve\n",
		"relations.tsv": "\ufeffid\tname\n0\tknows\n1\tdrinks\n"} {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return dir
}

// TestArrays reads arrays of numpy: the score of (Ann, drinks, tea) is computed by hand.
func TestArrays(t *testing.T) {
	t.Parallel()
	g, one := drinks(t), []float64{1, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0} // tea is 1, 0 and Ann 3, 4
	for _, c := range []struct {
		options          foreign.Options
		entity, relation []byte
		want             float64
		refused          string
	}{
		{foreign.Options{Model: "transe"}, npy("<f8", "6, 2", one), npy("<f4", "2, 2", []float32{9, 9, -1, 2}), -7, ""},
		{foreign.Options{Model: "transe-l2"}, npy("<f8", "6, 2", one), npy("<f4", "2, 2", []float32{9, 9, -1, 2}), -math.Hypot(1, 6), ""},
		{foreign.Options{Model: "distmult"}, npy("<f8", "6, 2", one), npy("<f4", "2, 2", []float32{9, 9, -2, 2}), -6, ""},
		{foreign.Options{Model: "rescal"}, npy("<f8", "6, 2", one), npy("<f4", "2, 2, 2", []float32{9, 9, 9, 9, -2, 7, 5, 7}), 14, ""},
		{foreign.Options{Model: "rescal"}, npy("<f8", "6, 2", one), npy("<f4", "2, 4", []float32{9, 9, 9, 9, -2, 7, 5, 7}), 14, ""},
		{foreign.Options{Model: "rescal"}, npy("<f8", "6, 2", one), npy("<f4", "2, 2", []float32{1, 2, 3, 4}), 0,
			"tensor relation has shape [2 2], and that of a RESCAL whose entities have 2 numbers is [relations, 2, 2]"},
		{foreign.Options{Model: "complex"}, npy("<c16", "6, 1", one), npy("<c8", "2, 1", []float32{9, 9, 0, 1}), -4, ""},
		{foreign.Options{Model: "rotate"}, npy("<c16", "6, 1", one), npy("<f4", "2, 1", []float32{0, math.Pi / 2}),
			-math.Hypot(-4-1, 3), ""},
		{foreign.Options{Model: "rotate"}, npy("<c16", "6, 1", one), npy("<c8", "2, 1", []float32{1, 0, 0, -1}),
			-math.Hypot(4-1, 3), ""},
		{foreign.Options{Model: "rotate"}, npy("<c16", "6, 1", one), npy("<c8", "2, 1", []float32{1, 0, 2, 0}), 0,
			"row 1, number 0 has modulus 2"},
		{foreign.Options{}, npy("<f8", "6, 2", one), npy("<f4", "2, 2", []float32{1, 2, 3, 4}), 0,
			"does not say which model its tensors are of"},
		{foreign.Options{Model: "complex"}, npy("<f8", "6, 2", one), npy("<f4", "2, 2", []float32{1, 2, 3, 4}), 0,
			"tensor entity has shape [6 2], and that of ComplEx is [entities, D, 2]"},
		{foreign.Options{Model: "transe"}, npy("<f8", "4, 3", one), npy("<f4", "2, 3", make([]float32, 6)), 0,
			"entity.center has shape [4 3 1], and there are 6 names"},
		{foreign.Options{Model: "transe"}, npy("<f8", "6, 2", one), npy("<f4", "2, 3", make([]float32, 6)), 0,
			"tensor relation has shape [2 3], which does not fit"},
		{foreign.Options{Model: "transe"}, npy("<f8", "6, 2", one), npy("<i4", "2, 2", make([]float32, 4)), 0, `holds "<i4"`},
		{foreign.Options{Model: "transe"}, npy("<f8", "6, 2", one), npy("<f4", "2, 2", []float32{0, float32(math.NaN()), 0, 0}), 0,
			"tensor relation.phase has a value that is not finite"},
	} {
		m, err := foreign.Open(written(t, map[string][]byte{"entity": c.entity, "relation": c.relation}), g, c.options)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%v, want %s", err, c.refused)
			}
			continue
		}
		expect.NoError(t, err)
		got := score(t, m, g, [3]string{"Ann", "drinks", "tea"})
		if math.Abs(got-c.want) > 1e-5 || !strings.HasPrefix(m.Note, "1 name of the model") {
			t.Errorf("%s: score %v, want %v; %s", c.options.Model, got, c.want, m.Note)
		}
	}
}

// TestRefused opens what is not a model of the graph.
func TestRefused(t *testing.T) {
	t.Parallel()
	g := drinks(t)
	other, err := kg.New("wine", [][3]string{{"Zoe", "knows", "Ann"}, {"Ann", "drinks", "wine"}}, nil, nil)
	expect.NoError(t, err)
	for _, c := range []struct {
		path    string
		graph   *kg.Graph
		options foreign.Options
		want    string
	}{
		{"testdata/transe-l2", g, foreign.Options{Model: "transe"}, "has a model transe-l2, not transe"},
		{"testdata/rotate", other, foreign.Options{}, `no row for 1 of the 3 entities of graph wine, such as "wine"`},
		{"testdata/rotate", g, foreign.Options{Model: "transe"}, "has a model rotate, not transe"},
		{"testdata", g, foreign.Options{}, "there must be a file trained_model.pkl of PyKEEN, *.pt of LibKGE"},
		{"testdata/nosuch", g, foreign.Options{}, "no such file"},
	} {
		if _, err := foreign.Open(c.path, c.graph, c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
}
