package results

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestEmbeddedRadii: the groups have all entities, the lists are in order, and on the bundled graph, which every clone
// has, the entities occur as often as it says.
func TestEmbeddedRadii(t *testing.T) {
	t.Parallel()
	list, err := EmbeddedRadii()
	if err != nil || len(list) == 0 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	bundled, err := kg.Bundled()
	expect.NoError(t, err)
	seen := map[string]bool{}
	for _, r := range list {
		name := r.Graph + " " + r.Model + " " + r.Variant
		entities := 0
		for _, group := range r.ByOccurrence {
			entities += group.Entities
			if group.Least > group.Mean || group.Mean > group.Most {
				t.Errorf("%s: %+v", name, group)
			}
		}
		larger := func(a, b answer.EntityRadius) int {
			if a.Radius > b.Radius {
				return -1
			}
			return 1
		}
		if entities != r.Entities || r.Spearman < -1 || r.Spearman > 1 || seen[name] || len(r.RunID) != 32 ||
			r.Checkpoint == "" || !slices.IsSortedFunc(r.Largest, larger) ||
			slices.IsSortedFunc(r.Smallest, larger) && len(r.Smallest) > 1 {
			t.Errorf("%s: %d of %d entities, correlation %v, run %s, largest %v, smallest %v, twice: %v", name, entities,
				r.Entities, r.Spearman, r.RunID, r.Largest, r.Smallest, seen[name])
		}
		seen[name] = true
		blocks := slices.Contains([]string{sphere.SpherE5D, sphere.SpherE10D, sphere.SpherE20D}, r.Model)
		signed := r.Variant == sphere.Paper || r.Variant == sphere.Released && blocks
		if negative := r.Negative > 0; negative != signed {
			t.Errorf("%s has %d negative radii", name, r.Negative)
		}
		if r.Graph != bundled.Name {
			continue
		}
		if r.GraphDigest != bundled.Digest() {
			t.Errorf("%s: the graph has digest %s, the bundled one %s", name, r.GraphDigest, bundled.Digest())
		}
		for _, e := range slices.Concat(r.Largest, r.Smallest) {
			occurrences := 0
			id, ok := bundled.Entities.ID(e.Name)
			for _, s := range kg.Splits() {
				for _, triple := range bundled.Split(s) {
					if triple.Head == id || triple.Tail == id {
						occurrences++
					}
				}
			}
			if !ok || occurrences != e.Occurrences {
				t.Errorf("%s: %s occurs %d times, not %d", name, e.Name, occurrences, e.Occurrences)
			}
		}
	}
	for _, want := range []string{"bundled sphere-2d clean", "bundled sphere-2d paper", "bundled sphere-2d released"} {
		if !seen[want] {
			t.Errorf("no radii of %s", want)
		}
	}
}

