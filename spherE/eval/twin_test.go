package eval

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// twin computes every metric again, straight from the definitions: plain loops over the triples of the split,
// sets as maps over names, full sorts, no grouping into distinct queries. Only the model is shared.
type twin struct {
	f         facts
	g         *kg.Graph
	m         Model
	evaluated [][3]string
	truth     map[[3]string]bool
	known     map[[3]string]bool
	trainOnly map[[3]string]bool
	memo      map[string]map[string]float32
	cuts      map[string]float32
	fitted    map[string]sphere.Thresholds // by name

	calibrated *Calibrated // of the cuts by expected F1
	drop       bool        // the asked entity is not an answer where training has no loop
}

type set map[string]bool

func newTwin(f facts, g *kg.Graph, m Model, s Settings) *twin {
	w := &twin{f: f, g: g, m: m, memo: make(map[string]map[string]float32), cuts: make(map[string]float32)}
	part := map[kg.Split][][3]string{kg.Train: f.train, kg.Valid: f.valid, kg.Test: f.test}
	union := func(splits ...kg.Split) map[[3]string]bool {
		u := make(map[[3]string]bool)
		for _, sp := range splits {
			for _, x := range part[sp] {
				u[x] = true
			}
		}
		return u
	}
	w.truth = union(kg.Train, kg.Valid, kg.Test)
	if s.Truth != nil {
		w.truth = union(s.Truth...)
	}
	w.trainOnly = union(kg.Train)
	w.known, w.evaluated = union(kg.Train, kg.Valid), f.test
	if s.Split == kg.Valid {
		w.known, w.evaluated = w.trainOnly, f.valid
	}
	return w
}

// values returns a criterion's value of every entity for the query of x on a side, and the cut.
func (w *twin) values(c sphere.Criterion, x [3]string, side string) (map[string]float32, float32) {
	key := string(c) + "|" + side + "|" + x[1] + "|" + w.given(x, side)
	if v, ok := w.memo[key]; ok {
		return v, w.cuts[key]
	}
	q := kg.Query{Side: kg.TailSide}
	if side == "head" {
		q.Side = kg.HeadSide
	}
	q.Known, _ = w.g.Entities.ID(w.given(x, side))
	q.Relation, _ = w.g.Relations.ID(x[1])
	row := make([]float32, w.m.Entities())
	w.m.Distances([]kg.Query{q}, row)
	cut := w.m.Values(c, q, row, row)
	v := make(map[string]float32)
	for i, x := range row {
		v[w.g.Entities.Name(int32(i))] = x
	}
	if w.drops(x) {
		v[w.given(x, side)] = float32(math.NaN())
	}
	w.memo[key], w.cuts[key] = v, cut
	return v, cut
}

// drops reports whether the entity that x's query asks about is left out.
func (w *twin) drops(x [3]string) bool {
	return w.drop && !slices.ContainsFunc(w.f.train, func(f [3]string) bool { return f[1] == x[1] && f[0] == f[2] })
}

func (w *twin) given(x [3]string, side string) string {
	if side == "head" {
		return x[2]
	}
	return x[0]
}

func own(x [3]string, side string) string {
	if side == "head" {
		return x[0]
	}
	return x[2]
}

// answers lists the entities that answer x's query in a set of facts.
func (w *twin) answers(in map[[3]string]bool, x [3]string, side string) set {
	s := make(set)
	for f := range in {
		if f[1] == x[1] && w.given(f, side) == w.given(x, side) {
			s[own(f, side)] = true
		}
	}
	return s
}

