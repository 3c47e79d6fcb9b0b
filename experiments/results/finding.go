package results

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"
)

//go:embed patterns/finding.yaml
var findingYAML []byte

// finding is what was found about embedded runs. It does not apply to other runs with the same settings.
type finding struct {
	Text string   `yaml:"text"`
	Runs []string `yaml:"runs"` // full ids
}

func readFindings() ([]finding, error) {
	var list []finding
	if err := yaml.UnmarshalWithOptions(findingYAML, &list, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("finding.yaml: %w", err)
	}
	return list, nil
}

// findingOf returns the text of the finding that is about all of these runs, "" if there is none.
func findingOf(list []finding, runs []string) string {
	for _, f := range list {
		other := func(id string) bool { return !slices.Contains(f.Runs, id) }
		if len(runs) > 0 && !slices.ContainsFunc(runs, other) {
			return f.Text
		}
	}
	return ""
}
