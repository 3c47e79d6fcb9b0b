package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// TestAnswerInEveryForm asks the same query as text, JSON, CSV, set and page of a notebook, for every model, variant
// and cut. All have the same members in the same order with the same marks, and these are what the triples say.
func TestAnswerInEveryForm(t *testing.T) {
	t.Parallel()
	total := retrieve.Counts{}
	for _, s := range []sphere.Settings{
		{Model: sphere.RotatE, Variant: sphere.Clean, Dimension: 3, Gamma: 5},
		{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 3, Gamma: 2},
		{Model: sphere.SpherE2D, Variant: sphere.Released, Dimension: 3, Gamma: 3},
		{Model: sphere.SpherE2D, Variant: sphere.Paper, Dimension: 1, Gamma: 3},
	} {
		for _, name := range cutsOfAnswers {
			r, run := drawnRun(t, "a", s, 5)
			w := twinOf(t, run, name)
			if name != "" {
				r = r.Cut(name)
			} else {
				run.Config.Eval.Criterion = "default"
			}
			c := cmp.Or(name, "fitted-novel")
			retriever, err := run.Retriever(context.Background(), answer.Cut{Name: name}, retrieve.Options{},
				nil)
			expect.NoError(t, err)
			g := run.Graph
			for i := 0; i < len(g.Test); i += 17 { // queries that have held-out answers
				q := g.Test[i].Query(kg.Side(i % 2)) // 17 is odd: both sides
				answer, err := retriever.Answer(context.Background(), q)
				expect.NoError(t, err)
				if answer.Cut != c {
					t.Fatalf("the answer is by cut %q, want %q", answer.Cut, c)
				}
				want, counts := w.members(q)
				same := func(form string, got []string) {
					t.Helper()
					if !slices.Equal(got, want) {
						t.Fatalf("%+v, %s, %s: the %s has\n%q\nwant\n%q", s, c, answer.Relation, form, got, want)
					}
				}
				if answer.Counts != counts {
					t.Fatalf("counts %+v, want %+v", answer.Counts, counts)
				}
				for _, m := range answer.Set {
					total.Add(m.Mark)
				}
				var text, table bytes.Buffer
				expect.NoError(t, answer.WriteText(&text, retrieve.Text{Model: run.Title()}))
				mixed := want
				want = slices.Concat(kind(mixed, false), kind(mixed, true)) // new ones first
				same("text", ofText(t, text.String(), counts))
				want = mixed
				expect.NoError(t, answer.WriteCSV(&table))
				same("CSV", ofCSV(t, table.String()))
				raw, err := json.Marshal(answer)
				expect.NoError(t, err)
				same("JSON", ofJSON(t, raw, counts))

				set := r.Ask(answer.Head, answer.Relation, answer.Tail)
				same("set", ofRows(set.Rows()))
				for _, m := range slices.Concat(answer.Set, answer.Near) {
					if set.Score(m.Label) != float64(m.Slack) || set.Has(m.Label) != (m.Slack >= 0 || m.Known) {
						t.Fatalf("the set has %s with %v, its slack is %v", m.Label, set.Score(m.Label), m.Slack)
					}
				}
				parts := [4]int{set.Known().Len(), set.HeldOut().Len(), set.Inferred().Len(), set.Novel().Len()}
				if parts != [4]int{counts.Known, counts.HeldOut, counts.Inferred, counts.HeldOut + counts.Inferred} {
					t.Fatalf("known, held-out, inferred and novel members %v, want %+v", parts, counts)
				}
				novel, known := kind(mixed, false), kind(mixed, true)
				want = slices.DeleteFunc(slices.Clone(mixed), func(one string) bool {
					return slices.Index(novel, one) >= shownAnswers || slices.Index(known, one) >= shownAnswers
				})
				same("text of a cell", ofCell(t, set.String(), counts))
				same("page of a cell", ofHTML(set.HTML()))
			}
		}
	}
	if total.Known == 0 || total.HeldOut == 0 || total.Inferred == 0 {
		t.Errorf("members %+v: the test shows little", total)
	}
}

// kind are the known ones of some answers, or the others.
func kind(list []string, known bool) []string {
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return strings.HasSuffix(one, ": known") != known })
}

// cutsOfAnswers are the cuts that the test compares; "" is the default.
var cutsOfAnswers = []string{"", "margin", "sphere", "intersect", "fitted-f1", "fitted-novel", "fitted-side-union",
	"top-1", "top-10", "top-mean"}

