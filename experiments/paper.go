package experiments

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed paper.yaml
var paperYAML []byte

// Paper is what the paper prints, from paper.yaml.
type Paper struct {
	Datasets struct {
		Label string         `yaml:"label"`
		Rows  []PaperDataset `yaml:"rows"`
	} `yaml:"datasets"`
	Results []PaperResults `yaml:"results"`
}

// PaperDataset is a line of the paper's table of data sets.
type PaperDataset struct {
	Graph     string `yaml:"graph" json:"-"`
	Entities  int    `yaml:"entities" json:"entities"`
	Relations int    `yaml:"relations" json:"relations"`
	Train     int    `yaml:"train" json:"train"`
	Valid     int    `yaml:"valid" json:"valid"`
	Test      int    `yaml:"test" json:"test"`
}

// PaperResults is one of the paper's tables of results.
type PaperResults struct {
	Label   string     `yaml:"label"`
	Graph   string     `yaml:"graph"`
	Variant string     `yaml:"variant"` // of our rows that stand beside it
	Rows    []PaperRow `yaml:"rows"`
}

// PaperRow is a line of the paper's results.
type PaperRow struct {
	Model   string    `yaml:"model"`   // as our tables name it
	Cut     string    `yaml:"cut"`     // as our tables name it
	Printed string    `yaml:"printed"` // as the paper names the row
	Values  []float64 `yaml:"values"`  // fractions, by paperMetrics
}

// paperMetrics are the columns of the paper's results.
var paperMetrics = []string{"head_f1", "tail_f1", "head_rr", "tail_rr", "nn_f1"}

// ReadPaper reads the paper's numbers.
func ReadPaper() (*Paper, error) {
	var p Paper
	if err := yaml.UnmarshalWithOptions(paperYAML, &p, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("paper.yaml: %w", err)
	}
	for _, table := range p.Results {
		for _, row := range table.Rows {
			if len(row.Values) != len(paperMetrics) {
				return nil, fmt.Errorf("paper.yaml: %s: %s has %d values, not %d", table.Label, row.Printed, len(row.Values), len(paperMetrics))
			}
		}
	}
	return &p, nil
}

// ofGraph is the table of results for a graph, nil if the paper has none.
func (p *Paper) ofGraph(graph string) *PaperResults {
	i := slices.IndexFunc(p.Results, func(r PaperResults) bool { return r.Graph == graph })
	if i < 0 {
		return nil
	}
	return &p.Results[i]
}

// find is the paper's line for a model and a cut, nil if it has none.
func (r *PaperResults) find(model, cut string) *PaperRow {
	for i := range r.Rows {
		if r.Rows[i].Model == model && r.Rows[i].Cut == cut {
			return &r.Rows[i]
		}
	}
	return nil
}

// PaperCells are the paper's numbers of one row, with the table that they come from.
type PaperCells struct {
	Table   string // label in the paper's source
	Printed string // name of the row in the paper
	Values  map[string]float64
}

func (r *PaperResults) cells(model, cut string) *PaperCells {
	row := r.find(model, cut)
	if row == nil {
		return nil
	}
	c := &PaperCells{Table: r.Label, Printed: row.Printed, Values: map[string]float64{}}
	for i, key := range paperMetrics {
		c.Values[key] = row.Values[i]
	}
	return c
}

// signed writes the difference of two fractions with three digits and its sign: "+.003".
func signed(x float64) string {
	text := fmt.Sprintf("%+.3f", x)
	if text == "-0.000" {
		text = "+0.000"
	}
	return strings.Replace(text, "0.", ".", 1)
}
