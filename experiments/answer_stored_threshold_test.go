package experiments

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

func TestStoredThresholds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := tracker.RunInfo{ArtifactURI: "file://" + dir}
	write := func(name string, content []byte) {
		path := filepath.Join(dir, name)
		expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.NoError(t, os.WriteFile(path, content, 0o644))
	}
	if list, names := answer.StoredThresholds(run); list != nil || names != nil {
		t.Error("a run without artifacts has thresholds")
	}
	g, err := kg.Bundled()
	expect.NoError(t, err)
	_, relations, err := answer.NameTables(g)
	expect.NoError(t, err)
	write(answer.RelationsFile, relations)
	write(answer.ThresholdsFile, []byte(`[{"name":"fitted-f1","head":[1],"tail":[2]}]`))
	if list, _ := answer.StoredThresholds(run); list != nil {
		t.Error("thresholds of another number of relations are taken")
	}
	write(answer.RelationsFile, []byte("id\n0\n")) // a client of the server can replace an artifact
	if list, _ := answer.StoredThresholds(run); list != nil {
		t.Error("thresholds of relations without names are taken")
	}
	write(answer.RelationsFile, []byte("id\tname\n0\t\"a\tb\"\n"))
	list, names := answer.StoredThresholds(run)
	want := []sphere.Thresholds{{Name: "fitted-f1", Head: []float32{1}, Tail: []float32{2}}}
	if !reflect.DeepEqual(list, want) || !reflect.DeepEqual(names, []string{"a\tb"}) {
		t.Errorf("%v %q", list, names)
	}
}
