// Package scorefile reads and writes scores of answers as text, so that any program's scores can be measured as ranks
// and sets.
//
// A file is tab or comma separated, quoted as CSV, with a header. It needs the columns side, head, relation, tail and
// score, in any order; other columns are ignored. A line scores one candidate of one query: side says which end of the
// triple is asked, head or tail, and the name at that end is the candidate. Greater scores are better. Candidates of a
// query that no line lists rank below all listed ones, tied with each other, and are in no set: so a file may have the
// best k of each query alone. The rank of tied candidates is the mean of their places. Scores are rounded to 32 bits;
// different ones of a query that meet there are moved apart by as little as keeps their order.
package scorefile

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// The columns of a file.
const (
	columnSide = iota
	columnHead
	columnRelation
	columnTail
	columnScore
)

// Columns returns the columns that a file must have, in the order in which Write writes them.
func Columns() []string { return []string{"side", "head", "relation", "tail", "score"} }

// Scores are the scored candidates of queries about a graph. They are read-only and safe for concurrent use.
type Scores struct {
	graph *kg.Graph
	lists map[kg.Query][]candidate
	lines int

	digest string
}

type candidate struct {
	score  float64 // as read, then a float32, see keepOrder
	entity int32
	line   int32
}

func (c candidate) compare(entity int32) int { return cmp.Compare(c.entity, entity) }

// Open reads scores about g: a text, compressed where its name ends in .gz, or a matrix of numpy, an array of float32
// or float64 with a row for each query and a column for each entity. NaN is a candidate without a score. path is a
// .npy, a .npz whose array is scores, or a folder with scores.npy or scores.npz. Next to it, queries.tsv has the
// columns side, head, relation and tail, of which the asked end is not read, and a line for each row; entities.tsv
// has id and name: the entity of each column, from 0.
func Open(path string, g *kg.Graph) (*Scores, error) {
	text, err := OpenText(path, g)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	return Read(text, path, g)
}

// Read reads scores about g. Errors name file, which is not opened, line and column, or the row of a Table. It
// refuses names that the graph does not have, scores that are not finite, and a candidate that a query has twice.
func Read(r io.Reader, file string, g *kg.Graph) (*Scores, error) {
	_, isTable := r.(*Table)
	place := func(line int) string {
		if isTable {
			return fmt.Sprintf("%s: row %d", file, line)
		}
		return fmt.Sprintf("%s:%d", file, line)
	}
	hash := sha256.New()
	text := newText(io.TeeReader(r, hash))
	if err := text.foreign(); err != nil {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	lines := csv.NewReader(text)
	lines.Comma, lines.ReuseRecord = text.separator(), true
	header, err := lines.Read()
	if err != nil && err != io.EOF {
		return nil, lineError(file, err)
	}
	at, err := places(header)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", file, err)
	}
	s := &Scores{graph: g, lists: map[kg.Query][]candidate{}}
	for {
		record, err := lines.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, lineError(file, err)
		}
		line, _ := lines.FieldPos(0)
		if isTable {
			line = s.lines
		}
		if column, err := s.add(record, at, line); err != nil {
			return nil, fmt.Errorf("%s: column %s: %w", place(line), Columns()[column], err)
		}
	}
	if s.lines == 0 {
		return nil, fmt.Errorf("%s has no line below its header; write a line for each scored candidate", file)
	}
	for _, list := range s.lists {
		keepOrder(list)
	}
	s.digest = hex.EncodeToString(hash.Sum(nil))
	return s, s.checkRepeats(place)
}