// retrieved is the set that a named cut gives.
func (w *twin) retrieved(cut string, x [3]string, side string) set {
	s := make(set)
	switch {
	case cut == "lookup":
		return w.answers(w.known, x, side)
	case cut == "lookup-train":
		return w.answers(w.trainOnly, x, side)
	case strings.HasPrefix(cut, "fitted-"):
		v, _ := w.values(sphere.CriterionMargin, x, side)
		limits := w.fitted[cut].Tail
		if side == "head" {
			limits = w.fitted[cut].Head
		}
		r, _ := w.g.Relations.ID(x[1])
		for name := range v {
			if v[name] <= limits[r] {
				s[name] = true
			}
		}
	case strings.HasPrefix(cut, expectedPrefix):
		return w.expectedSet(cut, x, side)
	case strings.HasPrefix(cut, "top-"):
		var l int
		if cut == "top-mean" {
			l = w.meanAnswers(x[1], side)
		} else {
			fmt.Sscanf(cut, "top-%d", &l)
		}
		v, _ := w.values(sphere.CriterionMargin, x, side)
		var names []string
		for name := range v {
			if v[name] == v[name] {
				names = append(names, name)
			}
		}
		sort.Slice(names, func(i, j int) bool {
			a, b := names[i], names[j]
			return v[a] < v[b] || v[a] == v[b] && a < b
		})
		for i := 0; i < l && i < len(names); i++ {
			s[names[i]] = true
		}
	default:
		v, limit := w.values(sphere.Criterion(cut), x, side)
		for name := range v {
			if v[name] <= limit {
				s[name] = true
			}
		}
	}
	return s
}

// meanAnswers is the mean number of training answers of a relation's queries on a side, rounded, at least 1.
func (w *twin) meanAnswers(relation, side string) int {
	facts := 0
	queries := make(set)
	for _, f := range w.f.train {
		if f[1] == relation {
			facts++
			queries[w.given(f, side)] = true
		}
	}
	l := 1
	for float64(l)+.5 <= float64(facts)/float64(max(1, len(queries))) {
		l++
	}
	return l
}

func minus(a, b set) set {
	s := make(set)
	for x := range a {
		if !b[x] {
			s[x] = true
		}
	}
	return s
}

func plus(a, b set) set {
	s := make(set)
	for x := range a {
		s[x] = true
	}
	for x := range b {
		s[x] = true
	}
	return s
}

func prf(retrieved, truth set) (precision, recall, f1 float64) {
	hits := 0
	for x := range retrieved {
		if truth[x] {
			hits++
		}
	}
	if len(retrieved) > 0 {
		precision = float64(hits) / float64(len(retrieved))
	}
	if len(truth) > 0 {
		recall = float64(hits) / float64(len(truth))
	}
	if precision+recall > 0 {
		f1 = 2 * precision * recall / (precision + recall)
	}
	return
}

// scores are the metrics of one cut and side over some facts of the split, keyed as in Scores.metrics.
func (w *twin) scores(cut, side string, of [][3]string) map[string]float64 {
	m := make(map[string]float64)
	perQuery := make(map[string]float64)
	novel := 0
	for _, x := range of {
		r, g, k := w.retrieved(cut, x, side), w.answers(w.truth, x, side), w.answers(w.known, x, side)
		p, c, f := prf(r, g)
		m["precision"] += p
		m["recall"] += c
		m["f1"] += f
		m["size"] += float64(len(r))
		if r[own(x, side)] {
			m["rr"]++
		} else {
			m["rr"] += 0
		}
		perQuery[x[1]+"|"+w.given(x, side)] = f
		_, _, u := prf(plus(r, k), g)
		m["union_f1"] += u
		if newTruth := minus(g, k); len(newTruth) > 0 {
			novel++
			_, _, f := prf(minus(r, k), newTruth)
			m["novel_f1"] += f
		}
	}
	for key := range m {
		if key == "novel_f1" {
			m[key] /= float64(novel)
		} else {
			m[key] /= float64(len(of))
		}
	}
	for _, f := range perQuery {
		m["query_f1"] += f / float64(len(perQuery))
	}
	return m
}

