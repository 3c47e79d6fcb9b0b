package scorefile

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Negatives are the candidates among which the answers of facts are ranked, by side and fact.
type Negatives [2][][]int32

// OpenNegatives reads the negatives of both queries of every fact: from a text, see ReadNegatives, or from a folder
// with the arrays of OGB: head.npy, relation.npy, tail.npy, head_neg.npy and tail_neg.npy. Row i of each is about one
// fact. They hold integers, whose decimal text is the name of an entity or a relation.
func OpenNegatives(path string, g *kg.Graph, facts []kg.Triple) (Negatives, error) {
	if filekind.IsFolder(path) {
		return openArrays(path, g, facts)
	}
	file, err := os.Open(path)
	if err != nil {
		return Negatives{}, err
	}
	defer file.Close()
	text, err := unpack(file, path)
	if err != nil {
		return Negatives{}, err
	}
	return ReadNegatives(text, path, g, facts)
}

// openArrays reads the arrays of a folder.
func openArrays(folder string, g *kg.Graph, facts []kg.Triple) (Negatives, error) {
	all, at := newNegatives(facts)
	var arrays [5][][]int64
	for i, name := range []string{"head", "relation", "tail", "head_neg", "tail_neg"} {
		path := filepath.Join(folder, name+".npy")
		rows, err := readIntegers(path)
		if err != nil {
			return all, err
		}
		if arrays[i] = rows; len(rows) != len(arrays[0]) {
			return all, fmt.Errorf("%s has %d rows and head.npy has %d; row i of each is about one fact", path, len(rows),
				len(arrays[0]))
		}
	}
	for row := range arrays[0] {
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			record := []string{side.String()}
			for _, numbers := range [][]int64{arrays[0][row][:1], arrays[1][row][:1], arrays[2][row][:1],
				arrays[3+int(side)][row]} {
				for _, n := range numbers {
					record = append(record, strconv.FormatInt(n, 10))
				}
			}
			if err := all.add(record, g, facts, at); err != nil {
				return all, fmt.Errorf("%s: row %d: %w", folder, row, err)
			}
		}
	}
	return all, all.check(folder, g, facts)
}

// newNegatives returns room for those of the facts, and the place of each.
func newNegatives(facts []kg.Triple) (all Negatives, at map[kg.Triple]int) {
	at = make(map[kg.Triple]int, len(facts))
	for i, t := range facts {
		at[t] = i
	}
	return Negatives{make([][]int32, len(facts)), make([][]int32, len(facts))}, at
}

// ReadNegatives reads the negatives of both queries of every fact from a text of tab or comma separated columns, quoted
// as CSV, with the header side, head, relation, tail, negatives. A line has the negatives of one query of one fact in
// its fifth column and those that follow. It refuses a fact without negatives, names that the graph does not have, and
// a negative that is the fact's own answer. Errors name file, which is not opened, and line.
func ReadNegatives(r io.Reader, file string, g *kg.Graph, facts []kg.Triple) (Negatives, error) {
	all, at := newNegatives(facts)
	text := newText(r)
	if err := text.foreign(); err != nil {
		return all, fmt.Errorf("%s %w", file, err)
	}
	lines := csv.NewReader(text)
	lines.Comma, lines.ReuseRecord, lines.FieldsPerRecord = text.separator(), true, -1
	header, err := lines.Read()
	if err != nil && err != io.EOF {
		return all, lineError(file, err)
	}
	if want := append(Columns()[:columnScore], "negatives"); !slices.Equal(header[:min(len(header), len(want))], want) {
		return all, fmt.Errorf("%s:1: the header must be side, head, relation, tail, negatives, separated by tabs or commas",
			file)
	}
	for {
		record, err := lines.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return all, lineError(file, err)
		}
		if err := all.add(record, g, facts, at); err != nil {
			line, _ := lines.FieldPos(0)
			return all, fmt.Errorf("%s:%d: %w", file, line, err)
		}
	}
	return all, all.check(file, g, facts)
}

// check refuses a query without negatives.
func (n *Negatives) check(file string, g *kg.Graph, facts []kg.Triple) error {
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for i, list := range n[side] {
			if list == nil {
				return fmt.Errorf("%s has no negatives of the %s query of the test fact (%s); write a line for each query of "+
					"each test fact", file, side, factText(g, facts[i]))
			}
		}
	}
	return nil
}

// add reads one line.
func (n *Negatives) add(record []string, g *kg.Graph, facts []kg.Triple, at map[kg.Triple]int) error {
	if len(record) <= columnScore {
		return fmt.Errorf("the line has %d columns; it needs side, head, relation, tail and at least one negative", len(record))
	}
	q, t, column, err := parseQuery(record, g)
	if err != nil {
		return fmt.Errorf("column %s: %w", Columns()[column], err)
	}
	i, ok := at[t]
	switch {
	case !ok:
		return fmt.Errorf("(%s) is not a test fact of graph %s", factText(g, t), g.Name)
	case n[q.Side][i] != nil:
		return fmt.Errorf("the %s query of (%s) has negatives in an earlier line; keep one line", q.Side, factText(g, t))
	}
	var list []int32
	for k, name := range record[columnScore:] {
		e, err := g.FindEntity(name)
		if err == nil && e == facts[i].Answer(q.Side) {
			err = fmt.Errorf("%q is the answer of the fact itself; a negative is another entity", name)
		}
		if err != nil {
			return fmt.Errorf("negative %d: %w", k+1, err)
		}
		list = append(list, e)
	}
	n[q.Side][i] = list
	return nil
}

func factText(g *kg.Graph, t kg.Triple) string {
	return fmt.Sprintf("%s, %s, %s", g.Entities.Name(t.Head), g.Relations.Name(t.Relation), g.Entities.Name(t.Tail))
}