// twinOf answers by a cut. Thresholds are fitted again; whether they are good is tested in eval.
func twinOf(t *testing.T, run *answer.Run, cut string) twin {
	t.Helper()
	w, g := twin{run: run}, run.Graph
	switch {
	case cut == "top-mean": // training triples of the relation per distinct known entity, halves rounded up
		w.size = func(q kg.Query) int {
			facts, known := 0, map[int32]bool{}
			for _, f := range g.Train {
				if f.Relation == q.Relation {
					facts++
					known[f.Query(q.Side).Known] = true
				}
			}
			return max(1, (2*facts+len(known))/max(1, 2*len(known)))
		}
	case strings.HasPrefix(cut, "top-"):
		n, err := strconv.Atoi(strings.TrimPrefix(cut, "top-"))
		expect.NoError(t, err)
		w.size = func(kg.Query) int { return n }
	case cut == "" || strings.HasPrefix(cut, "fitted-"):
		list, err := eval.Fit(t.Context(), run.Model, g, eval.FitSettings{})
		expect.NoError(t, err)
		for i := range list {
			if list[i].Name == cmp.Or(cut, "fitted-novel") {
				w.thresholds = &list[i]
			}
		}
	default:
		run.Config.Eval.Criterion = cut
	}
	return w
}

// members computes members and marks from distances and triples alone, as "label: mark".
func (w twin) members(q kg.Query) (list []string, c retrieve.Counts) {
	g := w.run.Graph
	in := w.ask(q)
	var members []int32
	for e := range int32(g.Entities.Len()) {
		if in.score[g.Entities.Name(e)] >= 0 {
			members = append(members, e)
		}
	}
	depths := w.depths(q)
	slices.SortStableFunc(members, func(a, b int32) int { return cmp.Compare(depths[a], depths[b]) })
	var known []int32 // which every cut has
	for _, t := range slices.Concat(g.Train, g.Valid) {
		e := t.Answer(q.Side)
		if t.Query(q.Side) == q && !slices.Contains(members, e) && !slices.Contains(known, e) {
			known = append(known, e)
		}
	}
	slices.SortFunc(known, func(a, b int32) int { return cmp.Or(cmp.Compare(depths[a], depths[b]), cmp.Compare(a, b)) })
	members = append(members, known...)
	loops := slices.ContainsFunc(g.Train, func(t kg.Triple) bool {
		return t.Relation == q.Relation &&
			t.Head == t.Tail
	})
	for _, e := range members {
		c.Total++
		word := "inferred"
		switch t := q.Triple(e); {
		case slices.Contains(g.Train, t), slices.Contains(g.Valid, t):
			word = "known"
			c.Known++
		case slices.Contains(g.Test, t):
			word = "held out"
			c.HeldOut++
		default:
			c.Inferred++
			if e == q.Known && !loops {
				word += ", itself"
			}
		}
		list = append(list, g.Label(e)+": "+word)
	}
	return list, c
}

var inBrackets = regexp.MustCompile(` \([^()]*\)`)

// ofText reads the set from lines of label, mark and slack.
func ofText(t *testing.T, text string, c retrieve.Counts) (list []string) {
	t.Helper()
	for _, want := range []string{fmt.Sprintf("%d known answer", c.Known), c.NewWords() + ";"} {
		if !strings.Contains(text, want) {
			t.Fatalf("no %q in:\n%s", want, text)
		}
	}
	text, _, _ = strings.Cut(text, "\nnear misses")
	for line := range strings.Lines(text) {
		before, _, ok := strings.Cut(line, "  slack ")
		if label, mark, both := strings.Cut(strings.TrimSpace(before), "  "); ok && both {
			list = append(list, label+": "+inBrackets.ReplaceAllString(strings.TrimSpace(mark), ""))
		}
	}
	return list
}

func ofCSV(t *testing.T, text string) (list []string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	expect.NoError(t, err)
	at := func(line []string, column string) string { return line[slices.Index(lines[0], column)] }
	for _, line := range lines[1:] {
		mark := at(line, "mark")
		if at(line, "in_set") == "false" && mark != "known" {
			continue
		}
		if known := fmt.Sprint(mark == "known"); at(line, "known") != known {
			t.Fatalf("known is %s of mark %q", at(line, "known"), mark)
		}
		if at(line, "itself") == "true" {
			mark += ", itself"
		}
		list = append(list, at(line, "label")+": "+mark)
	}
	return list
}

