package foreign_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/foreign"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// ten is the graph of testdata/common.py.
func ten(t *testing.T) *kg.Graph {
	t.Helper()
	return expect.Must[*kg.Graph](t)(kg.Load(filepath.Join("testdata", "ten")))
}

// programScores is what the scripts of testdata write: scores as [relation][head][tail], by the order of the names.
type programScores struct {
	Entities, Relations []string
	Tail, Head          [][][]float64 // Head is nil where it is Tail
	MRR                 float64
}

// checkScores compares the scores of all triples, asked on both sides, and the filtered MRR of the test facts.
func checkScores(t *testing.T, name, path string, m *foreign.Model, g *kg.Graph) {
	t.Helper()
	raw, err := os.ReadFile(path)
	expect.NoError(t, err)
	var want programScores
	expect.NoError(t, json.Unmarshal(raw, &want))
	if want.Head == nil {
		want.Head = want.Tail
	}
	id := func(of *kg.Vocabulary, name string) int32 {
		n, known := of.ID(name)
		if !known {
			t.Fatalf("no name %s", name)
		}
		return n
	}
	distances := make([]float32, m.Entities())
	compared := 0
	for r, relation := range want.Relations {
		for a, known := range want.Entities {
			for side, scores := range map[kg.Side][][][]float64{kg.TailSide: want.Tail, kg.HeadSide: want.Head} {
				query := kg.Query{Side: side, Known: id(g.Entities, known), Relation: id(g.Relations, relation)}
				m.Distances([]kg.Query{query}, distances)
				for b, answer := range want.Entities {
					h, tail := a, b
					if side == kg.HeadSide {
						h, tail = b, a
					}
					got := -float64(distances[id(g.Entities, answer)])
					if s := scores[r][h][tail]; !(math.Abs(got-s) <= 2e-6*(1+math.Abs(s))) {
						t.Errorf("%s: %d %s %d: score %v, want %v", name, h, relation, tail, got, s)
					}
					compared++
				}
			}
		}
	}
	settings := eval.Settings{Cuts: []eval.Cut{eval.Top(2)}}
	report := expect.Must[*eval.Report](t)(eval.Run(t.Context(), m.Model, g, settings))
	if got := report.Ranking.Both.MRR; compared != 600 || math.Abs(got-want.MRR) > 1e-6 {
		t.Errorf("%s: %d scores; MRR %v, want %v", name, compared, got, want.MRR)
	}
}

// refusedModel is a model that is not read, and a part of the error.
type refusedModel struct {
	path    string
	options foreign.Options
	want    string
}

func checkRefused(t *testing.T, g *kg.Graph, all []refusedModel) {
	t.Helper()
	for _, c := range all {
		path := filepath.Join("testdata", c.path)
		if filepath.IsAbs(c.path) {
			path = c.path
		}
		_, err := foreign.Open(path, g, c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
}

// copied is a folder with copies of files of testdata.
func copied(t *testing.T, files ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join("testdata", file))
		expect.NoError(t, err)
		expect.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(file)), raw, 0o644))
	}
	return folder
}

// TestLibKGE reads checkpoints of LibKGE, and a packaged model from a folder without names.
func TestLibKGE(t *testing.T) {
	t.Parallel()
	g := ten(t)
	for _, c := range []struct{ name, model, variant string }{
		{"transe-l1", sphere.TransE, sphere.Clean}, {"transe-l2", sphere.TransEL2, sphere.Clean}, {"distmult", sphere.DistMult, sphere.Clean},
		{"complex", sphere.ComplEx, sphere.Clean}, {"rotate-l1", sphere.RotatE, sphere.Clean},
		{"rotate-l2", sphere.RotatE, sphere.Paper}, {"reciprocal-distmult", sphere.DistMult, sphere.Clean},
		{"reciprocal-complex", sphere.ComplEx, sphere.Clean}, {"rescal", sphere.RESCAL, sphere.Clean},
		{"tucker3", sphere.RESCAL, sphere.Clean}, {"reciprocal-tucker3", sphere.RESCAL, sphere.Clean},
	} {
		path, o := filepath.Join("testdata", "libkge", c.name+".pt"), foreign.Options{Gamma: 9}
		if c.name == "complex" {
			path = copied(t, "libkge/complex.pt")
		} else if c.name == "distmult" {
			path, o.Names = copied(t, "libkge/distmult.pt"), filepath.Join("testdata", "libkge")
		}
		m, err := foreign.Open(path, g, o)
		expect.NoError(t, err)
		s, isReciprocal, from := m.Settings(), strings.HasPrefix(c.name, "reciprocal"), sphere.Title(c.model)
		if strings.HasSuffix(c.name, "tucker3") {
			from = "relational_tucker3, as a RESCAL"
		}
		if s.Model != c.model || s.Variant != c.variant || s.Reciprocal != isReciprocal || s.Gamma != 9 || m.From != "LibKGE's "+from {
			t.Errorf("%s: %+v, %s", c.name, s, m.From)
		}
		checkScores(t, c.name, filepath.Join("testdata", "libkge", c.name+".json"), m, g)
	}
}

