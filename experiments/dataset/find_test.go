package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE/kg"
)

func makeGraph(t *testing.T, dir string) {
	t.Helper()
	expect.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("a\tr\tb\n"), 0o644))
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	digest := regexp.MustCompile(`^[0-9a-f]{64}$`)
	seen := map[string]bool{}
	for _, s := range List() {
		if s.Title == "" || s.Licence == "" || s.Home == "" || len(s.Files) != 3 {
			t.Errorf("%s is incomplete: %+v", s.Name, s)
		}
		for i, f := range s.Files {
			if f.Name != kg.Split(i).String()+".txt" || f.Triples <= 0 || !digest.MatchString(f.Digest) ||
				seen[f.Digest] {
				t.Errorf("%s: %+v", s.Name, f)
			}
			seen[f.Digest] = true
			if !strings.HasPrefix(f.URL, "https://") || !strings.HasSuffix(f.URL, "/"+f.Name) {
				t.Errorf("%s: address %s", s.Name, f.URL)
			}
		}
	}
	if got := Names(); !slices.Equal(got, []string{"fb15k-237", "wn18rr", "umls", "kinships", "nations"}) {
		t.Errorf("names %q", got)
	}
	if s, err := Lookup("FB15k-237"); err != nil || s.Name != "fb15k-237" {
		t.Errorf("Lookup: %v, %v", s.Name, err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	makeGraph(t, filepath.Join(dir, "one", "mine"))
	makeGraph(t, filepath.Join(dir, "two", "mine"))
	makeGraph(t, filepath.Join(dir, "two", "fb15k-237"))
	expect.NoError(t, os.Mkdir(filepath.Join(dir, "two", "umls"), 0o755))
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, c := range []struct {
		name string
		dirs []string
		want string
	}{
		{"mine", []string{one, two}, filepath.Join(one, "mine")},
		{"mine", []string{two, one}, filepath.Join(two, "mine")},
		{"mine", []string{"", filepath.Join(dir, "absent"), two}, filepath.Join(two, "mine")},
		{"FB15k-237", []string{one, two}, filepath.Join(two, "fb15k-237")},
		{"mine", []string{filepath.Join(one, "mine")}, filepath.Join(one, "mine")},
		{filepath.Join(one, "mine"), nil, filepath.Join(one, "mine")},
	} {
		if got, err := Find(c.name, c.dirs...); err != nil || got != c.want {
			t.Errorf("Find(%q, %q) = %q, %v; want %q", c.name, c.dirs, got, err, c.want)
		}
	}
	for _, c := range []struct {
		name string
		want string // in the message
		hint hint.Hint
	}{
		// its folder is empty
		{"umls", `data set "umls" was not found`, hint.Hint{Action: hint.FetchGraph, Subject: "umls"}},
		{"mime", "nearest: mine", hint.Hint{Action: hint.NameDataFolder}},
		{"umlz", "nearest: umls", hint.Hint{Action: hint.NameDataFolder}},
		{"", "was not found", hint.Hint{Action: hint.NameDataFolder}},
		{filepath.Join(dir, "absent"), "a folder with a train file", hint.Hint{}},
	} {
		_, err := Find(c.name, one, two)
		hints := append(hint.Of(err), hint.Hint{})
		if _, ok := errors.AsType[*NotFoundError](err); !ok || !strings.Contains(err.Error(), c.want) ||
			hints[0] != c.hint {
			t.Errorf("Find(%q): %v, hints %v", c.name, err, hints)
		}
	}
	if _, err := Find("umls", one, two); strings.Contains(err.Error(), "nearest") {
		t.Errorf("a right name has others near it: %v", err)
	}
	local, err := Local(two)
	want := []Entry{
		{Name: "fb15k-237", Path: filepath.Join(two, "fb15k-237"), Bytes: 18},
		{Name: "mine", Path: filepath.Join(two, "mine"), Bytes: 18},
	}
	if err != nil || !slices.Equal(local, want) {
		t.Errorf("Local: %+v, %v", local, err)
	}
	if local, err := Local(filepath.Join(dir, "absent")); err != nil || local != nil {
		t.Errorf("Local of no folder: %v, %v", local, err)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	for _, s := range List() {
		t.Run(s.Name, func(t *testing.T) {
			dir := graphtest.Folder(t, s.Name)
			expect.NoError(t, s.Verify(dir))
			for i, f := range s.Files {
				_, lines, err := sortedDigest(filepath.Join(dir, f.Name))
				if err != nil || lines != f.Triples {
					t.Errorf("%s: %d lines, want %d (%v)", kg.Split(i), lines, f.Triples, err)
				}
			}
		})
	}
}

// TestGetReal fetches the real graphs, by the public function, from a local server that holds them.
func TestGetReal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nations", "kinships", "wn18rr"} {
		t.Run(name, func(t *testing.T) {
			source := graphtest.Folder(t, name)
			content := map[string][]byte{}
			for _, file := range []string{"train.txt", "valid.txt", "test.txt"} {
				body, err := os.ReadFile(filepath.Join(source, file))
				expect.NoError(t, err)
				content[file] = body
			}
			h, dir := newHome(t, content, nil), t.TempDir()
			folder, err := Get(t.Context(), name, dir, Options{BaseURL: h.URL + "/"})
			expect.NoError(t, err)
			a, err := kg.Load(source)
			expect.NoError(t, err)
			b, err := kg.Load(folder)
			expect.NoError(t, err)
			if a.Digest() != b.Digest() {
				t.Error("the fetched graph differs")
			}
		})
	}
}
