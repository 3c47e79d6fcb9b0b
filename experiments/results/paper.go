package results

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/spherE/eval"
)

//go:embed paper.yaml
var paperYAML []byte

// paperNumbers are what the paper prints, from paper.yaml.
type paperNumbers struct {
	Datasets struct {
		Label string         `yaml:"label"`
		Rows  []paperDataset `yaml:"rows"`
	} `yaml:"datasets"`
	Results  []paperResults `yaml:"results"`
	Patterns struct {
		Label string         `yaml:"label"`
		Rows  []paperPattern `yaml:"rows"`
	} `yaml:"patterns"`
}

// paperPattern is a line of the paper's table of inference patterns.
type paperPattern struct {
	Printed  string   `yaml:"printed"`
	Patterns []string `yaml:"patterns"` // our patterns that test it
	Ticks    []bool   `yaml:"ticks"`    // of SpherE in 2, in 3, and in more dimensions
}

// tick returns the entry of a model in the paper's table of patterns, nil if it has none.
func (p *paperNumbers) tick(pattern, model string) *bool {
	text, isSphere := strings.CutPrefix(model, "sphere-")
	dimensions, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if !isSphere || err != nil {
		return nil
	}
	for _, row := range p.Patterns.Rows {
		if slices.Contains(row.Patterns, pattern) {
			return &row.Ticks[min(dimensions, 2+len(row.Ticks)-1)-2]
		}
	}
	return nil
}

// paperDataset is a line of the paper's table of data sets.
type paperDataset struct {
	Graph     string `yaml:"graph" json:"-"`
	Entities  int    `yaml:"entities" json:"entities"`
	Relations int    `yaml:"relations" json:"relations"`
	Train     int    `yaml:"train" json:"train"`
	Valid     int    `yaml:"valid" json:"valid"`
	Test      int    `yaml:"test" json:"test"`
}

// paperResults is one of the paper's tables of results.
type paperResults struct {
	Label   string       `yaml:"label"`
	Graph   string       `yaml:"graph"`
	Variant string       `yaml:"variant"` // of our rows that are shown next to it
	Rows    []printedRow `yaml:"rows"`
}

// printedRow is a line of the paper's results.
type printedRow struct {
	Model   string    `yaml:"model"`   // the name in our tables
	CutName string    `yaml:"cut"`     // the name in our tables
	Printed string    `yaml:"printed"` // the row's name in the paper
	Values  []float64 `yaml:"values"`  // fractions, by paperMetrics

	cut eval.Cut
}

// paperMetrics are the columns of the paper's results.
var paperMetrics = []Metric{HeadF1, TailF1, HeadRR, TailRR, NNF1}

// readPaper reads the paper's numbers.
func readPaper() (*paperNumbers, error) {
	var p paperNumbers
	if err := yaml.UnmarshalWithOptions(paperYAML, &p, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("paper.yaml: %w", err)
	}
	for _, table := range p.Results {
		for i := range table.Rows {
			row := &table.Rows[i]
			if len(row.Values) != len(paperMetrics) {
				return nil, fmt.Errorf("paper.yaml: %s: %s has %d values, not %d", table.Label, row.Printed,
					len(row.Values),
					len(paperMetrics))
			}
			var ok bool
			if row.cut, ok = eval.ParseCut(row.CutName); !ok {
				return nil, fmt.Errorf("paper.yaml: %s: %s has the unknown cut %q", table.Label, row.Printed, row.CutName)
			}
		}
	}
	return &p, nil
}

// ofGraph returns the table of results for a graph, nil if the paper has none.
func (p *paperNumbers) ofGraph(graph string) *paperResults {
	i := slices.IndexFunc(p.Results, func(r paperResults) bool { return r.Graph == graph })
	if i < 0 {
		return nil
	}
	return &p.Results[i]
}

// PaperCells are the paper's numbers of one row, with the table that they come from.
type PaperCells struct {
	Table   string // label in the paper's source
	Printed string // name of the row in the paper
	Values  map[Metric]float64
	// MetUnder is the protocol under which most of the paper's numbers of the model agree with ours; "" before all rows
	// of the model are known.
	MetUnder string
}

// cells returns the paper's numbers for a model and a cut, nil if it has none.
func (r *paperResults) cells(model string, c eval.Cut) *PaperCells {
	i := slices.IndexFunc(r.Rows, func(row printedRow) bool { return row.Model == model && row.CutName == c.Name() })
	if i < 0 {
		return nil
	}
	cells := &PaperCells{Table: r.Label, Printed: r.Rows[i].Printed, Values: map[Metric]float64{}}
	for k, m := range paperMetrics {
		cells.Values[m] = r.Rows[i].Values[k]
	}
	return cells
}

// best returns the cut of the paper's row of a model with the greatest mean of head and tail F1, "" if it has none.
func (r *paperResults) best(model string) string {
	name, maximum := "", 0.0
	for _, row := range r.Rows {
		// paperMetrics begins with these two
		if sum := row.Values[0] + row.Values[1]; row.Model == model && sum > maximum {
			name, maximum = row.CutName, sum
		}
	}
	return name
}

// signed returns the difference of two fractions with three digits and its sign: "+.003".
func signed(x float64) string {
	text := fmt.Sprintf("%+.3f", x)
	if text == "-0.000" {
		text = "+0.000"
	}
	return strings.Replace(text, "0.", ".", 1)
}
