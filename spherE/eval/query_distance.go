package eval

import "github.com/spherelab/spherelab/spherE/kg"

// distances computes the distances of a few queries at a time. It belongs to one worker.
type distances struct {
	m     Model
	batch []kg.Query
	rows  []float32 // batch x entities
}

// newDistances returns room for n queries at a time.
func newDistances(m Model, queries int) distances {
	return distances{m: m, batch: make([]kg.Query, 0, queries), rows: make([]float32, queries*m.Entities())}
}

// each calls do with the index of every query and its distances by entity.
func (d *distances) each(queries []query, do func(i int, dist []float32)) {
	d.batch = d.batch[:0]
	for _, q := range queries {
		d.batch = append(d.batch, q.Query)
	}
	n := d.m.Entities()
	d.m.Distances(d.batch, d.rows[:len(queries)*n])
	for i := range queries {
		do(i, d.rows[i*n:(i+1)*n])
	}
}
