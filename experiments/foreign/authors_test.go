package foreign_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/foreign"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
)

// TestAuthors reads folders of RotatE's and HousE's authors, with a checkpoint or with arrays.
func TestAuthors(t *testing.T) {
	t.Parallel()
	g, names := ten(t), filepath.Join("testdata", "authors")
	for _, c := range []struct {
		folder, file, of string
		gamma            float64
	}{
		{"transe", "checkpoint", "TransE of RotatE's authors", 5},
		{"distmult", "relation_embedding.npy", "DistMult of RotatE's authors", sphere.DefaultGamma},
		{"complex", "", "ComplEx of RotatE's authors", sphere.DefaultGamma},
		{"rotate", "", "RotatE of RotatE's authors", 4}, // not 12, which its config has
		{"rotate-old", "checkpoint", "RotatE of RotatE's authors", 6},
		{"house-5d", "config.json", "HousE-5D of HousE's authors", 9},
		{"house-10d", "", "HousE-10D of HousE's authors", 9},
	} {
		m, err := foreign.Open(filepath.Join(names, c.folder, c.file), g, foreign.Options{Names: names})
		expect.NoError(t, err)
		s := m.Settings()
		if !strings.HasPrefix(c.folder, s.Model) || s.Variant != sphere.Clean || s.Gamma != c.gamma || m.From != c.of {
			t.Errorf("%s: %+v, %s", c.folder, s, m.From)
		}
		checkScores(t, c.folder, filepath.Join(names, c.folder+".json"), m, g)
	}
	// Another margin moves no relation.
	m, err := foreign.Open(filepath.Join(names, "rotate"), g, foreign.Options{Names: names, Gamma: 3})
	expect.NoError(t, err)
	if m.Settings().Gamma != 3 {
		t.Errorf("gamma is %v", m.Settings().Gamma)
	}
	checkScores(t, "rotate of gamma 3", filepath.Join(names, "rotate.json"), m, g)
}

// TestAuthorsRefused: what is not read is refused in words.
func TestAuthorsRefused(t *testing.T) {
	t.Parallel()
	with := func(config string, files ...string) string {
		folder := copied(t, append(files, "authors/entities.dict", "authors/relations.dict")...)
		expect.NoError(t, os.WriteFile(filepath.Join(folder, "config.json"), []byte(config), 0o644))
		return folder
	}
	arrays := []string{"authors/house-10d/entity_embedding.npy", "authors/house-10d/relation_embedding.npy"}
	checkRefused(t, ten(t), []refusedModel{
		{"authors/protate", foreign.Options{}, "config.json has a model pRotatE; read are transe, transe-l2, distmult, complex, rotate"},
		{"authors/house", foreign.Options{}, "has a model HousE, which has projections besides rotations; read is HousE_r"},
		{"authors/house_plus", foreign.Options{}, "has a model HousE_plus, which has projections and translations besides"},
		{"authors/house_r_plus", foreign.Options{}, "has a model HousE_r_plus, which has translations besides rotations"},
		{"authors/house-2d", foreign.Options{}, "its house_dim is 2; HousE_r is read with 5, 10 or 20"},
		{"authors/house-5d", foreign.Options{Variant: "paper"}, "it has a model house-5d of variant clean; leave out"},
		{"authors/rotate", foreign.Options{Variant: "paper"}, "has a RotatE of variant clean, not paper; leave out --variant"},
		{"authors/rotate", foreign.Options{Model: "complex"}, "has a model rotate, not complex"},
		{"authors/rotate", foreign.Options{}, "has no entities.dict with the names of the model's rows; copy"},
		{"authors/rotate", foreign.Options{NormFlag: "true"}, "is not of OpenKE"},
		{with(`{"model": "HousE_r", "hidden_dim": 20}`, arrays...), foreign.Options{}, "must have model, hidden_dim and gamma"},
		{with(`{"model": "RotatE", "hidden_dim": 20, "gamma": 3}`, arrays...), foreign.Options{},
			"entity_embedding and relation_embedding have shapes [10 2 10] and [3 2 100]; they have a row for each name"},
		{with(`{"model": "HousE_r", "hidden_dim": 4, "gamma": 3}`, "authors/distmult/entity_embedding.npy",
			"authors/distmult/relation_embedding.npy"), foreign.Options{}, "have shapes [10 4] and [3 4]; HousE_r has blocks"},
		{with(`{"model": "HousE_r", "hidden_dim": 4, "gamma": 3}`, arrays[0], "authors/house-2d/relation_embedding.npy"),
			foreign.Options{}, "relation_embedding has shape [3 2 4], which does not fit that of entity_embedding, [10 2 10]"},
		{with(`{"model": "RotatE", "hidden_dim": 3, "gamma": 3}`, "authors/rotate-old/checkpoint"), foreign.Options{},
			"entity_embedding.npy: no such file"},
		{with("{", arrays...), foreign.Options{}, "config.json: unexpected end of JSON input"},
	})
	other := with(`{"model": "RotatE", "hidden_dim": 3, "gamma": 3}`)
	raw, err := os.ReadFile("testdata/libkge/complex.pt")
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(filepath.Join(other, "checkpoint"), raw, 0o644))
	checkRefused(t, ten(t), []refusedModel{{other, foreign.Options{},
		"checkpoint has no model_state_dict.gamma and model_state_dict.embedding_range that are positive numbers"}})
}
