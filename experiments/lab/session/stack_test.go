package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestStack combines two runs with and without trees, asks and explains, and names what cannot be combined.
func TestStack(t *testing.T) {
	t.Parallel()
	s, _ := newTestSession(t, trackertest.Open(t))
	var ring strings.Builder
	ring.WriteString("head,relation,tail\n")
	for i := range 40 {
		fmt.Fprintf(&ring, "e%d,next,e%d\ne%d,third,e%d\n", i, (i+1)%40, i, (i+3)%40)
	}
	file := filepath.Join(t.TempDir(), "ring.csv")
	expect.NoError(t, os.WriteFile(file, []byte(ring.String()), 0o644))
	g := s.Graph(file, "split.valid=0.15", "split.test=0.1")
	m := s.Model("sphere-2d").Dim(2).Epochs(1).Set("eval.bootstrap", 0)
	a, b := s.Train(g, m), s.Train(g, m.Seed(7))
	plain, trees := s.Stack(a, b), s.StackTrees(a, b)
	if plain.Param("model") != "sphere-2d+sphere-2d" || trees.Param("model") != "sphere-2d+sphere-2d+trees" ||
		plain.Digest() == trees.Digest() || plain.Metric("valid/mrr") == 0 {
		t.Errorf("models %s and %s", plain.Param("model"), trees.Param("model"))
	}
	set := trees.Ask("e1", "next", "?")
	if text := set.String(); !strings.Contains(text, "probability") {
		t.Errorf("a stack answers without probabilities:\n%s", text)
	}
	html := trees.Explain("e1", "next", "e4").HTML()
	if !strings.Contains(html, "log odds as the tail ") || strings.Contains(html, "distance after rotation") {
		t.Errorf("explained:\n%s", html)
	}
	for want, stack := range map[string]func(){
		"at least two runs": func() { s.Stack(a) },
		"run 2 of the stac": func() { s.Stack(a, nil) },
		"is a stack itself": func() { s.StackTrees(a, plain) },
	} {
		if e := caught(t, stack); !strings.Contains(e.Message, want) {
			t.Errorf("%s: %s, want %q", e.Name, e.Message, want)
		}
	}
}
