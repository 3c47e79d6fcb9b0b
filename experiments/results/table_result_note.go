package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// notes returns the explanations of the table. narrow is set for the text with one row per model.
func (t *ResultTable) notes(narrow bool) []hint.Note {
	known := "training and validation"
	if t.Split == "valid" {
		known = "training"
	}
	notes := []hint.Note{
		note("lookup returns the answers that " + known + " already hold; it needs no model and infers nothing."),
		note("F1: harmonic mean of precision and recall of the answer set; " +
			"RR: share of test triples whose own answer is in it."),
		note("novel F1: counted without the known answers; union F1: known answers united with the set (head / tail)."),
	}
	if !t.isFull {
		notes = append(notes, t.oneRow(narrow))
	}
	rows := t.shown()
	has := func(test func(Row) bool) bool { return slices.ContainsFunc(rows, test) }
	if has(func(r Row) bool { _, ranked := r.Numbers[MRR]; return ranked }) {
		notes = append(notes, note("MRR, H@1, H@3, H@10: of the filtered ranks of both sides; they do not depend on the cut."))
		notes = append(notes, t.elsewhere(rows)...)
	}
	if !narrow && has(func(r Row) bool { return r.Numbers[HeadF1].Interval != nil }) {
		notes = append(notes, note("±: half of the 95 % interval, by bootstrap over distinct queries."))
	}
	if !narrow && has(func(r Row) bool { return r.Numbers[HeadF1].Spread != nil }) {
		notes = append(notes, note("Rows with σ are means over several seeds: σ is the seeds' standard deviation, "+
			"and ± belongs to one seed, on average."))
	}
	if has(func(r Row) bool { return r.Cut.Kind() == eval.KindFitted && !r.Missing() }) {
		text := "fitted-: one threshold per relation and side, fitted on the validation triples for F1, novel F1 or union F1; " +
			"that of a relation with few queries is close to the side's. fitted-side-: one threshold per side."
		if !t.isFull {
			text = fittedNovel + ": one threshold per relation and side, fitted on the validation triples for novel F1."
		}
		notes = append(notes, note(text))
	}
	if has(func(r Row) bool { return r.Cut.Kind() == eval.KindExpected }) {
		notes = append(notes, note("expected-: the set of greatest expected F1, novel F1 or union F1 of each query, by "+
			"probabilities fitted on the validation triples."))
	}
	if has(func(r Row) bool { return r.Cut.Kind() == eval.KindPromised }) {
		notes = append(notes, note("precision-, recall-: new answers from the probability up that gives this share on one "+
			"half of the validation queries."))
	}
	if has(func(r Row) bool { return r.Cut.Kind() == eval.KindCovering }) {
		notes = append(notes, note("coverage-: sets that hold this share of the right new answers, by split conformal "+
			"prediction on one half of the validation queries."))
	}
	if has(func(r Row) bool { return r.Cut.Kind() == eval.KindTopMean && !r.Missing() }) {
		notes = append(notes,
			note("top-mean: the best l entities, l being the mean number of training answers of the relation and side."))
	}
	notes = append(notes, t.samples()...)
	for _, group := range t.groups {
		if group[0].Variant == t.Variant {
			notes = append(notes, runWarnings(group)...)
		}
	}
	notes = append(notes, seenBefore(t.Graph, t.graphDigest(), rows)...)
	notes = append(notes, t.noRun()...)
	if t.paper != nil && t.Variant == t.paper.Variant {
		text := fmt.Sprintf("paper: its table %q, with ours less the paper's in brackets; "+
			"its rows \"Sphere\" are under SpherE, its RotatE3D is under Rotate3D.", t.paper.Label)
		if narrow {
			text = strings.Replace(text, ", with ours less the paper's in brackets", "", 1)
		}
		if !t.isFull {
			text += " If it lacks the cut of our row, its best one for the model is shown with its name."
		}
		notes = append(notes, note(text))
		if text := agreement(t.Rows); text != "" && !t.showsAll {
			notes = append(notes, note(text))
		}
		if has(Row.Missing) {
			notes = append(notes, note("missing: no run that is shown has logged this row; nothing is filled in."))
		}
	}
	if others := t.otherVariants(); len(others) > 0 {
		var hints []hint.Hint
		for _, v := range others {
			if slices.Contains(sphere.Variants(), v) { // another program may have set any variant
				hints = append(hints, hint.Hint{Action: hint.ShowVariant, Subject: v})
			}
		}
		notes = append(notes, note("Also logged, and not to be compared with these numbers: variant "+strings.Join(others, ", ")+".",
			hints...))
	}
	notes = append(notes, t.unshown()...)
	if t.isEmbedded {
		notes = append(notes, note("These are the embedded results: nothing is logged on this graph in this tracker.",
			hint.Hint{Action: hint.ImportResults}))
	}
	return append(notes, t.runNotes()...)
}

// samples returns a note on the runs that answered only a part of the queries.
func (t *ResultTable) samples() []hint.Note {
	var list []string
	for _, group := range t.groups {
		for _, run := range group {
			if c := run.Config; c != nil && c.Eval.Sample > 0 && run.Variant == t.Variant {
				list = append(list, fmt.Sprintf("%s (at most %d of each side)", run.ShortID(), c.Eval.Sample))
			}
		}
	}
	if list == nil {
		return nil
	}
	return []hint.Note{note("Measured on a sample of the distinct queries: " + strings.Join(list, ", ") + ".")}
}