// TestLibKGERefused: what is not read is refused in words.
func TestLibKGERefused(t *testing.T) {
	t.Parallel()
	twice := copied(t, "libkge/distmult.pt", "libkge/conve.pt")
	odd := copied(t, "libkge/distmult.pt", "libkge/relation_ids.del")
	names := func(text string) string {
		folder := copied(t, "libkge/distmult.pt", "libkge/relation_ids.del")
		expect.NoError(t, os.WriteFile(filepath.Join(folder, "entity_ids.del"), []byte(text), 0o644))
		return folder
	}
	legacy := filepath.Join(t.TempDir(), "old.pt")
	expect.NoError(t, os.WriteFile(legacy, []byte("\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."), 0o644))
	checkRefused(t, ten(t), []refusedModel{
		{"libkge/transe-l3.pt", foreign.Options{}, "its config.options.transe.l_norm is 3; TransE is read with norm 1 or 2"},
		{"libkge/transe-l2.pt", foreign.Options{Model: "transe"}, "has a model transe-l2, not transe"},
		{"libkge/conve.pt", foreign.Options{}, "libkge/conve.pt has a model conve; read are transe, transe-l2, distmult"},
		{"libkge/distmult.pt", foreign.Options{Model: "complex"}, "has a model distmult, not complex"},
		{"libkge/rotate-l2.pt", foreign.Options{Variant: "clean"}, "rotate.l_norm is 2, which is not variant clean"},
		{"libkge/rotate-dist.pt", foreign.Options{}, "it is of dist-kge, whose versions differ"},
		{"libkge/reciprocal-transe.pt", foreign.Options{}, "has a reciprocal_relations_model of transe; with relations of their own"},
		{"libkge/reciprocal-odd.pt", foreign.Options{}, "tensor relation has 5 rows; a model with reciprocal relations has an even"},
		{"libkge/tucker3-core.pt", foreign.Options{}, "_relation_embedder.projection.weight has shape [15 3], and entities have 4 numbers"},
		{"libkge", foreign.Options{}, "files *.pt; name one of them: complex.pt, conve.pt"},
		{twice, foreign.Options{}, "has 2 files *.pt"},
		{odd, foreign.Options{}, "has no entity_ids.del or entity_strings.del with the names of the model's rows; copy"},
		{names("0\tAnn\n1 Bob\n"), foreign.Options{}, "entity_ids.del:2: the line must have an id and a name"},
		{names("0\tAnn\n0\tBob\n"), foreign.Options{}, `entity_ids.del:2: id "0" is not a number from 0 to 1`},
		{names("\n"), foreign.Options{}, "entity_ids.del has no names"},
		{names("0\tAnn\n1\tBob\n"), foreign.Options{}, "the model has no row for 8 of the 10 entities"},
		{"rotate/trained_model.pkl", foreign.Options{Variant: "clean"}, "has a RotatE of variant paper, not clean; leave out"},
		{"rotate/trained_model.pkl", foreign.Options{Names: "testdata/ten"}, "folder testdata/ten has no entity_to_id.tsv.gz"},
		{legacy, foreign.Options{}, "was saved by PyTorch before 1.6; load it, and save it with a later one"},
	})
}

