package inductive

import (
	"sync"

	"github.com/spherelab/spherelab/spherE/kg"
)

// remembered keeps distances by question, the first ones up to a limit.
type remembered struct {
	mutex  sync.Mutex
	rows   map[question][]float32
	floats int
}

// question is a query with what else decides its answer.
type question struct {
	query kg.Query
	heads Heads // "" of a tail query, which all ways to ask for heads answer alike
}

// rememberedFloats limits what remembered keeps, 256 MiB.
const rememberedFloats = 64 << 20

// of returns a query as a question.
func (h Heads) of(q kg.Query) question {
	if q.Side != kg.HeadSide {
		return question{query: q}
	}
	return question{q, h}
}

// recall copies the distances of a question to dst and reports whether they were there.
func (r *remembered) recall(q question, dst []float32) bool {
	r.mutex.Lock()
	row, ok := r.rows[q]
	r.mutex.Unlock()
	copy(dst, row) // a row that is kept does not change
	return ok
}

func (r *remembered) remember(q question, row []float32) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if _, ok := r.rows[q]; ok || r.floats+len(row) > rememberedFloats {
		return
	}
	r.rows[q] = append([]float32(nil), row...)
	r.floats += len(row)
}
