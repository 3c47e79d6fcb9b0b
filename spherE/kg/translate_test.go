package kg

import (
	"errors"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestTranslate finds facts by names and labels, and says why the others are left out.
func TestTranslate(t *testing.T) {
	t.Parallel()
	g, err := New("graph", [][3]string{{"a", "likes", "b"}, {"c", "knows", "d"}, {"b", "likes", "e"}},
		[][3]string{{"b", "knows", "a"}}, [][3]string{{"d", "likes", "a"}})
	expect.NoError(t, err)
	g.Labels = []string{"Ann", "", "Bob", "d", "Bob"} // of c and e; that of d is its name
	file, err := New("file", [][3]string{{"a", "likes", "b"}, {"b", "knows", "a"}, {"d", "likes", "a"},
		{"x", "hates", "b"}, {"b", "hates", "a"},
		{"Ann", "likes", "d"}, {"a", "likes", "d"}}, [][3]string{{"b", "likes", "a"}},
		[][3]string{{"a", "knows", "b"}})
	expect.NoError(t, err)
	got, err := g.Translate(file)
	expect.NoError(t, err)
	name := func(x Triple) [3]string {
		return [3]string{g.Entities.Name(x.Head), g.Relations.Name(x.Relation), g.Entities.Name(x.Tail)}
	}
	var facts [][3]string
	for k, x := range got.Facts {
		facts = append(facts, name(x))
		from := slices.Concat(file.Train, file.Valid, file.Test)[got.From[k]]
		if file.Entities.Name(from.Tail) != g.Entities.Name(x.Tail) {
			t.Errorf("fact %d, %v, is from %v", k, name(x), from)
		}
	}
	if want := [][3]string{{"a", "likes", "d"}, {"b", "likes", "a"}, {"a", "knows", "b"}}; !slices.Equal(facts, want) {
		t.Errorf("facts are %v", facts)
	}
	left := []LeftFact{{"a", "likes", "b", LeftTrain}, {"a", "likes", "d", LeftRepeated},
		{"b", "hates", "a", LeftUnknownRelation}, {"b", "knows", "a", LeftValid}, {"d", "likes", "a", LeftTest}, {"x", "hates", "b", LeftUnknownEntity}}
	if !slices.Equal(got.Left, left) {
		t.Errorf("left out are %v", got.Left)
	}
	file, err = New("file", [][3]string{{"Bob", "likes", "a"}}, nil, nil)
	expect.NoError(t, err)
	_, err = g.Translate(file)
	if several := (*AmbiguousError)(nil); !errors.As(err, &several) || !slices.Equal(several.Names, []string{"c", "e"}) {
		t.Errorf("a label of two entities: %v", err)
	}
}
