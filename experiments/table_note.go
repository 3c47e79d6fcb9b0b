package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// cost is what a run has used, as far as it is logged.
type cost struct {
	epochs     int
	training   float64 // seconds, the sum over epochs
	evaluation float64 // seconds of the final evaluation
}

// readCosts sums the logged times of every run. What a run repeated after a crash is counted once.
func readCosts(ctx context.Context, r RunReader, groups [][]tracker.RunInfo) (map[string]cost, error) {
	costs := map[string]cost{}
	for _, run := range slices.Concat(groups...) {
		points, err := r.History(ctx, run.ID, "system/epoch_seconds")
		if err != nil {
			return nil, err
		}
		c := cost{epochs: len(points), evaluation: run.Metrics["system/evaluation_seconds"]}
		for _, p := range points {
			c.training += p.Value
		}
		costs[run.ID] = c
	}
	return costs, nil
}

func (t *ResultGrid) notes() []string {
	notes := []string{
		"lookup returns the answers that " + map[bool]string{true: "training", false: "training and validation"}[t.Split == "valid"] + " already hold; it needs no model and infers nothing.",
		"F1: harmonic mean of precision and recall of the answer set; RR: share of test triples whose own answer is in it.",
		"novel F1: counted without the known answers; union F1: known answers united with the set (head / tail).",
	}
	rows := t.shown()
	logged := func(key string) bool {
		return slices.ContainsFunc(rows, func(row Row) bool { _, ok := row.Metrics[key]; return ok })
	}
	if logged("head_f1_lo") {
		notes = append(notes, "±: half of the 95 % interval, by bootstrap over distinct queries.")
	}
	if logged("head_f1_sd") {
		notes = append(notes, "Rows with σ are means over several seeds: σ is the seeds' standard deviation, and ± belongs to one seed, on average.")
	}
	if slices.ContainsFunc(rows, func(row Row) bool { return fitted(row.Cut) && !row.Missing() }) {
		notes = append(notes,
			"fitted-: one threshold per relation and side, drawn to the side's as by 10 queries; fitted-side-: one per side; each is best on the validation triples, for F1, novel F1 or union F1.",
			"top-mean: the best l entities, l being the mean number of training answers of the relation and side.")
	}
	if t.paper != nil {
		notes = append(notes, fmt.Sprintf("paper: its table %q, with ours less the paper's in brackets; its rows \"Sphere\" stand under SpherE, its RotatE3D under Rotate3D.", t.paper.Label))
		if text := agreement(rows); text != "" {
			notes = append(notes, text)
		}
		if slices.ContainsFunc(rows, Row.Missing) {
			notes = append(notes, "missing: no finished run has logged this row; nothing is filled in.")
		}
	} else {
		notes = append(notes, t.hindsight()...)
	}
	if others := t.otherVariants(); len(others) > 0 {
		notes = append(notes, "Also logged, and not to be compared with these numbers: variant "+strings.Join(others, ", ")+"; "+t.elsewhere())
	}
	if t.embedded {
		notes = append(notes, "These are the results inside the program: nothing is logged on this graph in this tracker. `spherelab runs import` puts them there.")
	}
	return append(notes, t.runNotes()...)
}

// elsewhere says where to find what the table leaves out.
func (t *ResultGrid) elsewhere() string {
	if t.notebook {
		return fmt.Sprintf("lab.Table(%q, %q) shows one, Write to .json or .csv has all.", t.Graph, t.otherVariants()[0])
	}
	return "--variant shows one, --format json and csv have all."
}

// hindsight says which rows were chosen after the fact.
func (t *ResultGrid) hindsight() []string {
	var models []string
	for _, row := range t.Short {
		if _, top := topSize(row.Cut); top && !slices.Contains(models, row.Model+"'s") {
			models = append(models, row.Model+"'s")
		}
	}
	if len(models) == 0 || t.full {
		return nil
	}
	every := "--format json and csv have every cut."
	if t.notebook {
		every = "Write to .json or .csv has every cut."
	}
	text := " top-l row is its best one, chosen with hindsight; "
	if len(models) > 1 {
		text = " top-l rows are their best ones, chosen with hindsight; "
	}
	return []string{strings.Join(models, " and ") + text + every}
}

// otherVariants are those that have runs and that formats for people leave out.
func (t *ResultGrid) otherVariants() []string {
	var others []string
	for _, group := range t.groups {
		if v := group[0].Params["variant"]; v != t.Variant && !slices.Contains(others, v) {
			others = append(others, v)
		}
	}
	slices.Sort(others)
	return others
}

// runNotes name the runs behind the rows of each model, with what they have used. Every line begins alike, because ids
// and times differ from machine to machine.
func (t *ResultGrid) runNotes() []string {
	var notes []string
	total, runs := 0.0, 0
	for i, group := range t.groups {
		variant := group[0].Params["variant"]
		if variant != t.Variant && i > 0 { // the first one has logged lookup
			continue
		}
		rows := ModelTitle(group[0].Params["model"])
		if variant != t.Variant {
			rows = LookupModel
		} else if i == 0 {
			rows += " and " + LookupModel
		}
		for k, run := range group {
			if variant != t.Variant && k > 0 {
				break
			}
			text := fmt.Sprintf("runs: %s: %s (%s", rows, shortID(run.ID), run.Name)
			if seed := run.Params["seed"]; seed != "" {
				text += ", seed " + seed
			}
			text += ")"
			if t.paper != nil {
				text += unlikeConfig(run)
			}
			if c, ok := t.costs[run.ID]; ok {
				text += fmt.Sprintf(", %d epochs in %s, final evaluation %s", c.epochs, durationText(c.training), durationText(c.evaluation))
				total += c.training + c.evaluation
				runs++
			}
			notes = append(notes, text)
			if k == 0 && i == 0 && variant == t.Variant {
				rows = ModelTitle(group[0].Params["model"])
			}
		}
	}
	if runs > 1 {
		notes = append(notes, fmt.Sprintf("runs: %d, together %s of training and final evaluation", runs, durationText(total)))
	}
	return notes
}

// unlikeConfig says in what a run on one of the paper's graphs differs from the config inside the program that trains
// its row, "" if in nothing or if there is none.
func unlikeConfig(run tracker.RunInfo) string {
	name := run.Params["graph"] + "/" + run.Params["model"]
	if variant := run.Params["variant"]; variant != sphere.Released {
		name += "-" + variant
	}
	if !slices.Contains(EmbeddedConfigs(), name) {
		return ""
	}
	c, err := LoadConfig(Layers{Config: name})
	if err != nil {
		return ""
	}
	flat := c.Flatten()
	var parts []string
	for _, key := range Keys() {
		ours, logged := run.Params[key]
		if key == "seed" || strings.HasPrefix(key, "eval.") || slices.Contains(notIdentity, key) || !logged || ours == flat[key] {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s", key, ours))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(", NOT AS THE CONFIG %s: %s", name, strings.Join(parts, ", "))
}
