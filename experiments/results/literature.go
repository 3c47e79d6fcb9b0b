package results

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/internal/hint"
)

//go:embed literature.yaml
var literatureYAML []byte

// reported is an MRR that others report for a model of ours.
type reported struct {
	Graph  string  `yaml:"graph"`
	Model  string  `yaml:"model"` // its title
	MRR    float64 `yaml:"mrr"`
	Source string  `yaml:"source"`
}

// literature are the numbers of literature.yaml.
var literature = sync.OnceValue(func() (list []reported) {
	if err := yaml.UnmarshalWithOptions(literatureYAML, &list, yaml.Strict()); err != nil {
		panic(fmt.Sprintf("literature.yaml: %v", err)) // it is part of the program
	}
	return list
})

// elsewhere returns a note with the MRR that others report for the models of the rows on the table's graph. It is empty
// if there are none, and for validation triples.
func (t *ResultTable) elsewhere(rows []Row) []hint.Note {
	var list []string
	for _, r := range literature() {
		has := func(row Row) bool { _, ranked := row.Numbers[MRR]; return ranked && row.Model == r.Model }
		if r.Graph == t.Graph && t.Split == "test" && slices.ContainsFunc(rows, has) {
			list = append(list, fmt.Sprintf("%s %s (%s)", r.Model, strings.TrimPrefix(fmt.Sprintf("%.3f", r.MRR), "0"),
				r.Source))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []hint.Note{note("MRR that others report, with settings of their own: " + strings.Join(list, ", ") + ".")}
}