// ranks are the ranking metrics of a side.
func (w *twin) ranks(side string, of [][3]string) map[string]float64 {
	m := map[string]float64{"mrr": 0, "mr": 0, "hits_1": 0, "hits_3": 0, "hits_10": 0}
	for _, x := range of {
		v, _ := w.values(sphere.CriterionMargin, x, side)
		filter := w.answers(w.truth, x, side)
		mine := own(x, side)
		better, same := 0, 0
		for name, value := range v {
			if name == mine || filter[name] {
				continue
			}
			mineNaN, otherNaN := v[mine] != v[mine], value != value
			switch {
			case mineNaN && otherNaN, value == v[mine]:
				same++
			case mineNaN && !otherNaN, value < v[mine]:
				better++
			}
		}
		rank := (float64(1+better) + float64(1+better+same)) / 2
		n := float64(len(of))
		m["mrr"] += 1 / rank / n
		m["mr"] += rank / n
		for _, k := range []int{1, 3, 10} {
			if rank <= float64(k) {
				m[fmt.Sprintf("hits_%d", k)] += 1 / n
			}
		}
	}
	return m
}

// category counts over the splits of the ground truth.
func (w *twin) category(relation string) string {
	heads, tails := make(map[string]set), make(map[string]set)
	for f := range w.truth {
		if f[1] != relation {
			continue
		}
		if heads[f[2]] == nil {
			heads[f[2]] = make(set)
		}
		if tails[f[0]] == nil {
			tails[f[0]] = make(set)
		}
		heads[f[2]][f[0]], tails[f[0]][f[2]] = true, true
	}
	mean := func(of map[string]set) float64 {
		sum := 0
		for _, s := range of {
			sum += len(s)
		}
		return float64(sum) / float64(len(of))
	}
	word := func(x float64) string {
		if x >= 1.5 {
			return "n"
		}
		return "1"
	}
	return word(mean(heads)) + "-" + word(mean(tails))
}

func (w *twin) filter(keep func(x [3]string) bool) [][3]string {
	var list [][3]string
	for _, x := range w.evaluated {
		if keep(x) {
			list = append(list, x)
		}
	}
	return list
}

// metrics are all keys of Report.Metrics except intervals.
func (w *twin) metrics(primary string, cuts []string) map[string]float64 {
	m := make(map[string]float64)
	for _, cut := range cuts {
		prefix := cut + "/"
		if cut == primary {
			prefix = ""
		}
		for _, side := range []string{"head", "tail"} {
			for key, v := range w.scores(cut, side, w.evaluated) {
				m[prefix+side+"_"+key] = v
			}
		}
		if nn := w.filter(func(x [3]string) bool { return w.category(x[1]) == "n-n" }); len(nn) > 0 {
			m[prefix+"nn_f1"] = (w.scores(cut, "head", nn)["f1"] + w.scores(cut, "tail", nn)["f1"]) / 2
		}
	}
	for _, c := range []string{"1-1", "1-n", "n-1", "n-n"} {
		of := w.filter(func(x [3]string) bool { return w.category(x[1]) == c })
		if len(of) == 0 {
			continue
		}
		for _, side := range []string{"head", "tail"} {
			s := w.scores(primary, side, of)
			m["category/"+c+"/"+side+"_f1"] = s["f1"]
			m["category/"+c+"/"+side+"_rr"] = s["rr"]
		}
	}
	head, tail := w.ranks("head", w.evaluated), w.ranks("tail", w.evaluated)
	for key := range head {
		m["head_"+key], m["tail_"+key], m[key] = head[key], tail[key], (head[key]+tail[key])/2
	}
	return m
}

// nanValues counts NaN over distinct queries.
func (w *twin) nanValues(c sphere.Criterion) float64 {
	seen := make(map[string]bool)
	n := 0.0
	for _, x := range w.evaluated {
		for _, side := range []string{"head", "tail"} {
			key := side + x[1] + "|" + w.given(x, side)
			if seen[key] {
				continue
			}
			seen[key] = true
			v, _ := w.values(c, x, side)
			for name, value := range v {
				if math.IsNaN(float64(value)) && !(w.drops(x) && name == w.given(x, side)) {
					n++
				}
			}
		}
	}
	return n
}
