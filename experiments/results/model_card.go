package results

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/quantity"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// The files of an exported model.
const (
	ExportedModel     = "model.safetensors"
	exportedEntities  = "entities.tsv"
	exportedRelations = "relations.tsv"
	ExportedCard      = "README.md"
)

// ExportModel writes the model of a run into a folder, for other programs: its tensors, the names of their rows, and a
// card for people. The folder is made; one that has files is refused, and so is a run whose model has no parameters of
// its own.
func ExportModel(run *answer.Run, dir string) error {
	title := answer.RunTitle(run.Info.ID, run.Info.Name)
	m, ok := run.Model.(*sphere.Model)
	if !ok {
		what := sphere.Title(run.Config.Model) + " counts facts or has the weights of other graphs"
		if run.Config.Model == sphere.Scores {
			what = "it has the scores of " + run.Info.Tags[answer.TagFrom]
		}
		if runs := answer.ReadLogged(run.Info).StackRuns; len(runs) > 0 {
			what = "it is a stack; export the runs that it combines: " + strings.Join(runs, ", ")
		}
		return fmt.Errorf("%s has no tensors of its own: %s", title, what)
	}
	if list, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	} else if len(list) > 0 {
		return fmt.Errorf("folder %s has files, such as %s; name one that is empty or does not exist", dir, list[0].Name())
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	g, path := run.Graph, filepath.Join(dir, ExportedModel)
	err := m.Save(path, map[string]string{"run_id": run.Info.ID, "graph": g.Name, "graph_digest": g.Digest(),
		"about/names": "row i of a tensor is id i in " + exportedEntities + " or " + exportedRelations})
	if err != nil {
		return err
	}
	tensors, err := sphere.ReadTensors(path)
	if err != nil {
		return err
	}
	if state := pykeenState(m.Settings(), tensors); state != nil {
		if err := sphere.WriteTensors(filepath.Join(dir, ExportedPyKEEN), state); err != nil {
			return err
		}
	}
	_, about, err := sphere.Load(path)
	if err != nil {
		return err
	}
	entities, relations, err := answer.NameTables(g)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{exportedEntities: entities, exportedRelations: relations,
		ExportedCard: []byte(modelCard(run, tensors, about))} {
		if err := atomicfile.Write(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// modelCard is a page about the model of a run in Markdown.
func modelCard(run *answer.Run, tensors map[string]sphere.Tensor, about map[string]string) string {
	var b strings.Builder
	g, s, of := run.Graph, run.Config.Settings(), Read(run.Info)
	fmt.Fprintf(&b, "# %s on %s\n\nModel %s, variant %s, of run `%s` (%s), by spherelab.\n", sphere.Title(s.Model), g.Name,
		sphere.Title(s.Model), s.Variant, run.Info.ID, run.Info.Name)
	if note := run.UnfinishedNote(); note != "" {
		fmt.Fprintf(&b, "\n%s.\n", note)
	}

	fmt.Fprintf(&b, "\n## Data\n\n- graph: %s, %s and %s\n", g.Name, quantity.CommaCountOf(g.Entities.Len(), "entity", "entities"),
		quantity.CommaCount(g.Relations.Len(), "relation"))
	for _, split := range kg.Splits() {
		fmt.Fprintf(&b, "- %s: %s\n", split, quantity.CommaCount(len(g.Split(split)), "triple"))
	}
	if g.Division != "" {
		fmt.Fprintf(&b, "- division: %s\n", g.Division)
	}
	licence := "not known"
	if set, err := dataset.Lookup(g.Name); err == nil {
		fmt.Fprintf(&b, "- home: %s\n", set.Home)
		licence = cmp.Or(set.Licence, licence)
	}
	fmt.Fprintf(&b, "- licence of the data: %s\n- digest of the graph: `%s`\n", licence, g.Digest())

	config := run.Config.Clone()
	config.Data = filepath.Base(config.Data) // folders of this machine say nothing elsewhere
	said := fmt.Sprintf("This config trains the model again, bit for bit, with numerics version %d:", sphere.NumericsVersion)
	if run.Info.Tags[answer.TagFrom] != "" {
		said = "Another program has trained the model. This config has measured it:"
	}
	fmt.Fprintf(&b, "\n## Config\n\n%s\n\n```yaml\n%s```\n", said, config.SparseYAML())

	b.WriteString("\n## Metrics\n\n")
	b.WriteString(cardMetrics(of))

	b.WriteString("\n## Tensors\n\n`" + ExportedModel + "` has float32 tensors. Row i is id i in `" + exportedEntities + "` or `" +
		exportedRelations + "`.\n\n| tensor | shape | meaning |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		_, meaning, _ := strings.Cut(about["about/"+name], ": ")
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.Trim(fmt.Sprint(tensors[name].Shape), "[]"),
			strings.ReplaceAll(meaning, "|", "\\|"))
	}
	fmt.Fprintf(&b, "\nDigest of the tensors: `%s`\n", about["checkpoint_digest"])

	b.WriteString("\n## How to score\n\nGreater scores are better. h, r and t are the rows of head, relation and tail; sums are over" +
		" blocks.\n\n")
	for _, line := range formula(s) {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	if pykeenState(s, tensors) != nil {
		fmt.Fprintf(&b, "\n`%s` is the state of PyKEEN's model %s. Its score has no gamma.\n", ExportedPyKEEN, sphere.Title(s.Model))
	}
	b.WriteString("\ndocs/python.md of spherelab has this as Python code.\n")
	return b.String()
}

// cardMetrics is a table of what a run has measured on the test triples.
func cardMetrics(run Run) string {
	if !run.Evaluated() {
		return "The run has no final evaluation.\n"
	}
	var b strings.Builder
	b.WriteString("On the test triples, filtered; the 95 % intervals are by bootstrap over distinct queries.\n\n" +
		"| MRR | Hits@1 | Hits@3 | Hits@10 | mean rank |\n|---|---|---|---|---|\n")
	for _, m := range []Metric{MRR, Hits1, Hits3, Hits10} {
		fmt.Fprintf(&b, "| %s ", quantity.Fraction(run.Primary[m].Value, 3))
	}
	fmt.Fprintf(&b, "| %.1f |\n\n| cut |", run.Primary[MeanRank].Value)
	shown := []Metric{HeadF1, TailF1, HeadNovelF1, TailNovelF1, HeadUnionF1, TailUnionF1}
	for _, m := range shown {
		fmt.Fprintf(&b, " %s |", strings.ReplaceAll(m.String(), "_", " "))
	}
	b.WriteString("\n|---" + strings.Repeat("|---", len(shown)) + "|\n")
	for _, cut := range run.Cuts {
		fmt.Fprintf(&b, "| %s |", cut.Name())
		for _, m := range shown {
			n, measured := cut.Numbers[m]
			switch {
			case !measured:
				b.WriteString(" |")
			case n.Interval == nil:
				fmt.Fprintf(&b, " %s |", quantity.Fraction(n.Value, 3))
			default:
				fmt.Fprintf(&b, " %s (%s to %s) |", quantity.Fraction(n.Value, 3), quantity.Fraction(n.Interval.Low, 3),
					quantity.Fraction(n.Interval.High, 3))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
