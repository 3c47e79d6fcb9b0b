package results

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
)

//go:embed radius/*.json
var embeddedRadii embed.FS

// EmbeddedRadii reads the embedded radii of runs, by graph and model.
func EmbeddedRadii() ([]*answer.Radii, error) { return readRadii(embeddedRadii, "radius") }

func readRadii(files fs.FS, folder string) ([]*answer.Radii, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, err
	}
	var list []*answer.Radii
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		raw, err := fs.ReadFile(files, path.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		var r answer.Radii
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("experiments/results/%s/%s does not hold the radii of a run: %w", folder, entry.Name(),
				err)
		}
		list = append(list, &r)
	}
	slices.SortStableFunc(list, func(a, b *answer.Radii) int {
		return cmp.Or(cmp.Compare(a.Graph, b.Graph), cmp.Compare(modelRank(a.Model), modelRank(b.Model)),
			cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Seed, b.Seed))
	})
	return list, nil
}

// FindRadii returns the radii of a run by its id, a prefix of the id, its name, or its checkpoint's digest; nil if
// there are none. Of several with the same name it returns the first.
func FindRadii(list []*answer.Radii, run, checkpoint string) *answer.Radii {
	i := slices.IndexFunc(list, func(r *answer.Radii) bool {
		return checkpoint != "" && r.Checkpoint == checkpoint ||
			run != "" && (strings.HasPrefix(r.RunID, strings.ToLower(run)) || r.RunName == run)
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// sphereText returns an entity with its radius and occurrences.
func sphereText(e answer.EntityRadius) string {
	return fmt.Sprintf("%s (%.3f, %d)", cmp.Or(e.Label, e.Name), e.Radius, e.Occurrences)
}

// RadiusGrid returns the largest and the smallest spheres of a run.
func RadiusGrid(r *answer.Radii, format string) *Grid {
	if format == "json" {
		return &Grid{Records: r}
	}
	g := &Grid{Title: fmt.Sprintf("Radii of %s on %s, variant %s, run %s", sphere.Title(r.Model), r.Graph,
		r.Variant, r.RunName),
		Columns: []Column{{Key: "spheres"}, {Key: "entity"}, {Key: "occurrences", Right: true},
			{Key: "radius", Right: true}}}
	if format == "csv" {
		g.Columns = slices.Insert(g.Columns, 2, Column{Key: "label"})
	}
	for _, part := range []struct {
		name string
		list []answer.EntityRadius
	}{{"largest", r.Largest}, {"smallest", r.Smallest}} {
		if len(g.Rows) > 0 {
			g.Rules = append(g.Rules, len(g.Rows))
		}
		for _, e := range part.list {
			row := []string{part.name, cmp.Or(e.Label, e.Name), fmt.Sprint(e.Occurrences), fmt.Sprintf("%.4f", e.Radius)}
			if format == "csv" {
				row = []string{part.name, e.Name, e.Label, fmt.Sprint(e.Occurrences), quantity.Exact(e.Radius)}
			}
			g.Rows = append(g.Rows, row)
		}
	}
	g.AddNote("%d entities, %d with a radius below 0; median radius %.4f, gamma/2 is %g. An entity's occurrences are the "+
		"triples of all splits that it is in.", r.Entities, r.Negative, r.Median, r.Gamma/2)
	g.AddNote("rank correlation of occurrences and radius (Spearman): %.3f; with training triples alone %.3f.", r.Spearman,
		r.SpearmanTrain)
	return g
}

// radiusTable has the embedded radii of runs.
type radiusTable []*answer.Radii

func buildRadius(context.Context, string, Sources, Options) (Layout, error) {
	list, err := EmbeddedRadii()
	return radiusTable(list), err
}

// Grid returns the table laid out for a format.
func (t radiusTable) Grid(format string) *Grid {
	if format == "json" {
		return &Grid{Records: t}
	}
	g := &Grid{Title: "Radius against occurrence, embedded runs",
		Columns: []Column{{Key: "graph"}, {Key: "model"}, {Key: "variant"}, {Key: "run"},
			{Key: "spearman", Heading: "rank correlation", Right: true},
			{Key: "spearman_train", Heading: "train alone", Right: true}, {Key: "median", Right: true},
			{Key: "half_gamma", Heading: "gamma/2", Right: true}, {Key: "negative", Heading: "below 0", Right: true},
			{Key: "largest"}, {Key: "smallest"}}}
	for _, r := range t {
		number := func(x float64, short string) string {
			if format == "csv" {
				return quantity.Exact(x)
			}
			return fmt.Sprintf(short, x)
		}
		g.Rows = append(g.Rows, []string{r.Graph, sphere.Title(r.Model), r.Variant, r.RunID[:8],
			number(r.Spearman, "%.3f"), number(r.SpearmanTrain, "%.3f"), number(r.Median, "%.4f"), number(r.Gamma/2, "%g"),
			fmt.Sprint(r.Negative), sphereText(r.Largest[0]), sphereText(r.Smallest[0])})
	}
	g.AddNote("rank correlation: Spearman's, of an entity's radius and the triples of all splits that it is in; the paper " +
		"has a figure without a number.")
	g.AddNote("largest, smallest: the entity with its radius and its triples.")
	return g
}
