package answer

import (
	"encoding/csv"
	"encoding/json"
	"os"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/tracker"
)

// StoredThresholds are the fitted thresholds that a run keeps with its artifacts, and the names of the relations that
// they are of, in their order. They are read without the graph; nil if the run keeps none on this machine.
func StoredThresholds(run tracker.RunInfo) (list []sphere.Thresholds, relations []string) {
	raw, err := os.ReadFile(storedFile(run, ThresholdsFile))
	if err != nil || json.Unmarshal(raw, &list) != nil {
		return nil, nil
	}
	names, err := os.Open(storedFile(run, RelationsFile))
	if err != nil {
		return nil, nil
	}
	defer names.Close()
	r := csv.NewReader(names)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil || len(rows) < 2 || len(rows[0]) < 2 {
		return nil, nil
	}
	for _, row := range rows[1:] {
		relations = append(relations, row[1])
	}
	for _, t := range list {
		if len(t.Head) != len(relations) || len(t.Tail) != len(relations) {
			return nil, nil
		}
	}
	return list, relations
}