// TestDGLKE reads models that DGL-KE has written. Scores and MRR are its own.
func TestDGLKE(t *testing.T) {
	t.Parallel()
	g := ten(t)
	for model, gamma := range map[string]float64{"transe-l1": 5, "transe-l2": 6, "distmult": sphere.DefaultGamma, "complex": sphere.DefaultGamma,
		"rescal": sphere.DefaultGamma, "rotate": 9} {
		folder := filepath.Join("testdata", "dglke")
		m, err := foreign.Open(filepath.Join(folder, model), g, foreign.Options{Names: folder})
		expect.NoError(t, err)
		s := m.Settings()
		if s.Model != strings.TrimSuffix(model, "-l1") || s.Gamma != gamma || m.From != "DGL-KE's "+sphere.Title(s.Model) {
			t.Errorf("%s: %+v, %s", model, s, m.From)
		}
		checkScores(t, model, filepath.Join(folder, model+".json"), m, g)
	}
	// Another margin moves no relation, names are next to the arrays, and an array names its folder.
	folder := copied(t, "dglke/rotate/config.json", "dglke/rotate/ten_RotatE_entity.npy", "dglke/rotate/ten_RotatE_relation.npy",
		"dglke/entities.tsv", "dglke/relations.tsv")
	expect.NoError(t, os.Rename(filepath.Join(folder, "entities.tsv"), filepath.Join(folder, "entities.dict")))
	m, err := foreign.Open(filepath.Join(folder, "ten_RotatE_entity.npy"), g, foreign.Options{Gamma: 3})
	expect.NoError(t, err)
	checkScores(t, "rotate of gamma 3", filepath.Join("testdata", "dglke", "rotate.json"), m, g)
}

// TestDGLKERefused: what is not read is refused in words.
func TestDGLKERefused(t *testing.T) {
	t.Parallel()
	with := func(config string, files ...string) string {
		folder := copied(t, append(files, "dglke/entities.tsv", "dglke/relations.tsv")...)
		expect.NoError(t, os.WriteFile(filepath.Join(folder, "config.json"), []byte(config), 0o644))
		return folder
	}
	config := func(model string, size int) string {
		return fmt.Sprintf(`{"dataset": "ten", "model": %q, "emb_size": %d, "gamma": 8}`, model, size)
	}
	short := with(config("RotatE", 4), "dglke/rotate/ten_RotatE_relation.npy")
	raw, err := os.ReadFile("testdata/dglke/rotate/ten_RotatE_entity.npy")
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(filepath.Join(short, "ten_RotatE_entity.npy"), raw[:len(raw)-1], 0o644))
	narrow := with(config("RotatE", 4), "dglke/rotate/ten_RotatE_relation.npy")
	raw, err = os.ReadFile("testdata/dglke/complex/ten_ComplEx_entity.npy")
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(filepath.Join(narrow, "ten_RotatE_entity.npy"), raw, 0o644))
	wide := with(config("RotatE", 8), "dglke/rotate/ten_RotatE_entity.npy", "dglke/rotate/ten_RotatE_relation.npy")
	checkRefused(t, ten(t), []refusedModel{
		{with(config("SimplE", 4)), foreign.Options{}, "config.json has a model SimplE; read are transe, transe-l2, distmult, complex, rotate"},
		{"dglke/rotate", foreign.Options{Model: "complex"}, "has a model rotate, not complex"},
		{"dglke/rotate", foreign.Options{Variant: "paper"}, "config.json has a RotatE of variant clean, not paper; leave out"},
		{"dglke/rotate.json", foreign.Options{}, "rotate.json is not read; DGL-KE writes config.json"},
		{wide, foreign.Options{}, "config.json: emb_size is 8, and relations have 4 angles"},
		{"dglke/rotate", foreign.Options{}, "has no entities.tsv or entities.dict with the names of the model's rows; copy"},
		{with(config("RotatE", 4)), foreign.Options{}, "ten_RotatE_entity.npy: no such file"},
		{short, foreign.Options{}, "ten_RotatE_entity.npy has not the 320 bytes that its shape needs"},
		{narrow, foreign.Options{}, "config.json: tensor relation has shape [3 4], which does not fit that of entity, [10 2 2]"},
		{with(config("RotatE", 0)), foreign.Options{}, "config.json must have dataset, model, emb_size and gamma"},
		{with("{"), foreign.Options{}, "config.json: unexpected end of JSON input"},
	})
}

