package foreign

import (
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// align puts the rows into the order of the graph's ids.
func (p *parameters) align(path string, g *kg.Graph) (note string, err error) {
	entities, err := order(path, "entity", "entities", p.entities, g.Entities, g.Name)
	if err != nil {
		return "", err
	}
	relations, err := order(path, "relation", "relations", p.relations, g.Relations, g.Name)
	if err != nil {
		return "", err
	}
	for name, t := range p.tensors {
		rows, of := entities, len(p.entities)
		if strings.HasPrefix(name, relationPrefix) {
			rows, of = relations, len(p.relations)
		}
		if len(t.Shape) == 0 || t.Shape[0] != of {
			return "", fmt.Errorf("%s: tensor %s has shape %v, and there are %d names of its rows", path, name, t.Shape, of)
		}
		width := len(t.Data) / max(1, of)
		data := make([]float32, 0, len(rows)*width)
		for _, row := range rows {
			data = append(data, t.Data[row*width:][:width]...)
		}
		shape := append([]int{len(rows)}, t.Shape[1:]...)
		p.tensors[name] = sphere.Tensor{Shape: shape, Data: data}
	}
	left := len(p.entities) - len(entities) + len(p.relations) - len(relations)
	if left > 0 {
		note = fmt.Sprintf("%s of the model are not in graph %s and are left out", quantity.Count(left, "name"), g.Name)
	}
	return note, nil
}

// order returns the row of each name of the graph.
func order(path, kind, plural string, names []string, of *kg.Vocabulary, graph string) ([]int, error) {
	at := make(map[string]int, len(names))
	for i, name := range names {
		if _, twice := at[name]; twice {
			return nil, fmt.Errorf("%s: %s %q has two rows", path, kind, name)
		}
		at[name] = i
	}
	rows, missing, first := make([]int, of.Len()), 0, ""
	for id := range rows {
		row, ok := at[of.Name(int32(id))]
		if !ok {
			if missing++; missing == 1 {
				first = of.Name(int32(id))
			}
		}
		rows[id] = row
	}
	if missing > 0 {
		return nil, fmt.Errorf("%s: the model has no row for %d of the %d %s of graph %s, such as %q; name the graph that it was "+
			"trained on", path, missing, of.Len(), plural, graph, first)
	}
	return rows, nil
}
