package results

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/spherelab/spherelab/internal/expect"
)

// claim is a sentence of a page whose numbers committed runs have.
type claim struct {
	Page string   `yaml:"page"`
	Text string   `yaml:"text"` // as the page has it, except for line breaks
	Are  []string `yaml:"are"`  // sources of its numbers, in their order
}

// committed are the metrics of all committed runs, by the first eight digits of their ids.
type committed map[string]map[string]float64

func readCommitted(t *testing.T) committed {
	t.Helper()
	all := committed{}
	for _, folder := range []string{".", "length", "link", "dimension", "house"} {
		files, err := readResults(os.DirFS("."), folder)
		expect.NoError(t, err)
		for _, f := range files {
			all[f.Info.ID[:8]] = f.Info.Metrics
		}
	}
	return all
}

// values are those of a source: "448287b4 margin/head_f1" is a number of one run, "448287b4+f00844bc *_rr" the mean
// over runs, at their own cut, of both sides, and "a less b" the difference of two sources.
func (c committed) values(source string) ([]float64, error) {
	if left, right, ok := strings.Cut(source, " less "); ok {
		a, err := c.values(left)
		if err != nil {
			return nil, err
		}
		b, err := c.values(right)
		if err != nil {
			return nil, err
		}
		if len(a) != len(b) {
			return nil, fmt.Errorf("%s: %d numbers less %d", source, len(a), len(b))
		}
		for i := range a {
			a[i] -= b[i]
		}
		return a, nil
	}
	runs, key, ok := strings.Cut(source, " ")
	if !ok {
		return nil, fmt.Errorf("%q is not RUN METRIC", source)
	}
	if strings.Contains(key, "*") {
		head, err := c.values(runs + " " + strings.Replace(key, "*", "head", 1))
		if err != nil {
			return nil, err
		}
		tail, err := c.values(runs + " " + strings.Replace(key, "*", "tail", 1))
		return append(head, tail...), err
	}
	if !strings.HasPrefix(key, "valid/") {
		key = "test/" + key
	}
	list := strings.Split(runs, "+")
	sum := 0.
	for _, id := range list {
		value, ok := c[id][key]
		if !ok { // the margin is the own cut of some models
			value, ok = c[id][strings.Replace(key, "/margin/", "/", 1)]
		}
		if !ok {
			return nil, fmt.Errorf("no committed run %s has %s", id, key)
		}
		sum += value
	}
	return []float64{sum / float64(len(list))}, nil
}

// printed is a number as pages have it: .123, -.004, +.013 or 0.919.
var printed = regexp.MustCompile(`[+-]?[01]?\.\d{3,4}\b`)

// disagreement says how the numbers of a text differ from those of their sources; "" if they do not.
func (c committed) disagreement(text string, sources []string) string {
	var want []float64
	for _, source := range sources {
		values, err := c.values(source)
		if err != nil {
			return err.Error()
		}
		want = append(want, values...)
	}
	have := printed.FindAllString(text, -1)
	if len(have) != len(want) {
		return fmt.Sprintf("%d numbers %q, and the sources have %d", len(have), have, len(want))
	}
	for i, number := range have {
		_, digits, _ := strings.Cut(number, ".")
		should := strconv.FormatFloat(want[i], 'f', len(digits), 64)
		if short(number) != short(should) {
			return fmt.Sprintf("%s should be %s", number, short(should))
		}
	}
	return ""
}

// TestClaimsFollowRuns holds numbers in sentences of pages against the runs that claim.yaml names for them.
func TestClaimsFollowRuns(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("claim.yaml")
	expect.NoError(t, err)
	var claims []claim
	expect.NoError(t, yaml.UnmarshalWithOptions(source, &claims, yaml.Strict()))
	runs := readCommitted(t)
	others := runs.changed()
	for _, c := range claims {
		page, err := os.ReadFile(filepath.Join("../..", c.Page))
		expect.NoError(t, err)
		if !strings.Contains(oneLine(string(page)), oneLine(c.Text)) {
			t.Errorf("%s does not have %q; claim.yaml follows the page", c.Page, c.Text)
		}
		if wrong := runs.disagreement(c.Text, c.Are); wrong != "" {
			t.Errorf("%s: %q: %s", c.Page, c.Text, wrong)
		}
		if others.disagreement(c.Text, c.Are) == "" {
			t.Errorf("%s: %q agrees with other runs, too", c.Page, c.Text)
		}
	}
}