// TestOpenKE reads checkpoints of OpenKE. A TransE is read by the norm_flag with which it was made.
func TestOpenKE(t *testing.T) {
	t.Parallel()
	g := ten(t)
	for _, c := range []struct {
		file, scores string
		options      foreign.Options
		gamma        float64
	}{
		{"transe", "transe-normalized", foreign.Options{Model: sphere.TransE, NormFlag: "true"}, sphere.DefaultGamma},
		{"transe-margin", "transe-plain", foreign.Options{Model: sphere.TransE, NormFlag: "false"}, 7},
		{"transe", "transe-l2", foreign.Options{Model: sphere.TransEL2, NormFlag: "true"}, sphere.DefaultGamma},
		{"transe-margin", "transe-l2-plain", foreign.Options{Model: sphere.TransEL2, NormFlag: "false"}, 7},
		{"distmult", "distmult", foreign.Options{Model: sphere.DistMult}, sphere.DefaultGamma},
		{"complex", "complex", foreign.Options{}, sphere.DefaultGamma},
		{"rotate", "rotate", foreign.Options{}, 4},
		{"rotate", "rotate", foreign.Options{Gamma: 2}, 2},
	} {
		m, err := foreign.Open(filepath.Join("testdata", "openke", c.file+".ckpt"), g, c.options)
		expect.NoError(t, err)
		s := m.Settings()
		if !strings.HasPrefix(c.scores, s.Model) || c.options.Model != "" && s.Model != c.options.Model || s.Gamma != c.gamma || m.From != "OpenKE's "+sphere.Title(s.Model) {
			t.Errorf("%s: %+v, %s", c.file, s, m.From)
		}
		checkScores(t, c.scores, filepath.Join("testdata", "openke", c.scores+".json"), m, g)
	}
}

// TestHints: an error that the user can answer says how.
func TestHints(t *testing.T) {
	t.Parallel()
	g := ten(t)
	for _, c := range []struct {
		path    string
		options foreign.Options
		want    hint.Hint
	}{
		{"dglke/rotate", foreign.Options{}, hint.Hint{Action: hint.NameRows}},
		{"openke/transe.ckpt", foreign.Options{}, hint.Hint{Action: hint.NameModel, Subject: "transe, transe-l2, distmult"}},
		{"openke/transe-margin.ckpt", foreign.Options{}, hint.Hint{Action: hint.NameModel, Subject: "transe, transe-l2"}},
		{"openke/transe-margin.ckpt", foreign.Options{Model: "transe"}, hint.Hint{Action: hint.NameNormFlag}},
	} {
		_, err := foreign.Open(filepath.Join("testdata", c.path), g, c.options)
		if got := hint.Of(err); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %v, %v", c.path, err, got)
		}
	}
}

// TestOpenKERefused: what is not read is refused in words.
func TestOpenKERefused(t *testing.T) {
	t.Parallel()
	names := func(text string) string {
		folder := copied(t, "openke/complex.ckpt", "openke/relation2id.txt")
		expect.NoError(t, os.WriteFile(filepath.Join(folder, "entity2id.txt"), []byte(text), 0o644))
		return folder
	}
	checkRefused(t, ten(t), []refusedModel{
		{"openke/transe.ckpt", foreign.Options{}, "transe.ckpt does not say which model its tensors are of"},
		{"openke/transe.ckpt", foreign.Options{Model: "transe"}, "it does not say whether the TransE was made with norm_flag True"},
		{"openke/transe.ckpt", foreign.Options{Model: "rotate"}, "has no rel_embedding_range, by which relations of RotatE turn"},
		{"openke/transe.ckpt", foreign.Options{Model: "complex"}, "transe.ckpt does not say which model its tensors are of"},
		{"openke/distmult.ckpt", foreign.Options{Model: "rescal"}, "distmult.ckpt does not say which model its tensors are of"},
		{"openke/complex.ckpt", foreign.Options{Model: "transe"}, "has a model complex, not transe"},
		{"openke/rotate.ckpt", foreign.Options{NormFlag: "true"}, "it has a model rotate; norm_flag is of OpenKE's TransE"},
		{"openke/rotate.ckpt", foreign.Options{Variant: "paper"}, "rotate.ckpt has a RotatE of variant clean, not paper"},
		{"openke/transh.ckpt", foreign.Options{}, "has a tensor norm_vector.weight, which no model has that is read"},
		{"libkge/complex.pt", foreign.Options{NormFlag: "true"}, "complex.pt is not of OpenKE, whose TransE has a norm_flag"},
		{"openke", foreign.Options{}, "files *.ckpt; name one of them: complex.ckpt, distmult.ckpt"},
		{copied(t, "openke/complex.ckpt"), foreign.Options{}, "has no entity2id.txt with the names of the model's rows; copy"},
		{names("2\nAnn\t0\n"), foreign.Options{}, `entity2id.txt:1: the first line is "2", and 1 lines with names follow`},
		{names("2\nAnn\t0\nBob\n"), foreign.Options{}, "entity2id.txt:3: the line must have a name and an id"},
		{names("2\nAnn\t0\nBob\t2\n"), foreign.Options{}, `entity2id.txt:3: id "2" is not a number from 0 to 1`},
	})
}
