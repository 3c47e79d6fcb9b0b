package experiments

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/spherE/kg"
)

// keepNames writes the names, so that other programs can read the model without the graph.
func (s *session) keepNames() error {
	g := s.graph
	entities, err := tabSeparated(g.Entities, "label", g.Label)
	if err != nil {
		return err
	}
	relations, err := tabSeparated(g.Relations, "", nil)
	if err != nil {
		return err
	}
	if err := s.write(answer.EntitiesFile, entities); err != nil {
		return err
	}
	return s.write(answer.RelationsFile, relations)
}

// tabSeparated returns lines of id and name, with a further column if it has a heading. Names with tabs, quotes or line
// breaks are quoted as in CSV.
func tabSeparated(names *kg.Vocabulary, heading string, value func(id int32) string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = '\t'
	row := []string{"id", "name"}
	if heading != "" {
		row = append(row, heading)
	}
	rows := [][]string{row}
	for id := range int32(names.Len()) {
		row := []string{strconv.Itoa(int(id)), names.Name(id)}
		if heading != "" {
			row = append(row, value(id))
		}
		rows = append(rows, row)
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
