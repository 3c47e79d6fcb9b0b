package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestAutoIsRefusedElsewhere(t *testing.T) {
	t.Parallel()
	for _, item := range []string{"dimension=auto", "train.learning_rate=auto", "eval.top_l=auto"} {
		_, err := load(Layers{Config: "auto/rotate", Set: []string{item}})
		if err == nil || !strings.Contains(err.Error(), item) {
			t.Errorf("%s: %v", item, err)
		}
	}
}

func TestAutoOfGraphsFindsTheirOwnConfigs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ graph, model, want string }{
		{"bundled", "", "rotate batch 256; sphere-2d batch 256; "},
		{"umls", "sphere-3d", "sphere-3d batch 512; "},
		{"/somewhere/umls", "rotate", "rotate batch auto; "},
		{"facts.csv", "", "rotate batch auto; sphere-2d batch auto; "},
	} {
		configs, err := LoadForGraph(Layers{Set: []string{"data=other"}}, test.graph, test.model)
		expect.NoError(t, err)
		got := ""
		for _, checked := range configs {
			c := checked.Config()
			got += fmt.Sprintf("%s batch %s; ", c.Model, c.Flatten()["train.batch"])
		}
		if got != test.want {
			t.Errorf("%s %s: %s, want %s", test.graph, test.model, got, test.want)
		}
	}
}

func TestFindGraph(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "circle")
	expect.NoError(t, os.Mkdir(folder, 0o755))
	for _, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("a\tr\t"+name+"\n"), 0o644))
	}
	dirs := []string{filepath.Dir(folder)}
	for _, test := range []struct {
		name, data string
		ok         bool
	}{
		{"bundled", "bundled", true},
		{"/x/facts.csv", "/x/facts.csv", true}, // opening it says that it is not there
		{"/x/facts.nt.gz", "/x/facts.nt.gz", true},
		{folder, folder, true},
		{"circle", "circle", true},       // in dirs
		{"fb15k-237", "fb15k-237", true}, // can be fetched
		{"circel", "", false},
		{"bundled/rotate", "", false},
		{filepath.Dir(folder), "", false},
	} {
		data, ok := FindGraph(test.name, dirs)
		if ok != test.ok || ok && data != test.data {
			t.Errorf("%s: %s, %v", test.name, data, ok)
		}
	}
	file := writeConfig(t, "model: rotate\n")
	for name, want := range map[string]bool{file: true, "bundled/rotate": true,
		"experiments/configs/umls/rotate.yaml": true,
		"bundled":                              false, folder: false, filepath.Join(folder, "train.txt"): false,
		"nosuch.yaml": false} {
		if Exists(name) != want {
			t.Errorf("%s: a config: %v", name, !want)
		}
	}
}

// load is Load with the values.
func load(l Layers) (*Config, error) {
	checked, err := Load(l)
	if err != nil {
		return nil, err
	}
	return checked.Config(), nil
}
