package experiments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

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
			"fitted-: one threshold per relation and side, drawn to the side's as by 10 queries; fitted-side-: one per side; each is fitted on the validation triples, for F1, novel F1 or union F1.",
			"top-mean: the best l entities, l being the mean number of training answers of the relation and side.")
	}
	if none := t.noRun(); none != "" {
		notes = append(notes, none)
	}
	if t.paper != nil && t.Variant == t.paper.Variant {
		notes = append(notes, fmt.Sprintf("paper: its table %q, with ours less the paper's in brackets; its rows \"Sphere\" stand under SpherE, its RotatE3D under Rotate3D.", t.paper.Label))
		if text := agreement(rows); text != "" && !t.all {
			notes = append(notes, text)
		}
		if slices.ContainsFunc(rows, Row.Missing) {
			notes = append(notes, "missing: no run that is shown has logged this row; nothing is filled in.")
		}
	} else if t.paper == nil {
		notes = append(notes, t.hindsight()...)
	}
	if others := t.otherVariants(); len(others) > 0 {
		notes = append(notes, "Also logged, and not to be compared with these numbers: variant "+strings.Join(others, ", ")+"; "+t.elsewhere())
	}
	notes = append(notes, t.unshown()...)
	if t.embedded {
		notes = append(notes, "These are the results inside the program: nothing is logged on this graph in this tracker. `spherelab runs import` puts them there.")
	}
	return append(notes, t.runNotes()...)
}

// noRun says that the variant that people see has no run, and what makes one; "" if it has.
func (t *ResultGrid) noRun() string {
	if slices.ContainsFunc(t.groups, func(g []tracker.RunInfo) bool { return g[0].Params["variant"] == t.Variant }) || t.paper != nil && t.Variant == t.paper.Variant {
		return ""
	}
	text := fmt.Sprintf("No run of variant %s on %s is finished", t.Variant, t.Graph)
	var commands []string
	for _, name := range EmbeddedConfigs() {
		if strings.HasPrefix(name, t.Graph+"/") && strings.HasSuffix(name, "-"+t.Variant) {
			commands = append(commands, "`spherelab train "+name+"`")
		}
	}
	if len(commands) > 0 {
		text += "; " + strings.Join(commands, ", ") + " makes one"
	}
	return text + "."
}

// elsewhere says where to find what the table leaves out.
func (t *ResultGrid) elsewhere() string {
	if t.notebook {
		return fmt.Sprintf("lab.Table(%q, %q) shows one, Write to .json or .csv has all.", t.Graph, t.otherVariants()[0])
	}
	return "--variant shows one, --format json and csv have all."
}

// unshown names runs that one could look for in the table: trials, runs on other triples, results inside the program.
func (t *ResultGrid) unshown() []string {
	name := func(runs []tracker.RunInfo, why func(tracker.RunInfo) string) string {
		var names []string
		for _, run := range runs[:min(len(runs), 5)] {
			names = append(names, fmt.Sprintf("%s (%s%s)", shortID(run.ID), run.Name, why(run)))
		}
		if more := len(runs) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		return strings.Join(names, "; ")
	}
	var notes []string
	if len(t.passed) > 0 {
		notes = append(notes, "Newer, but not as the config, and therefore not shown: "+name(t.passed, func(run tracker.RunInfo) string { return ": " + unlikeConfig(run) })+". "+t.everyRun())
	}
	if len(t.foreign) > 0 && t.paper != nil {
		notes = append(notes, "On other triples under the name of this graph, and therefore not shown: "+name(t.foreign, func(tracker.RunInfo) string { return "" })+".")
	}
	if len(t.inside) > 0 {
		notes = append(notes, "Inside the program are finished runs of "+strings.Join(t.inside, ", ")+" that this tracker has not got; `spherelab runs import` puts them there.")
	}
	return notes
}

// unlikeText is for the line of a run that is not as its config.
func (t *ResultGrid) unlikeText(run tracker.RunInfo) string {
	unlike := t.unlike(run)
	if unlike == "" {
		return ""
	}
	return strings.TrimSuffix(", NOT AS THE CONFIG "+configOf(run), " ") + ": " + unlike
}

// everyRun says how to see runs that were not chosen.
func (t *ResultGrid) everyRun() string {
	if t.notebook {
		return "lab.Run(id).Table() shows one."
	}
	return "--all shows every run."
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
	total, runs := cost{}, 0
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
			text += t.unlikeText(run)
			if c, ok := t.costs[run.ID]; ok {
				text += ", " + c.String()
				total = total.plus(c)
				runs++
			}
			notes = append(notes, text)
			if k == 0 && i == 0 && variant == t.Variant {
				rows = ModelTitle(group[0].Params["model"])
			}
		}
	}
	if runs > 1 {
		notes = append(notes, fmt.Sprintf("runs: %d, together %s", runs, total.sum()))
	}
	if runs > 0 {
		notes = append(notes, costNote)
	}
	return notes
}
