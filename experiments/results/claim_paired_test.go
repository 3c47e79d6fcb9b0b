package results

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/quantity"
)

// pairedMark is the mark before a table of paired comparisons: "<!-- paired change: *_novel_f1; old: *_novel_f1 b -->"
// says which difference, with its interval, or which side of the comparison a column has. The column "file" names the
// file in measured/, which `spherelab eval A --against B --format json` printed.
var pairedMark = regexp.MustCompile(`(?m)^<!-- paired (.*) -->\n\n((?:\|.*\n)+)`)

// pairedFile is what a comparison prints.
type pairedFile struct {
	Comparison struct {
		Differences []struct {
			Key              string
			A, B, Difference float64
			Interval         struct{ Low, High float64 }
		}
	}
}

// cell is how a page has a number of both sides: "a" and "b" are those of the runs, "" the interval of the difference,
// "difference" the difference before it.
func (f *pairedFile) cell(key, what string) (string, error) {
	var parts []string
	for _, side := range []string{"head", "tail"} {
		if !strings.Contains(key, "*") && side == "tail" {
			break
		}
		found := false
		for _, d := range f.Comparison.Differences {
			if d.Key != strings.Replace(key, "*", side, 1) {
				continue
			}
			found = true
			switch what {
			case "a":
				parts = append(parts, quantity.Fraction(d.A, 3))
			case "b":
				parts = append(parts, quantity.Fraction(d.B, 3))
			case "difference":
				parts = append(parts, fmt.Sprintf("%s [%s, %s]", signed(d.Difference), signed(d.Interval.Low),
					signed(d.Interval.High)))
			default:
				parts = append(parts, signed(d.Interval.Low)+" to "+signed(d.Interval.High))
			}
		}
		if !found {
			return "", fmt.Errorf("no difference of %s", key)
		}
	}
	return strings.Join(parts, " / "), nil
}

// wrongPaired compares a markdown table with the files in its column "file".
func wrongPaired(folder, mark, table string) (wrong []string) {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	place := map[string]int{}
	for i, name := range cells(lines[0]) {
		place[name] = i
	}
	for _, line := range lines[2:] {
		row := cells(line)
		source, err := os.ReadFile(filepath.Join(folder, row[place["file"]]+".json"))
		var f pairedFile
		if err == nil {
			err = json.Unmarshal(source, &f)
		}
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		for _, binding := range strings.Split(mark, "; ") {
			column, key, _ := strings.Cut(binding, ": ")
			key, what, _ := strings.Cut(key, " ")
			i, ok := place[column]
			want, err := f.cell(key, what)
			if err != nil || !ok || row[i] != want {
				wrong = append(wrong, fmt.Sprintf("column %q of %q should be %q (%v)", column, line, want, err))
			}
		}
	}
	return wrong
}

// TestPairedTablesFollowTheirFiles holds marked tables of pages against what the comparisons printed.
func TestPairedTablesFollowTheirFiles(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	expect.NoError(t, err)
	named := map[string]bool{}
	for _, name := range pages {
		page, err := os.ReadFile(name)
		expect.NoError(t, err)
		found := pairedMark.FindAllStringSubmatch(string(page), -1)
		if marks := strings.Count(string(page), "<!-- paired "); marks != len(found) {
			t.Errorf("%s: %d marks <!-- paired, and %d tables behind one", name, marks, len(found))
		}
		for _, m := range found {
			for _, wrong := range wrongPaired("measured", m[1], m[2]) {
				t.Errorf("%s: %s", name, wrong)
			}
			for _, f := range regexp.MustCompile(`[a-z0-9]+(-[a-z0-9]+)+`).FindAllString(m[2], -1) {
				named[f] = true
			}
		}
	}
	files, err := filepath.Glob("measured/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".json"); !named[name] && !strings.HasPrefix(name, "calibration-") {
			t.Errorf("no page has %s", f)
		}
	}
	table := "| file | x |\n|---|---|\n| drop-bundled-complex | .260 / .458 |\n"
	if wrong := wrongPaired("measured", "x: *_novel_f1 b", table); len(wrong) != 0 {
		t.Errorf("a right table: %q", wrong)
	}
	for _, mark := range []string{"x: *_novel_f1 a", "x: *_novel_f1", "x: *_rr b", "x: *_no b", "y: *_novel_f1 b"} {
		if wrong := wrongPaired("measured", mark, table); len(wrong) != 1 {
			t.Errorf("%s: %q", mark, wrong)
		}
	}
}

// TestPromisesFollowTheirFiles: docs/measured.md has what `spherelab runs calibration --format json` printed.
func TestPromisesFollowTheirFiles(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../docs/measured.md")
	expect.NoError(t, err)
	page := string(source)
	for _, run := range []struct{ file, first string }{
		{"fb15k-237-sphere-2d", ""}, {"bundled-complex", "bundled"}, {"umls-complex", "UMLS"},
	} {
		source, err := os.ReadFile("measured/calibration-" + run.file + ".json")
		expect.NoError(t, err)
		type pair struct{ Precision, Recall float64 }
		var f struct {
			Sides []struct {
				Split, Side string
				ECE, Brier  float64
			}
			Promises []struct {
				Cut                    string
				Reached                bool
				Probability            float64
				Fitted, Measured, Test pair
			}
		}
		expect.NoError(t, json.Unmarshal(source, &f))
		var lines []string
		begin := "| "
		if run.first != "" {
			begin = "| " + run.first + " | "
		}
		for _, p := range f.Promises {
			kind, level, _ := strings.Cut(p.Cut, "-")
			if run.first != "" && kind == "recall" {
				continue
			}
			line := begin + kind + " " + strings.TrimPrefix(level, "0") + " | "
			if p.Reached {
				line += quantity.Fraction(p.Probability, 3)
				for _, x := range []pair{p.Fitted, p.Measured, p.Test} {
					line += " | " + quantity.Fraction(x.Precision, 3) + " / " + quantity.Fraction(x.Recall, 3)
				}
				lines = append(lines, line+" |")
			} else {
				lines = append(lines, line+"none | | | |")
			}
			if run.first != "" {
				begin = "| | "
			}
		}
		if run.first == "" {
			ece, brier := map[string][]string{}, map[string][]string{}
			for _, s := range f.Sides {
				ece[s.Split] = append(ece[s.Split], strings.TrimPrefix(fmt.Sprintf("%.4f", s.ECE), "0"))
				brier[s.Split] = append(brier[s.Split], strings.TrimPrefix(fmt.Sprintf("%.4f", s.Brier), "0"))
			}
			for split, title := range map[string]string{"valid": "half of validation, fitted on the other half", "test": "test"} {
				lines = append(lines, fmt.Sprintf("| %s | %s | %s |", title, strings.Join(ece[split], " / "),
					strings.Join(brier[split], " / ")))
			}
		}
		if len(lines) < 3 {
			t.Errorf("%s: %q", run.file, lines)
		}
		for _, line := range lines {
			if !strings.Contains(page, "\n"+line+"\n") {
				t.Errorf("docs/measured.md lacks\n%s", line)
			}
		}
	}
}