// runWarnings returns the warnings of the runs in a table.
func runWarnings(runs []Run) (notes []hint.Note) {
	const maximum = 5
	for i, run := range runs {
		for _, warning := range run.Warnings {
			notes = append(notes, note(fmt.Sprintf("warning: run %s (%s): %s.", run.ShortID(), run.Stored.Name, warning)))
		}
		if len(notes) >= maximum {
			more := 0
			for _, other := range runs[i+1:] {
				more += min(1, len(other.Warnings))
			}
			if more > 0 {
				notes = append(notes, note(fmt.Sprintf("warning: %d more runs have warnings.", more)))
			}
			break
		}
	}
	return notes
}

// note is a sentence with hints on what to do about it.
func note(text string, hints ...hint.Hint) hint.Note { return hint.Note{Text: text, List: hints} }

// noRun returns a note if the shown variant has no run, with the configs that make one.
func (t *ResultTable) noRun() []hint.Note {
	if t.hasVariant(t.Variant) || t.paper != nil && t.Variant == t.paper.Variant {
		return nil
	}
	var hints []hint.Hint
	for key, c := range rowConfigs() {
		if key.graph == t.Graph && key.variant == t.Variant {
			hints = append(hints, hint.Hint{Action: hint.TrainConfig, Subject: c.name})
		}
	}
	slices.SortFunc(hints, func(a, b hint.Hint) int { return strings.Compare(a.Subject, b.Subject) })
	return []hint.Note{note(fmt.Sprintf("No run of variant %s on %s is finished.", t.Variant, t.Graph), hints...)}
}

// unshown returns notes on runs that a reader may miss in the table: trials, runs on other triples, embedded results.
func (t *ResultTable) unshown() []hint.Note {
	name := func(runs []Run, why func(Run) string) string {
		var names []string
		for _, run := range runs[:min(len(runs), 5)] {
			names = append(names, fmt.Sprintf("%s (%s%s)", run.ShortID(), run.Stored.Name, why(run)))
		}
		if more := len(runs) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		return strings.Join(names, "; ")
	}
	var notes []hint.Note
	if len(t.passed) > 0 {
		text := name(t.passed, func(run Run) string { return ": " + t.own.unlike(run) })
		notes = append(notes, note("Newer, but with other settings than the config, and therefore not shown: "+text+".",
			hint.Hint{Action: hint.ShowRuns}))
	}
	if len(t.foreign) > 0 && t.paper != nil {
		text := name(t.foreign, func(Run) string { return "" })
		notes = append(notes, note("On other triples under the name of this graph, and therefore not shown: "+text+"."))
	}
	if len(t.notShown) > 0 {
		notes = append(notes, note("This tracker lacks the embedded runs of "+strings.Join(t.notShown, ", ")+".",
			hint.Hint{Action: hint.ImportResults}))
	}
	return notes
}

// unlikeText returns the text for the line of a run that differs from its config.
func (t *ResultTable) unlikeText(run Run) string {
	unlike := t.unlike(run)
	if unlike == "" {
		return ""
	}
	return strings.TrimSuffix(", NOT AS THE CONFIG "+configOf(run).name, " ") + ": " + unlike
}

// oneRow returns a note on which cut is shown and what is left out.
func (t *ResultTable) oneRow(narrow bool) hint.Note {
	var cuts, seeds []string
	for _, row := range t.Short {
		if name := row.Cut.Name(); row.Cut.Kind() != eval.KindLookup && !slices.Contains(cuts, name) {
			cuts = append(cuts, name)
		}
		if n := len(row.RunIDs); n > 1 {
			seeds = append(seeds, fmt.Sprintf("%s's numbers are means over %d seeds", row.Model, n))
		}
	}
	text := "One row per model, at the cut " + strings.Join(cuts, " or ")
	if narrow && len(seeds) > 0 {
		text += "; " + strings.Join(seeds, ", ")
	}
	text += "; further cuts"
	if t.paper != nil && t.Variant == t.paper.Variant {
		text += ", the paper's further models"
	}
	if narrow {
		text += ", intervals and deviations"
	}
	return note(text+" are left out.", hint.Hint{Action: hint.ShowFull})
}

// otherVariants returns the variants that have runs and that formats for people leave out.
func (t *ResultTable) otherVariants() []string {
	var others []string
	for _, group := range t.groups {
		if v := group[0].Variant; v != t.Variant && !slices.Contains(others, v) {
			others = append(others, v)
		}
	}
	slices.Sort(others)
	return others
}

// runNotes returns the runs behind the rows of each model, with their costs. Every line begins with "runs:", so that a
// comparison of tables can skip them: ids and times differ from machine to machine.
func (t *ResultTable) runNotes() []hint.Note {
	var notes []hint.Note
	total, runs := Cost{}, 0
	for i, group := range t.groups {
		title := group[0].Title()
		for k, run := range group {
			rows := title
			switch isFirst := i == 0 && k == 0; { // the first run has logged lookup
			case run.Variant == t.Variant && isFirst:
				rows += " and " + lookupModel
			case run.Variant == t.Variant:
			case isFirst:
				rows = lookupModel
			default:
				continue
			}
			if run.Stored.ID == "" { // see answer.Judge
				notes = append(notes, note(fmt.Sprintf("scores: %s: %s", rows, run.Stored.Name)))
				continue
			}
			text := fmt.Sprintf("runs: %s: %s (%s", rows, run.ShortID(), run.Stored.Name)
			if run.Seed != "" {
				text += ", seed " + run.Seed
			}
			text += ")" + t.unlikeText(run)
			if run.Cost != (Cost{}) {
				text += ", " + run.Cost.String()
				total = total.plus(run.Cost)
				runs++
			}
			notes = append(notes, note(text))
		}
	}
	if runs > 1 {
		notes = append(notes, note(fmt.Sprintf("runs: %d, together %s", runs, total.sum())))
	}
	if runs > 0 {
		notes = append(notes, note(costNote))
	}
	return notes
}
