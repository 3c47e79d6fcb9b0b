package kg

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestRead: a reader's text is the file of that name.
func TestRead(t *testing.T) {
	t.Parallel()
	whole := DefaultDivision()
	whole.Whole = true
	for name, text := range map[string]string{
		"zoo.csv": "head,relation,tail,split\ncat,eats,fish,train\nowl,eats,mouse,test\n",
		"zoo.nt":  "<cat> <eats> <fish> .\n<owl> <eats> <mouse> .\n",
	} {
		for _, d := range []Division{DefaultDivision(), whole} {
			file, err := LoadDivided(folder(t, map[string]string{name: text})+"/"+name, d)
			expect.NoError(t, err)
			read, err := Read(strings.NewReader(text), name, d)
			expect.NoError(t, err)
			if read.Name != "zoo" || read.Source != "" || read.Digest() != file.Digest() ||
				read.Division != file.Division || len(read.Train) != len(file.Train) ||
				d.Whole && len(read.Train) != 2 {
				t.Errorf("%s: %q from %q, %s", name, read.Name, read.Source, read.Division)
			}
		}
	}
	var fault *FileError
	_, err := Read(strings.NewReader("cat\teats\n"), "zoo.tsv", whole)
	if !errors.As(err, &fault) || fault.File != "zoo.tsv" || fault.Line != 1 {
		t.Errorf("two columns: %v", err)
	}
	if _, err := Read(strings.NewReader(""), "zoo", whole); !errors.As(err, &fault) {
		t.Errorf("no ending: %v", err)
	}
}

// TestFromIDs: ids stay as they are, those of no triple too.
func TestFromIDs(t *testing.T) {
	t.Parallel()
	train := []Triple{{11, 1, 2}, {2, 0, 11}, {2, 0, 11}, {10, 1, 0}}
	test := []Triple{{0, 1, 2}}
	g, err := FromIDs("numbers", 12, 3, slices.Values(train), nil, slices.Values(test))
	expect.NoError(t, err)
	if g.Entities.Len() != 12 || g.Relations.Len() != 3 || g.Entities.Name(2) != "02" || g.Relations.Name(2) != "2" {
		t.Errorf("%d entities, %d relations, %s", g.Entities.Len(), g.Relations.Len(), g.Entities.Name(2))
	}
	want := []Triple{{2, 0, 11}, {10, 1, 0}, {11, 1, 2}}
	if !slices.Equal(g.Train, want) || !slices.Equal(g.Test, test) || len(g.Valid) != 0 ||
		g.Warnings[0].Kind != DuplicateTriple {
		t.Errorf("train %v, test %v, %v", g.Train, g.Test, g.Warnings)
	}
	for _, c := range []struct {
		bad  []Triple
		line int
	}{{[]Triple{{0, 0, 0}, {12, 0, 0}}, 2}, {[]Triple{{0, 3, 0}}, 1}, {[]Triple{{0, 0, -1}}, 1}, {nil, 0}} {
		var fault *FileError
		_, err := FromIDs("bad", 12, 3, slices.Values(c.bad), nil, nil)
		if !errors.As(err, &fault) || fault.Line != c.line {
			t.Errorf("%v: %v", c.bad, err)
		}
	}
	if _, err := FromIDs("empty", 0, 1, slices.Values(train), nil, nil); err == nil {
		t.Error("no entity is accepted")
	}
}
