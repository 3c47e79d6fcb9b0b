package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

func writeFolder(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	expect.NoError(t, os.MkdirAll(dir, 0o755))
	for name, content := range files {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
}

func TestGraphPlaces(t *testing.T) {
	here, data := t.TempDir(), t.TempDir()
	t.Chdir(here)
	files := map[string]string{"train.txt": "a\tr\tb\nb\tr\tc\n", "valid.txt": "a\tr\tc\n", "test.txt": "c\tr\ta\n",
		"entity_labels.tsv": "a\tAnna\nb\tBert\n"}
	writeFolder(t, filepath.Join(data, "people"), files)
	writeFolder(t, filepath.Join(here, "mine"), files)
	writeFolder(t, here, map[string]string{"tiny.csv": "a,r,b\n"})
	s := New(Options{DataDirs: []string{data}})
	for name, source := range map[string]string{"bundled": "", "people": filepath.Join(data, "people"),
		"mine":   filepath.Join(here, "mine"),
		"./mine": filepath.Join(here, "mine"), "tiny.csv": filepath.Join(here, "tiny.csv")} {
		if g := s.Graph(name); g.KG().Source != source || source != "" && g.data != source {
			t.Errorf("%s: source %q, data %q", name, g.KG().Source, g.data)
		}
	}
	for name, words := range map[string][]string{
		"peple": {`did you mean "people"?`, "here are: bundled, people, mine", "spherelab data get NAME",
			"fb15k-237", "head,relation,tail"},
		"fb15k-237": {"spherelab data get fb15k-237"},
		"./none":    {"a folder with a train file"},
		"none.csv":  {"none.csv", here},
	} {
		e := caught(t, func() { s.Graph(name) })
		for _, word := range words {
			if e.Name != UnknownGraph || !strings.Contains(e.Message, word) {
				t.Errorf("%s: %s: %s, want %q", name, e.Name, e.Message, word)
			}
		}
	}
	writeFolder(t, here, map[string]string{"one.csv": "a,r,a\n"})
	if e := caught(t, func() { s.Graph("sub/none.csv") }); e.Message != "there is no file sub/none.csv; the current folder is "+here {
		t.Errorf("a file in a folder: %s", e.Message)
	}
	if abs := filepath.Join(data, "none.csv"); caught(t, func() { s.Graph(abs) }).Message != "there is no file "+abs {
		t.Errorf("a file by its full name: %s", caught(t, func() { s.Graph(abs) }).Message)
	}
	if e := caught(t, func() { s.Train(s.Graph("one.csv"), s.Model("sphere-2d")) }); e.Name != BadGraph ||
		!strings.Contains(e.Message, "1 entity") {
		t.Errorf("a graph of one entity: %s: %s", e.Name, e.Message)
	}
	g := s.Graph("people")
	if found := g.Find("anna"); found.Len() == 0 || found.Strings("name")[0] != "Anna" ||
		found.Strings("id")[0] != "a" || found.Numbers("facts")[0] != 3 {
		t.Errorf("found %s", found)
	}
	if facts := g.Facts("Anna"); facts.Len() != 3 || facts.Strings("tail")[0] != "Bert" {
		t.Errorf("facts %s", facts)
	}
	if none := g.Find("xyzzy"); none.Len() != 0 || !strings.Contains(none.String(), "no name is similar") {
		t.Errorf("found %s", none)
	}
	if e := caught(t, func() { g.Facts("Ana") }); e.Name != UnknownEntity || !strings.Contains(e.Message, `"Anna"`) {
		t.Errorf("%s: %s", e.Name, e.Message)
	}
	if e := caught(t, func() { g.Facts("xyzzy") }); e.Name != UnknownEntity || !strings.Contains(e.Message, "g.Find(") {
		t.Errorf("%s: %s", e.Name, e.Message)
	}
	if r := g.Relations(); r.Len() != 1 || r.Numbers("facts")[0] != 4 {
		t.Errorf("relations %s", r)
	}
}

// TestNothingIsMarkup: names of every kind are shown as they are.
func TestNothingIsMarkup(t *testing.T) {
	t.Parallel()
	evil := `<script>alert(1)</script>"&'` + "\u202e\x07"
	g, err := kg.New(evil, [][3]string{{evil, evil + "r", "b"}, {"b", evil + "r", "c"}, {"c", evil + "r", evil}}, nil,
		nil)
	expect.NoError(t, err)
	graph := &Graph{graph: g, data: "x"}
	s := New(Options{})
	rows := newRows(&tracker.Table{Columns: []string{evil}, Rows: [][]any{{evil}, {nil}, {time.Unix(0, 0)}, {1.5}}})
	run := &Run{session: s, run: results.Read(tracker.RunInfo{ID: "0123456789", Name: evil, Status: evil,
		Params: map[string]string{"graph": evil, "model": evil}})}
	for what, html := range map[string]string{
		"graph": graph.HTML(), "find": graph.Find(evil).HTML(), "facts": graph.Facts(evil).HTML(),
		"relations": graph.Relations().HTML(), "rows": rows.HTML(),
		"run": run.HTML(), "runs": (&RunList{runs: []*Run{run}}).HTML(), "compare": s.Compare(run, run).HTML(),
		"model": s.Model("rotate").Name(evil[:20]).HTML(),
		"grid": newGrid(&results.Grid{Title: evil, Notes: []hint.Note{{Text: evil}},
			Columns: []results.Column{{Key: evil}}, Rows: [][]string{{evil}}}).HTML(),
	} {
		if strings.Contains(html, "<script>") || strings.ContainsAny(html, "\u202e\x07") {
			t.Errorf("%s: %s", what, html)
		}
		if strings.Count(html, "<") != strings.Count(html, ">") {
			t.Errorf("%s: the markup is broken: %s", what, html)
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	var values [][]any
	for i := range 205 {
		values = append(values, []any{int64(i), "x", nil, "1.25"})
	}
	r := newRows(&tracker.Table{Columns: []string{"n", "s", "none", "numeric"}, Rows: values})
	if text := r.String(); !strings.Contains(text, "the first 200 of 205 rows") || strings.Contains(text, "204") {
		t.Errorf("text: %s", text)
	}
	if r.Numbers("numeric")[3] != 1.25 || r.Numbers("none")[0] == r.Numbers("none")[0] || r.Value(3, "n") != int64(3) ||
		r.Strings("s")[0] != "x" {
		t.Error("values")
	}
	for _, c := range []struct {
		do   func()
		word string
	}{
		{func() { r.Numbers("s") }, `"x"`}, {func() { r.Strings("m") }, "there are: n, s, none, numeric"},
		{func() { r.Value(205, "n") }, "205"},
		{func() { r.Write("x.doc") }, ".csv"}, {func() { r.Write(filepath.Join(t.TempDir(), "no", "x.csv")) }, "x.csv"},
	} {
		if e := caught(t, c.do); !strings.Contains(e.Message, c.word) {
			t.Errorf("%s, want %q", e.Message, c.word)
		}
	}
	path := filepath.Join(t.TempDir(), "all.csv")
	r.Write(path)
	if raw, err := os.ReadFile(path); err != nil || strings.Count(string(raw), "\n") != 206 {
		t.Errorf("%d lines, %v", strings.Count(string(raw), "\n"), err)
	}
}

func TestGraphDivision(t *testing.T) {
	t.Chdir(t.TempDir())
	var text strings.Builder
	for i := range 40 {
		j := (i + 1) % 40
		fmt.Fprintf(&text, "e%d,beside,e%d\ne%d,beside,e%d\n", i, j, j, i)
	}
	writeFolder(t, ".", map[string]string{"ring.csv": text.String()})
	s := New(Options{})
	plain, whole := s.Graph("ring.csv", "split.leakless=false"), s.Graph("ring.csv", "split.leakless=true", "split.test=0.2")
	if plain.KG().Leaks == 0 || whole.KG().Leaks != 0 || len(whole.KG().Test) != 16 || !whole.split.Leakless {
		t.Errorf("%s\n%s", plain, whole)
	}
	if !strings.Contains(plain.String(), "warning: ring.csv: ") ||
		!strings.Contains(plain.String(), "split.leakless=true keeps twins in one split") {
		t.Error(plain)
	}
	if auto := s.Graph("ring.csv"); auto.KG().Leaks != 0 || !auto.split.Leakless ||
		!strings.Contains(auto.String(), "would have one in train") {
		t.Errorf("by default %s", auto)
	}
	for _, item := range []string{"leakless", "seed=2", "split.sed=2", "split.test=2", "file.column=x",
		"file.quotes=maybe"} {
		e := caught(t, func() { s.Graph("ring.csv", item) })
		if !strings.Contains(e.Error(), item) {
			t.Errorf("%s: %v", item, e)
		}
	}
	writeFolder(t, ".", map[string]string{"pairs.csv": strings.ReplaceAll(text.String(), ",beside,", ",")})
	if e := caught(t, func() { s.Graph("pairs.csv") }); !strings.Contains(e.Error(), "file.relation=NAME") {
		t.Errorf("pairs without a relation: %v", e)
	}
	if g := s.Graph("pairs.csv", "file.relation=beside"); g.KG().Relations.Name(0) != "beside" || len(g.KG().Train) != 64 ||
		g.file.Relation != "beside" {
		t.Errorf("pairs: %s", g)
	}
	e := caught(t, func() { s.Model("rotate").Set("split.seed", 2) })
	if !strings.Contains(e.Error(), "lab.Graph") {
		t.Error(e)
	}
	if html := s.Model("rotate").HTML(); strings.Contains(html, "split.") {
		t.Errorf("the model shows how the graph is divided:\n%s", html)
	}
}