func ofJSON(t *testing.T, raw []byte, c retrieve.Counts) (list []string) {
	t.Helper()
	var answer struct {
		Set []struct {
			Label, Mark   string
			Known, Itself bool
		}
		Total, Known, Inferred int
		HeldOut                int `json:"held_out"`
	}
	expect.NoError(t, json.Unmarshal(raw, &answer))
	if answer.Total != c.Total || answer.Known != c.Known || answer.HeldOut != c.HeldOut ||
		answer.Inferred != c.Inferred {
		t.Fatalf("JSON has the counts %d, %d, %d, %d, want %+v",
			answer.Total, answer.Known, answer.HeldOut, answer.Inferred, c)
	}
	for _, m := range answer.Set {
		if m.Known != (m.Mark == "known") {
			t.Fatalf("known is %v of mark %q", m.Known, m.Mark)
		}
		if m.Itself {
			m.Mark += ", itself"
		}
		list = append(list, m.Label+": "+m.Mark)
	}
	return list
}

func ofRows(rows *Rows) (list []string) {
	names, marks := rows.Strings("name"), rows.Strings("mark")
	for i, name := range names {
		list = append(list, name+": "+inBrackets.ReplaceAllString(marks[i], ""))
	}
	return list
}

var cellLine = regexp.MustCompile(`(?m)^  (.*?)  +(\S.*?)  +[+-][\d.]+$`)

// ofCell reads the answers that a set shows as text.
func ofCell(t *testing.T, text string, c retrieve.Counts) (list []string) {
	t.Helper()
	title, _, _ := strings.Cut(text, "\n")
	if known := fmt.Sprintf("; %s", quantity.CommaCount(c.Known, "known answer")); !strings.Contains(title, ": "+c.NewWords()) ||
		strings.HasSuffix(title, known) != (c.Known > 0) {
		t.Fatalf("title %q, want counts %+v", title, c)
	}
	for _, m := range cellLine.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1]+": "+inBrackets.ReplaceAllString(m[2], ""))
	}
	return list
}

var pageLine = regexp.MustCompile(`<tr[^>]*><td[^>]*>([^<]*)</td><td[^>]*><span[^>]*>([^<]*)</span>`)

// ofHTML reads the answers that a set shows as a page.
func ofHTML(page string) (list []string) {
	for _, m := range pageLine.FindAllStringSubmatch(page, -1) {
		list = append(list, html.UnescapeString(m[1])+": "+inBrackets.ReplaceAllString(m[2], ""))
	}
	return list
}

// TestFactTables: tables of facts have what Explain says of each fact.
func TestFactTables(t *testing.T) {
	t.Parallel()
	r, _ := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 3, Gamma: 2}, 5)
	r = r.Cut("top-10")
	predicted, between := r.Predict("advised", 5), r.Between("Max Born", "Pascual Jordan")
	if predicted.Len() != 5 || between.Len() != r.Graph().KG().Relations.Len() {
		t.Errorf("%d predicted, %d relations", predicted.Len(), between.Len())
	}
	for _, rows := range []*Rows{predicted, between} {
		for i := range rows.Len() {
			x := r.Explain(rows.Strings("head")[i], rows.Strings("relation")[i], rows.Strings("tail")[i])
			want := retrieve.Member{Mark: x.Mark, Splits: x.Splits}.Words()
			probability := rows.Value(i, "probability")
			if rows.Strings("mark")[i] != want || (x.Probability == nil) != (probability == nil) ||
				probability != nil && probability != *x.Probability {
				t.Errorf("row %d is %s with probability %v: %+v", i, rows.Strings("mark")[i], probability, x.Explanation)
			}
		}
	}
	if slices.Contains(predicted.Columns(), "slack") || slices.Contains(between.Columns(), "slack") {
		t.Error("lists that span queries have slack")
	}
	for name, list := range map[string]func(){
		"Predict": func() { r.Cut("margin").Slack(.5).Predict("advised", 5) },
		"AskAll":  func() { r.Cut("margin").Slack(.5).AskAll([][]string{{"Max Born", "advised", "?"}}) },
	} {
		if err := caught(t, list); err.Name != BadCut || !strings.Contains(err.Message, name) {
			t.Errorf("%s with slack: %v", name, err)
		}
	}
	if err := caught(t, func() { r.Predict("advised", 0) }); err.Name != Failed {
		t.Errorf("error %v", err)
	}
	if err := caught(t, func() { r.Predict("nothing", 1) }); err.Name != UnknownRelation {
		t.Errorf("error %v", err)
	}
	if err := caught(t, func() { r.Cut("fitted-f2") }); err.Name != BadCut {
		t.Errorf("error %v", err)
	}
}