// lineError puts the file in front of an error of package csv, which names the line.
func lineError(file string, err error) error {
	fault, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case ok && fault.Err == csv.ErrFieldCount:
		return fmt.Errorf("%s:%d: the line has not as many columns as the header; write them all", file, fault.Line)
	case ok:
		return fmt.Errorf("%s:%d: column %d of the text: %w; a name with a quote, a separator or a line break is quoted as in"+
			" CSV", file, fault.Line, fault.Column, fault.Err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// places returns where a header has each of Columns.
func places(header []string) (at []int, err error) {
	var missing []string
	for _, name := range Columns() {
		i := slices.Index(header, name)
		if i < 0 {
			missing = append(missing, name)
		}
		at = append(at, i)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("the header has no column %s; the first line must name %s, separated by tabs or commas",
			strings.Join(missing, ", "), strings.Join(Columns(), ", "))
	}
	return at, nil
}

// parseQuery reads the columns of a query and its candidate in the order of Columns. An error is about the column that
// it returns.
func parseQuery(record []string, g *kg.Graph) (q kg.Query, t kg.Triple, column int, err error) {
	var asked kg.Side
	switch side := record[columnSide]; side {
	case kg.HeadSide.String():
		asked = kg.HeadSide
	case kg.TailSide.String():
		asked = kg.TailSide
	default:
		return q, t, columnSide, fmt.Errorf("%q is neither head nor tail; write which end of the triple is asked", side)
	}
	if t.Head, err = g.FindEntity(record[columnHead]); err != nil {
		return q, t, columnHead, err
	}
	if t.Relation, err = g.FindRelation(record[columnRelation]); err != nil {
		return q, t, columnRelation, err
	}
	if t.Tail, err = g.FindEntity(record[columnTail]); err != nil {
		return q, t, columnTail, err
	}
	return t.Query(asked), t, 0, nil
}

// add reads one line. An error is about the column that it returns.
func (s *Scores) add(record []string, at []int, line int) (column int, err error) {
	ordered := [...]string{record[at[0]], record[at[1]], record[at[2]], record[at[3]]}
	q, t, column, err := parseQuery(ordered[:], s.graph)
	if err != nil {
		return column, err
	}
	score, err := strconv.ParseFloat(record[at[columnScore]], 64)
	if err != nil || math.IsNaN(score) || math.Abs(score) > math.MaxFloat32 {
		return columnScore, fmt.Errorf("%q is not a finite 32 bit number; leave a candidate without a score out",
			record[at[columnScore]])
	}
	if line > math.MaxInt32 {
		return columnScore, fmt.Errorf("the file has more than %d lines; write the best of each query alone", math.MaxInt32)
	}
	s.lists[q] = append(s.lists[q], candidate{score, t.Answer(q.Side), int32(line)})
	s.lines++
	return 0, nil
}

// keepOrder rounds the scores of a query to 32 bits, and lowers those that would meet a greater one.
func keepOrder(list []candidate) {
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	above, kept := math.Inf(1), float32(math.Inf(1))
	for i := range list {
		exact, score := list[i].score, float32(list[i].score)
		switch {
		case exact == above:
			score = kept
		case score >= kept:
			score = below(kept)
		}
		above, kept = exact, score
		list[i].score = float64(score)
	}
}

// below returns the next lower number of 32 bits.
func below(x float32) float32 {
	bits := math.Float32bits(x)
	switch {
	case x > 0:
		return math.Float32frombits(bits - 1)
	case x == 0:
		return -math.SmallestNonzeroFloat32
	}
	return math.Float32frombits(bits + 1)
}

// checkRepeats sorts the candidates of each query by entity and refuses one that is listed twice.
func (s *Scores) checkRepeats(place func(line int) string) error {
	first, again := int32(0), int32(-1)
	for _, list := range s.lists {
		slices.SortFunc(list, func(a, b candidate) int {
			return cmp.Or(a.compare(b.entity), cmp.Compare(a.line, b.line))
		})
		for i := 1; i < len(list); i++ {
			if list[i].entity == list[i-1].entity && (again < 0 || list[i].line < again) {
				first, again = list[i-1].line, list[i].line
			}
		}
	}
	if again < 0 {
		return nil
	}
	return fmt.Errorf("%s: the candidate has a score for this query at %s already; keep one", place(int(again)),
		place(int(first)))
}

// Digest returns the SHA-256 of the text, unpacked.
func (s *Scores) Digest() string { return s.digest }

// Lines returns the number of scores.
func (s *Scores) Lines() int { return s.lines }

// Model returns the scores as a model. A query without a line has no answers, and all its candidates are tied.
func (s *Scores) Model(name string) *sphere.Scored {
	none := float32(math.NaN())
	return sphere.NewScored(name, s.graph, func(q kg.Query, dst []float32) {
		for e := range dst {
			dst[e] = none
		}
		for _, c := range s.lists[q] {
			dst[c.entity] = float32(c.score)
		}
	})
}

// Coverage counts the distinct queries of a split's triples on one side, those of them that have a line, the triples,
// and those of them whose own answer is listed.
type Coverage struct {
	Split           kg.Split
	Side            kg.Side
	Scored, Queries int
	Listed, Facts   int
	Lacking         string // the first query without a line, as text; "" if there is none
}

// Coverage returns that of a split, of head queries and of tail queries.
func (s *Scores) Coverage(split kg.Split) (sides [2]Coverage) {
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		c := Coverage{Split: split, Side: side}
		for _, q := range queries(s.graph, side, split) {
			c.Queries++
			if len(s.lists[q]) > 0 {
				c.Scored++
			} else if c.Lacking == "" {
				c.Lacking = queryText(s.graph, q)
			}
		}
		for _, t := range s.graph.Split(split) {
			_, listed := slices.BinarySearchFunc(s.lists[t.Query(side)], t.Answer(side), candidate.compare)
			if c.Facts++; listed {
				c.Listed++
			}
		}
		sides[side] = c
	}
	return sides
}

// queryText is a query for people: "(?, advised, Max Born)".
func queryText(g *kg.Graph, q kg.Query) string {
	known, relation := g.Entities.Name(q.Known), g.Relations.Name(q.Relation)
	if q.Side == kg.HeadSide {
		return fmt.Sprintf("(?, %s, %s)", relation, known)
	}
	return fmt.Sprintf("(%s, %s, ?)", known, relation)
}

// queries returns the distinct queries of one side of the splits' triples, in their order.
func queries(g *kg.Graph, side kg.Side, splits ...kg.Split) (list []kg.Query) {
	seen := map[kg.Query]bool{}
	for _, split := range splits {
		for _, t := range g.Split(split) {
			if q := t.Query(side); !seen[q] {
				seen[q] = true
				list = append(list, q)
			}
		}
	}
	return list
}
