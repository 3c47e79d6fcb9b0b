package results

import (
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/internal/expect"
)

// TestSeenBefore names the models that know the graph, and no other.
func TestSeenBefore(t *testing.T) {
	t.Parallel()
	rows := []Row{{Model: "SpherE-2D", RunIDs: []string{"a"}}, {Model: "ULTRA 3g", RunIDs: []string{"b"}},
		{Model: "ULTRA 50g", RunIDs: []string{"c"}}, {Model: "Rules + Inductive + trees", RunIDs: []string{"d"}}}
	const three, fifty, own = "ULTRA 3g: its weights were trained on this graph.",
		"ULTRA 50g: its weights were trained on this graph.", "Inductive: its weights were trained on this graph."
	for _, c := range []struct{ graph, digest, want string }{
		{"wn18rr", "", three + "|" + fifty + "|" + own},
		{"nations", "", own},
		{"CoDEx-M", "", three + "|" + fifty},
		{"nell-995", "", fifty},
		{"codex-l", "", ""},
		{"umls", "", ""},
		{"copy", embeddedDigest(t, "wn18rr"), three + "|" + fifty + "|" + own},
		{"copy", embeddedDigest(t, "fb15k-237"), three + "|" + fifty + "|" + own},
		{"copy", "a0f7547a298ef113a4772ef67246672c77645b7c3c502d8702ea34e28d079aea", own},
		{"copy", embeddedDigest(t, "umls"), ""},
	} {
		var texts []string
		for _, n := range seenBefore(c.graph, c.digest, rows) {
			texts = append(texts, n.Text)
		}
		if got := strings.Join(texts, "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.graph, got, c.want)
		}
	}
	if notes := seenBefore("wn18rr", "", []Row{{Model: "ULTRA 3g"}}); len(notes) > 0 {
		t.Errorf("a missing row has a note: %v", notes)
	}
}

// embeddedDigest is that of a graph in the embedded results.
func embeddedDigest(t *testing.T, graph string) string {
	t.Helper()
	files, err := EmbeddedResults()
	expect.NoError(t, err)
	i := slices.IndexFunc(files, func(f ArchiveFile) bool { return Read(f.Info).Graph == graph })
	if i < 0 {
		t.Fatalf("no embedded run on %s", graph)
	}
	return Read(files[i].Info).GraphDigest
}

// TestFiftyGraphs counts the graphs of ultra-50g by their names in its home.
func TestFiftyGraphs(t *testing.T) {
	t.Parallel()
	set, err := dataset.FindFetched("ultra-50g")
	expect.NoError(t, err)
	names := slices.DeleteFunc(slices.Clone(set.Training), func(name string) bool { return strings.Contains(name, "-") })
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != 50 {
		t.Errorf("%d graphs: %q", n, names)
	}
}
