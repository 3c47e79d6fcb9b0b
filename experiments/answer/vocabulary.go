package answer

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"github.com/spherelab/spherelab/spherE/kg"
)

// NameTables returns the content of EntitiesFile and of RelationsFile: a line for each id, with the label of an entity.
// Names with tabs, quotes or line breaks are quoted as in CSV.
func NameTables(g *kg.Graph) (entities, relations []byte, err error) {
	if entities, err = tabSeparated(g.Entities, "label", g.Label); err != nil {
		return nil, nil, err
	}
	relations, err = tabSeparated(g.Relations, "", nil)
	return entities, relations, err
}

// tabSeparated returns lines of id and name, with a further column if it has a heading.
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
