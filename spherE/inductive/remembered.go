package inductive

import (
	"sync"

	"github.com/spherelab/spherelab/spherE/kg"
)

// remembered keeps distances by question, the first ones up to its share of a memory. The fields are guarded by the
// memory's mutex.
type remembered struct {
	memory    *memory
	rows      map[question][]float32
	questions []question // by when they were first asked
	floats    int
}

// question is a query with what else decides its answer.
type question struct {
	query kg.Query
	heads Heads // "" of a tail query, which all ways to ask for heads answer alike
}

// memory is what several models may remember together. A model that wants more than is left takes it from the one that
// has most, down to an equal share.
type memory struct {
	mutex  sync.Mutex
	limit  int // floats of all rows
	floats int
	of     map[*remembered]struct{} // those with rows
}

func newMemory(limit int) *memory { return &memory{limit: limit, of: map[*remembered]struct{}{}} }

// answersMemory is that of all models of the process, 256 MiB. It decides how long answers take, never what they are.
var answersMemory = newMemory(64 << 20)

func (m *memory) newRemembered() *remembered {
	return &remembered{memory: m, rows: map[question][]float32{}}
}

// of returns a query as a question.
func (h Heads) of(q kg.Query) question {
	if q.Side != kg.HeadSide {
		return question{query: q}
	}
	return question{q, h}
}

// recall copies the distances of a question to dst and reports whether they were there.
func (r *remembered) recall(q question, dst []float32) bool {
	r.memory.mutex.Lock()
	row, ok := r.rows[q]
	r.memory.mutex.Unlock()
	copy(dst, row) // a row that is kept does not change
	return ok
}

func (r *remembered) remember(q question, row []float32) {
	m := r.memory
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if _, ok := r.rows[q]; ok || len(row) > m.limit {
		return
	}
	for m.floats+len(row) > m.limit {
		most := r
		for other := range m.of {
			if other.floats > most.floats {
				most = other
			}
		}
		if most == r || most.floats <= r.floats+len(row) {
			return
		}
		most.drop()
	}
	r.rows[q], r.questions = append([]float32(nil), row...), append(r.questions, q)
	r.floats, m.floats = r.floats+len(row), m.floats+len(row)
	m.of[r] = struct{}{}
}

// drop forgets the last answer.
func (r *remembered) drop() {
	last := len(r.questions) - 1
	floats := len(r.rows[r.questions[last]])
	delete(r.rows, r.questions[last])
	r.questions = r.questions[:last]
	r.floats, r.memory.floats = r.floats-floats, r.memory.floats-floats
	if last == 0 {
		delete(r.memory.of, r)
	}
}

// forget drops all answers, when the model is not used any more.
func (r *remembered) forget() {
	r.memory.mutex.Lock()
	defer r.memory.mutex.Unlock()
	for len(r.questions) > 0 {
		r.drop()
	}
}
