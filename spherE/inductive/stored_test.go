package inductive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestStored writes a model and loads it: it has the same digest and the same bits, on that graph alone.
func TestStored(t *testing.T) {
	t.Parallel()
	g := graphOf(t, 59, 30, 4, 80, 0)
	m, err := networkOf(t, randomTensors(61, 16, 1, 2)).On("random", g)
	expect.NoError(t, err)
	raw, err := m.JSON()
	expect.NoError(t, err)
	path := filepath.Join(t.TempDir(), "model.json")
	write := func(content string) {
		t.Helper()
		expect.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	write(string(raw))
	again, err := Load(path, g)
	expect.NoError(t, err)
	if again.Digest() != m.Digest() || again.Settings() != m.Settings() || again.Settings().Model != "random" {
		t.Errorf("digest %s, settings %+v", again.Digest(), again.Settings())
	}
	queries := queriesOf(g, 8)
	sameScores(t, scoresOf(t, again, queries, 1), scoresOf(t, m, queries, 1))

	for _, h := range AllHeads() {
		raw, err := m.WithHeads(h).JSON()
		expect.NoError(t, err)
		write(string(raw))
		again, err := Load(path, g)
		expect.NoError(t, err)
		differs := again.Digest() != m.Digest()
		if again.Heads() != h || again.Digest() != m.WithHeads(h).Digest() || differs == (h == Inverse) {
			t.Errorf("%s: heads %s, digest %s", h, again.Heads(), again.Digest())
		}
		sameScores(t, scoresOf(t, again, queries, 1), scoresOf(t, m.WithHeads(h), queries, 1))
		write(strings.Replace(string(raw), string(h), "guess", 1))
		if _, err := Load(path, g); err == nil || !strings.Contains(err.Error(), "guess") {
			t.Errorf("unknown heads: %v", err)
		}
	}
	write(string(raw))

	other := graphOf(t, 67, 30, 4, 80, 0)
	if _, err := Load(path, other); err == nil || !strings.Contains(err.Error(), "is for another graph") {
		t.Errorf("on another graph: %v", err)
	}
	moved, err := m.network.On("random", other)
	if err != nil || moved.Digest() == m.Digest() {
		t.Errorf("another graph has the same digest: %v", err)
	}
	write(strings.Replace(string(raw), `"floats":"`, `"floats":"AA`, 1))
	if _, err := Load(path, g); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("damaged: %v", err)
	}
	write(string(raw[:len(raw)/2]))
	if _, err := Load(path, g); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("cut: %v", err)
	}
}

// TestDistances: distances are minus scores, whichever way they are asked for.
func TestDistances(t *testing.T) {
	t.Parallel()
	g := graphOf(t, 71, 30, 4, 80, 0)
	m, err := networkOf(t, randomTensors(73, 16, 1, 2)).On("random", g)
	expect.NoError(t, err)
	queries := queriesOf(g, 6)
	n := m.Entities()
	all, one, values := make([]float32, len(queries)*n), make([]float32, n), make([]float32, n)
	m.Distances(queries, all)
	for i, scores := range scoresOf(t, m, queries, 1) {
		m.DistancesAt(queries[i], nil, one)
		threshold := m.Values(m.DefaultCriterion(), queries[i], one, values)
		for e, s := range scores {
			if all[i*n+e] != -s || one[e] != -s || values[e] != -s || threshold != 0 {
				t.Fatalf("query %d, entity %d: %g, %g, %g, want %g", i, e, all[i*n+e], one[e], values[e], -s)
			}
		}
	}
}
