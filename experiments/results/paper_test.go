package results

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
)

// printedTable finds the rows of a table in the paper's source: the cells of every line after the label.
func printedTable(t *testing.T, source, label string) [][]string {
	t.Helper()
	_, rest, ok := strings.Cut(source, `\label{`+label+`}`)
	if !ok {
		t.Fatalf("the paper has no label %s", label)
	}
	body, _, ok := strings.Cut(rest, `\end{tabular}`)
	if !ok {
		t.Fatalf("the table %s does not end", label)
	}
	bold := regexp.MustCompile(`\\textbf\{([^}]*)\}`)
	var rows [][]string
	for line := range strings.Lines(body) {
		line = bold.ReplaceAllString(line, "$1")
		if strings.HasPrefix(strings.TrimSpace(line), `\midrule`) {
			rows = append(rows, nil) // between two models
		}
		cells := strings.Split(line, "&")
		if len(cells) < 4 {
			continue
		}
		for i := range cells {
			cells[i], _, _ = strings.Cut(cells[i], `\\`)
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestPaperNumbersAreThoseOfThePaper compares every number of paper.yaml with the paper's source.
func TestPaperNumbersAreThoseOfThePaper(t *testing.T) {
	raw, err := os.ReadFile(graphtest.Paper(t))
	expect.NoError(t, err)
	source := string(raw)
	paper, err := readPaper()
	expect.NoError(t, err)

	// The model's name stands next to one row of its block.
	for _, table := range paper.Results {
		printed := map[string]string{}
		var block [][]string
		name := ""
		store := func() {
			for _, cells := range block {
				printed[name+", "+cells[1]] = strings.Join(cells[2:], " ")
			}
			block, name = nil, ""
		}
		for _, cells := range printedTable(t, source, table.Label) {
			switch {
			case cells == nil:
				store()
			case len(cells) == 7:
				block = append(block, cells)
				name += cells[0]
			}
		}
		store()
		listed := map[string]bool{}
		for _, row := range table.Rows {
			var values []string
			for _, v := range row.Values {
				values = append(values, fmt.Sprintf("%.3f", v))
			}
			if got := strings.Join(values, " "); got != printed[row.Printed] {
				t.Errorf("%s, %s: paper.yaml has %s, the paper %s", table.Label, row.Printed, got, printed[row.Printed])
			}
			listed[row.Printed] = true

			base, cut, _ := strings.Cut(row.Printed, ", ")
			model := map[string]string{"RotatE": "RotatE", "RotatE3D": "Rotate3D"}[base]
			if model == "" {
				model = base
			}
			if cut == "Sphere" {
				dimensions := map[string]string{"RotatE": "2D", "RotatE3D": "3D"}[base]
				if dimensions == "" {
					dimensions = strings.TrimPrefix(base, "HousE-")
				}
				model, cut = "SpherE-"+dimensions, map[bool]string{true: "margin",
					false: "blocks"}[dimensions == "2D" ||
					dimensions == "3D"]
			}
			if row.Model != model || row.CutName != cut {
				t.Errorf("%s stands under %s %s, not under %s %s", row.Printed, row.Model, row.CutName, model, cut)
			}
		}
		if len(listed) != len(printed) || len(table.Rows) != len(printed) || len(printed) < 14 {
			t.Errorf("%s: paper.yaml has %d rows, %d different; the paper %d", table.Label, len(table.Rows),
				len(listed),
				len(printed))
		}
	}

	folder := strings.NewReplacer("FB15K237", "fb15k-237", "WN18RR", "wn18rr")
	numbers := func(text string) int {
		n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		expect.NoError(t, err)
		return n
	}
	var want []paperDataset
	for _, cells := range printedTable(t, source, paper.Datasets.Label) {
		if len(cells) != 4 || strings.HasPrefix(cells[0], "KG") {
			continue
		}
		splits := strings.Split(cells[3], "/")
		want = append(want, paperDataset{Graph: folder.Replace(cells[0]), Entities: numbers(cells[1]),
			Relations: numbers(cells[2]),
			Train:     numbers(splits[0]), Valid: numbers(splits[1]), Test: numbers(splits[2])})
	}
	if fmt.Sprint(want) != fmt.Sprint(paper.Datasets.Rows) || len(want) != 2 {
		t.Errorf("data sets %v, the paper has %v", paper.Datasets.Rows, want)
	}
}

func TestSignedDifferences(t *testing.T) {
	for x, want := range map[float64]string{.0031: "+.003", -.0149: "-.015", 0: "+.000", -.0001: "+.000",
		1.25: "+1.250"} {
		if got := signed(x); got != want {
			t.Errorf("signed(%v) = %s, want %s", x, got, want)
		}
	}
}