// changed are runs whose every number is another one, so that no difference of two stays.
func (c committed) changed() committed {
	others, by := committed{}, .0021
	for _, id := range slices.Sorted(maps.Keys(c)) {
		by += .0021
		others[id] = map[string]float64{}
		for key, value := range c[id] {
			others[id][key] = value + by
		}
	}
	return others
}

// short leaves out the sign + and the zero before the point.
func short(number string) string {
	return strings.Replace(strings.TrimPrefix(number, "+"), "0.", ".", 1)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// bound is the mark before a table whose numbers committed runs have: "<!-- numbers F1: expected-f1/*_f1; MRR: mrr -->"
// says of which metric columns are. The column "run" names the run of a line, and the column "cut" a cut that replaces
// CUT; the numbers of a line with several runs are their means. A line of "A less B" has differences. Intervals, in
// brackets or as "LO to HI", need checkpoints: what is held is that the runs' own numbers lie in them.
var bound = regexp.MustCompile(`(?m)^<!-- numbers (.*) -->\n\n((?:\|.*\n)+)`)

// TestTablesFollowRuns holds marked tables of pages against committed runs.
func TestTablesFollowRuns(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	expect.NoError(t, err)
	runs, tables := readCommitted(t), 0
	others := runs.changed()
	for _, name := range append(pages, "../../README.md") {
		page, err := os.ReadFile(name)
		expect.NoError(t, err)
		found := bound.FindAllStringSubmatch(string(page), -1)
		if marks := strings.Count(string(page), "<!-- numbers "); marks != len(found) {
			t.Errorf("%s: %d marks <!-- numbers, and %d tables behind one", name, marks, len(found))
		}
		for _, m := range found {
			tables++
			for _, wrong := range runs.wrongCells(m[1], m[2]) {
				t.Errorf("%s: %s", name, wrong)
			}
			if len(others.wrongCells(m[1], m[2])) == 0 {
				t.Errorf("%s: the table with %q agrees with other runs, too", name, m[1])
			}
		}
	}
	if tables == 0 {
		t.Error("no page has a marked table")
	}
}

// wrongCells compares a markdown table with the runs in its column "run".
func (c committed) wrongCells(mark, table string) (wrong []string) {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	heading := cells(lines[0])
	at := func(column string) int {
		for i, name := range heading {
			if name == column {
				return i
			}
		}
		wrong = append(wrong, fmt.Sprintf("no column %q", column))
		return 0
	}
	run, checked := at("run"), 0
	for _, binding := range strings.Split(mark, "; ") {
		column, key, _ := strings.Cut(binding, ": ")
		i := at(column)
		for _, line := range lines[2:] {
			row := cells(line)
			if row[run] == "" || row[i] == "" {
				continue
			}
			own := key
			if strings.Contains(key, "CUT") {
				own = strings.ReplaceAll(key, "CUT", strings.Trim(row[at("cut")], "`"))
			}
			var terms []string
			for _, term := range strings.Split(row[run], " less ") {
				terms = append(terms, strings.ReplaceAll(term, ", ", "+")+" "+own)
			}
			source := strings.Join(terms, " less ")
			text := ""
			switch plain := interval.ReplaceAllString(row[i], ""); {
			case printed.MatchString(plain):
				text = c.disagreement(plain, []string{source})
			case !interval.MatchString(row[i]):
				text = "no number that can be compared"
			}
			if text == "" {
				text = c.outside(row[i], source)
			}
			if text != "" {
				wrong = append(wrong, fmt.Sprintf("column %s of %q: %s", column, line, text))
			}
			checked++
		}
	}
	if checked == 0 {
		wrong = append(wrong, "a marked table without a line that names a run")
	}
	return wrong
}

// interval is "[LO, HI]" or "LO to HI".
var interval = regexp.MustCompile(`\[([-+.\d]+), ([-+.\d]+)\]|([-+]\.\d+) to ([-+]\.\d+)`)

// outside says which number of the source is not in its interval of the cell; "" if the cell has none.
func (c committed) outside(cell, source string) string {
	found := interval.FindAllStringSubmatch(cell, -1)
	if len(found) == 0 {
		return ""
	}
	values, err := c.values(source)
	if err != nil {
		return err.Error()
	}
	if len(values) != len(found) {
		return fmt.Sprintf("%d intervals, and the sources have %d numbers", len(found), len(values))
	}
	for i, x := range found {
		lo, errLo := strconv.ParseFloat(x[1]+x[3], 64)
		hi, errHi := strconv.ParseFloat(x[2]+x[4], 64)
		const widest = .1
		if errLo != nil || errHi != nil || values[i] < lo-5e-4 || values[i] > hi+5e-4 || hi-lo > widest {
			return fmt.Sprintf("%.4f is not in %s", values[i], x[0])
		}
	}
	return ""
}

func cells(line string) []string {
	list := strings.Split(strings.Trim(line, "|"), "|")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// TestDisagreement: a changed digit, sign, order or side is seen.
func TestDisagreement(t *testing.T) {
	t.Parallel()
	runs := committed{"aaaaaaaa": {"test/head_f1": .4567, "test/tail_f1": .1234, "valid/mrr": .3},
		"bbbbbbbb": {"test/head_f1": .2567, "test/tail_f1": .3234}}
	for _, c := range []struct {
		text   string
		source string
		right  bool
	}{
		{"has .457 / .123", "aaaaaaaa *_f1", true},
		{"has .457 / .124", "aaaaaaaa *_f1", false},
		{"has .123 / .457", "aaaaaaaa *_f1", false},
		{"has .457", "aaaaaaaa *_f1", false},
		{"has .457 / .123 and .300", "aaaaaaaa *_f1", false},
		{"has .357 / .223", "aaaaaaaa+bbbbbbbb *_f1", true},
		{"gains +.200 / -.200", "aaaaaaaa *_f1 less bbbbbbbb *_f1", true},
		{"gains -.200 / -.200", "aaaaaaaa *_f1 less bbbbbbbb *_f1", false},
		{"MRR .300", "aaaaaaaa valid/mrr", true},
		{"MRR .300", "aaaaaaaa mrr", false},
		{"MRR .300", "cccccccc valid/mrr", false},
	} {
		if got := runs.disagreement(c.text, []string{c.source}); (got == "") != c.right {
			t.Errorf("%q of %q: %q", c.text, c.source, got)
		}
	}
	table := "| model | run | cut | F1 |\n|---|---|---|---|\n| A | aaaaaaaa | `own` | .457 / .123 |\n| B | | | .1 |\n"
	runs["aaaaaaaa"]["test/own/head_f1"], runs["aaaaaaaa"]["test/own/tail_f1"] = .4567, .1234
	if wrong := runs.wrongCells("F1: CUT/*_f1", table); len(wrong) > 0 {
		t.Errorf("a right table: %q", wrong)
	}
	if wrong := runs.wrongCells("F1: CUT/*_f1", strings.Replace(table, ".457", ".458", 1)); len(wrong) != 1 {
		t.Errorf("a changed digit: %q", wrong)
	}
	const columns = "| run | cut | F1 |\n|---|---|---|\n"
	table = columns + "| aaaaaaaa less bbbbbbbb | margin | **+.200** [+.160, +.240] / -.200 [-.240, -.160] |\n"
	if wrong := runs.wrongCells("F1: CUT/*_f1", table); len(wrong) > 0 {
		t.Errorf("right differences: %q", wrong)
	}
	for _, change := range [][2]string{{"+.200", "+.201"}, {"+.160", "+.210"}, {"-.160", "-.210"}, {"-.200", ".200"}} {
		if len(runs.wrongCells("F1: CUT/*_f1", strings.Replace(table, change[0], change[1], 1))) != 1 {
			t.Errorf("%s instead of %s is not seen", change[1], change[0])
		}
	}
	if wrong := runs.wrongCells("F1: CUT/*_f1", columns+"| aaaaaaaa | own | reached |\n"); len(wrong) != 1 {
		t.Errorf("a cell without a number: %q", wrong)
	}
	if wrong := runs.wrongCells("RR: CUT/*_rr", table); len(wrong) == 0 {
		t.Error("a mark for a column that is not there")
	}
}