// TestRadiiOfThePage: docs/reproduction.md has the lines of table radius and no others. The runs that it calls repeats
// of committed ones have their checkpoints, and so has SpherE-2D of variant clean.
func TestRadiiOfThePage(t *testing.T) {
	t.Parallel()
	list, err := EmbeddedRadii()
	expect.NoError(t, err)
	runs, err := EmbeddedResults()
	expect.NoError(t, err)
	content, err := os.ReadFile("../../docs/reproduction.md")
	expect.NoError(t, err)
	page := string(content)
	row := regexp.MustCompile(`(?m)^\| [a-z0-9-]+ \| SpherE-\d+D \| [a-z]+ \| [0-9a-f]{8} \| .*$`)
	want := row.FindAllString(gridText(t, radiusTable(list).Grid("markdown"), "markdown"), -1)
	if have := row.FindAllString(page, -1); len(want) != len(list) || !slices.Equal(have, want) {
		t.Errorf("docs/reproduction.md has the radii\n%s\nwant those of %d runs\n%s", strings.Join(have, "\n"), len(list),
			strings.Join(want, "\n"))
	}
	pairs := regexp.MustCompile(`([0-9a-f]{8})\s+repeats\s+(?:the\s+committed\s+run\s+)?([0-9a-f]{8})`).
		FindAllStringSubmatch(page, -1)
	if len(pairs) < 4 {
		t.Errorf("docs/reproduction.md names %d repeats", len(pairs))
	}
	for _, pair := range pairs {
		run := slices.IndexFunc(runs, func(f ArchiveFile) bool { return strings.HasPrefix(f.Info.ID, pair[2]) })
		r := FindRadii(list, pair[1], "")
		if run < 0 || r == nil || runs[run].Info.Tags[answer.TagDigest] != r.Checkpoint {
			t.Errorf("run %s, whose radii are embedded, does not have the checkpoint of run %s", pair[1], pair[2])
		}
	}
	for _, r := range list {
		same := func(f ArchiveFile) bool { return f.Info.Tags[answer.TagDigest] == r.Checkpoint }
		if r.Model == sphere.SpherE2D && r.Variant == sphere.Clean && !slices.ContainsFunc(runs, same) {
			t.Errorf("run %s of SpherE-2D on %s does not have the checkpoint of a committed run", r.RunID[:8], r.Graph)
		}
	}
}

func TestRadiiOfARunAreFound(t *testing.T) {
	t.Parallel()
	list := []*answer.Radii{{RunID: "aa11", RunName: "one", Checkpoint: "c1"},
		{RunID: "bb22", RunName: "two", Checkpoint: "c2"}}
	for _, test := range []struct{ run, checkpoint, want string }{
		{"aa11", "", "one"}, {"BB", "", "two"}, {"two", "", "two"}, {"x", "c2", "two"}, {"x", "", ""}, {"", "", ""},
	} {
		found := ""
		if r := FindRadii(list, test.run, test.checkpoint); r != nil {
			found = r.RunName
		}
		if found != test.want {
			t.Errorf("run %q, checkpoint %q: %q, want %q", test.run, test.checkpoint, found, test.want)
		}
	}
	if _, err := readRadii(fstest.MapFS{"r/a.json": {Data: []byte(`{"run":1}`)}}, "r"); err == nil ||
		!strings.Contains(err.Error(), "experiments/results/r/a.json does not hold the radii of a run") {
		t.Errorf("damaged file: %v", err)
	}
}

func TestRadiusGrids(t *testing.T) {
	t.Parallel()
	r := &answer.Radii{RunID: "0123456789", RunName: "n", Graph: "g", Model: sphere.SpherE2D, Variant: sphere.Paper,
		Gamma: 6, Entities: 3, Negative: 1, Spearman: .5, SpearmanTrain: .25, Median: .125,
		Largest:  []answer.EntityRadius{{Name: "/m/1", Label: "large", Occurrences: 9, Radius: 1.5}},
		Smallest: []answer.EntityRadius{{Name: "small", Occurrences: 1, Radius: -.25}}}
	for format, want := range map[string][]string{
		"text": {"SpherE-2D on g, variant paper", "large             9   1.5000", "small             1  -0.2500",
			"3 entities, 1 with a radius below 0; median radius 0.1250, gamma/2 is 3", "(Spearman): 0.500; with training"},
		"csv": {"largest,/m/1,large,9,1.5", "smallest,small,,1,-0.25"},
	} {
		text := gridText(t, RadiusGrid(r, format), format)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", format, w, text)
			}
		}
	}
	var back []answer.Radii
	table := radiusTable{r}
	if err := json.Unmarshal([]byte(gridText(t, table.Grid("json"), "json")), &back); err != nil ||
		back[0].Largest[0] != r.Largest[0] {
		t.Errorf("JSON: %+v, %v", back, err)
	}
	if text := gridText(t, table.Grid("text"), "text"); !strings.Contains(text, "large (1.500, 9)  small (-0.250, 1)") {
		t.Errorf("table:\n%s", text)
	}
}
