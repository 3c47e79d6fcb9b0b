package inductive

import "github.com/spherelab/spherelab/spherE/internal/simd"

// table has rows of width floats, by plane: plane p has the floats p*Lanes to p*Lanes+Lanes-1 of every row. A sum over
// edges reads one plane at a time, which stays in the second-level cache where whole rows would not.
type table struct {
	data        []float32
	rows, width int
}

func newTable(rows, width int) table {
	return table{make([]float32, rows*width), rows, width}
}

// sized returns a table of rows rows in the memory of t, which must be large enough. Its contents are arbitrary.
func (t table) sized(rows int) table { return table{t.data[:rows*t.width], rows, t.width} }

func (t table) planes() int { return t.width / simd.Lanes }

// pitch returns the distance between planes.
func (t table) pitch() int { return t.rows * simd.Lanes }

// plane returns plane p from a row on.
func (t table) plane(p, row int) []float32 {
	return t.data[p*t.pitch()+row*simd.Lanes : (p+1)*t.pitch()]
}

// from returns the floats from a row on; its pitch is that of t.
func (t table) from(row int) []float32 { return t.data[row*simd.Lanes:] }

func (t table) set(row int, x []float32) {
	for p := range t.planes() {
		copy(t.plane(p, row)[:simd.Lanes], x[p*simd.Lanes:])
	}
}

func (t table) get(row int, x []float32) {
	for p := range t.planes() {
		copy(x[p*simd.Lanes:][:simd.Lanes], t.plane(p, row))
	}
}

// copyRow copies a row of another table of the same width.
func (t table) copyRow(row int, from table, other int) {
	for p := range t.planes() {
		copy(t.plane(p, row)[:simd.Lanes], from.plane(p, other))
	}
}

// fill sets all rows to a row of another table of the same width.
func (t table) fill(from table, other int) {
	for p := range t.planes() {
		x := from.plane(p, other)[:simd.Lanes]
		for row := range t.rows {
			copy(t.plane(p, row)[:simd.Lanes], x)
		}
	}
}
