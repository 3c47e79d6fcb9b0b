package kg

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/spherE/internal/draw"
)

// leastDivided is the number of distinct triples from which a file without a split column is divided. Fewer are too few
// to learn from a part of them and to measure anything with the rest.
const leastDivided = 50

// columnNames are the words of a header line, by column.
var columnNames = [4][]string{
	{"head", "subject", "source", "from"},
	{"relation", "predicate", "edge", "relationship"},
	{"tail", "object", "target", "to"},
	{"split"},
}

// splitNames are the words of a split column.
var splitNames = [3][]string{{"train", "training"}, {"valid", "validation", "dev"}, {"test", "testing"}}

// IsFile reports whether a name is that of a single file of triples, which LoadFile reads: it ends in .csv or .tsv,
// plain or with .gz behind it.
func IsFile(name string) bool {
	_, ok := fileFormat(name)
	return ok
}

// fileFormat gives the character between columns by the end of a file's name.
func fileFormat(name string) (comma rune, ok bool) {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	switch {
	case strings.HasSuffix(name, ".csv"):
		return ',', true
	case strings.HasSuffix(name, ".tsv"):
		return '\t', true
	}
	return 0, false
}

// LoadFile reads a graph from one file of triples, .csv or .tsv, plain or .gz. A line has head, relation and tail, and
// may have a fourth column with the split: train, valid or test. Fields may stand in double quotes, within which a
// double quote is written twice; spaces around a field do not count. In a .csv file whose first line has at least two
// semicolons and less than two commas, semicolons separate. A header line is recognised by its words (head, relation, tail, split, or
// subject, predicate, object, and some more); the columns may then be in any order, and columns of other names are left
// out.
//
// Without a split column, a file of fewer than 50 distinct triples becomes training as a whole. Of a larger one, a
// tenth each is drawn for valid and test, such that every entity and every relation keeps a triple in training; the
// draw depends on the set of triples alone. Graph.Division says what was done. Name is the file's name without its end,
// Source the file's absolute path. Damaged input is a *FileError.
func LoadFile(path string) (*Graph, error) {
	comma, ok := fileFormat(path)
	if !ok {
		return nil, &FileError{File: path, Message: "this is no file of triples: its name must end in .csv or .tsv, plain or .gz"}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("load graph %s: %w", path, err)
	}
	f := &tripleFile{path: path, b: newBuilder(), seen: map[Triple]bool{}}
	if err := withFile(path, func(r io.Reader) error { return f.read(r, comma) }); err != nil {
		return nil, err
	}
	division, err := f.divide()
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(abs), ".gz")
	g := f.b.graph(strings.TrimSuffix(name, filepath.Ext(name)), abs)
	g.Division = division
	return g, nil
}

// tripleFile is a file while it is read.
type tripleFile struct {
	path    string
	b       *builder
	columns [4]int // place of head, relation, tail and split in a line; -1 for no split
	width   int    // columns of a line, 0 before the first
	triples []Triple
	lines   []int32
	splits  []Split // parallel to triples, with a split column
	seen    map[Triple]bool
	repeats Warning
}

func (f *tripleFile) fail(line int, format string, args ...any) error {
	return &FileError{File: f.path, Line: line, Message: fmt.Sprintf(format, args...)}
}

func (f *tripleFile) read(in io.Reader, comma rune) error {
	raw, err := io.ReadAll(in)
	if err != nil {
		return &FileError{File: f.path, Message: "cannot be read: " + readFault(err), Err: err}
	}
	if err := f.checkText(raw); err != nil {
		return err
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if first, _, _ := bytes.Cut(raw, []byte("\n")); comma == ',' && bytes.Count(first, []byte(",")) < 2 && bytes.Count(first, []byte(";")) >= 2 {
		comma = ';'
	}
	r := csv.NewReader(bytes.NewReader(raw))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord, r.TrimLeadingSpace = comma, -1, true, true
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f.quoteError(err)
		}
		line, _ := r.FieldPos(0)
		if err := f.line(line, record, comma); err != nil {
			return err
		}
	}
	if len(f.triples) == 0 {
		return &FileError{File: f.path, Message: "there is no triple; a line is head, relation, tail"}
	}
	return nil
}

// checkText refuses what is no UTF-8 text, with the line.
func (f *tripleFile) checkText(raw []byte) error {
	if bytes.HasPrefix(raw, []byte{0xff, 0xfe}) || bytes.HasPrefix(raw, []byte{0xfe, 0xff}) {
		return f.fail(1, "the file is UTF-16; save it as UTF-8")
	}
	at := bytes.IndexByte(raw, 0)
	message := "a zero byte; is this a text file?"
	if !utf8.Valid(raw) {
		if bad := invalidAt(raw); at < 0 || bad < at {
			at, message = bad, "not valid UTF-8; save the file as UTF-8"
		}
	}
	if at < 0 {
		return nil
	}
	return f.fail(1+bytes.Count(raw[:at], []byte("\n")), "%s", message)
}

func (f *tripleFile) quoteError(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return &FileError{File: f.path, Message: "cannot be read: " + err.Error(), Err: err}
	}
	message := parse.Err.Error()
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		message = `a double quote inside a field; put the field in double quotes and write the quote twice`
	case errors.Is(err, csv.ErrQuote):
		message = `a quoted field does not end where the column ends; write a double quote inside it twice, and close it`
	}
	return &FileError{File: f.path, Line: parse.StartLine, Message: message, Err: err}
}

// line takes one record in.
func (f *tripleFile) line(line int, record []string, comma rune) error {
	for i := range record {
		record[i] = strings.TrimSpace(record[i])
	}
	if f.width == 0 {
		header, err := f.header(line, record, comma)
		if header || err != nil {
			return err
		}
	}
	if len(record) != f.width {
		return f.fail(line, "%s, but the lines before have %d; put a field that holds a %s in double quotes",
			plural(len(record), "column", "columns"), f.width, commaName(comma))
	}
	var names [3]string
	for c := range names {
		names[c] = record[f.columns[c]]
		if fault := checkName(names[c], c); fault != "" {
			return f.fail(line, "%s", fault)
		}
	}
	split := Train
	if at := f.columns[3]; at >= 0 {
		i := slices.IndexFunc(splitNames[:], func(words []string) bool { return slices.Contains(words, strings.ToLower(record[at])) })
		if i < 0 {
			return f.fail(line, "the split is %q; it must be train, valid or test in every line (without a split column the triples are divided)", record[at])
		}
		split = Split(i)
	}
	t := f.b.triple([]byte(names[0]), []byte(names[1]), []byte(names[2]))
	if f.seen[t] && f.columns[3] < 0 {
		if f.repeats.Count++; f.repeats.Count == 1 {
			f.repeats.Line = line
		}
		return nil
	}
	f.seen[t] = true
	f.triples, f.lines, f.splits = append(f.triples, t), append(f.lines, int32(line)), append(f.splits, split)
	return nil
}

// header finds out the columns from the first line, and whether that line is a header.
func (f *tripleFile) header(line int, record []string, comma rune) (bool, error) {
	f.columns = [4]int{-1, -1, -1, -1}
	for i, word := range record {
		for c, words := range columnNames {
			if slices.Contains(words, strings.ToLower(word)) && f.columns[c] < 0 {
				f.columns[c] = i
			}
		}
	}
	f.width = len(record)
	if f.columns[0] >= 0 && f.columns[1] >= 0 && f.columns[2] >= 0 {
		return true, nil
	}
	f.columns = [4]int{0, 1, 2, -1}
	switch f.width {
	case 3:
	case 4:
		f.columns[3] = 3
	default:
		return false, f.fail(line, "%s, expected 3 (head, relation, tail) or 4 (with the split), separated by a %s; other columns need a header line that names head, relation and tail",
			plural(f.width, "column", "columns"), commaName(comma))
	}
	return false, nil
}

func commaName(comma rune) string {
	switch comma {
	case '\t':
		return "tab"
	case ';':
		return "semicolon"
	}
	return "comma"
}

// divide fills the builder's parts and says how.
func (f *tripleFile) divide() (string, error) {
	for _, s := range Splits() {
		f.b.parts[s] = part{split: s, file: f.path}
	}
	if f.columns[3] >= 0 {
		for i, t := range f.triples {
			f.put(f.splits[i], i, t)
		}
		if len(f.b.parts[Train].triples) == 0 {
			return "", &FileError{File: f.path, Message: "the split column has no train; a model needs training triples"}
		}
		return "splits as the file's split column says", nil
	}
	if f.repeats.Count > 0 {
		f.repeats.Kind, f.repeats.File = DuplicateTriple, f.path
		f.repeats.Message = repeat(f.repeats.Count) + " a triple that the file has already; the first is in this line; each counts once"
		f.b.warnings = append(f.b.warnings, f.repeats)
	}
	n := len(f.triples)
	if n < leastDivided {
		for i, t := range f.triples {
			f.put(Train, i, t)
		}
		return fmt.Sprintf("all %s train: fewer than %d are not divided; a fourth column with train, valid or test divides them",
			plural(n, "triple", "triples"), leastDivided), nil
	}
	splits := f.drawSplits()
	for i, t := range f.triples {
		f.put(splits[i], i, t)
	}
	counts := [3]int{}
	for _, s := range splits {
		counts[s]++
	}
	return fmt.Sprintf("divided by a fixed draw into %d train, %d valid and %d test triples; every entity and relation is in train",
		counts[Train], counts[Valid], counts[Test]), nil
}

func (f *tripleFile) put(s Split, i int, t Triple) {
	p := &f.b.parts[s]
	p.triples, p.lines = append(p.triples, t), append(p.lines, f.lines[i])
}

// drawSplits draws a tenth of the triples for valid and one for test. The order of lines does not matter: triples are
// drawn in the order of their names.
func (f *tripleFile) drawSplits() []Split {
	entities, relations := f.b.entities.list, f.b.relations.list
	order := make([]int, len(f.triples))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := f.triples[i], f.triples[j]
		return cmp.Or(cmp.Compare(entities[a.Head], entities[b.Head]), cmp.Compare(relations[a.Relation], relations[b.Relation]),
			cmp.Compare(entities[a.Tail], entities[b.Tail]))
	})
	stream := draw.New(0, draw.Division, 0, 0)
	for i := len(order) - 1; i > 0; i-- {
		j := int(stream.Uint32n(uint32(i + 1)))
		order[i], order[j] = order[j], order[i]
	}
	// How many training triples each name still has.
	entity, relation := make([]int, len(entities)), make([]int, len(relations))
	for _, t := range f.triples {
		entity[t.Head]++
		entity[t.Tail]++
		relation[t.Relation]++
	}
	splits := make([]Split, len(f.triples))
	tenth := len(f.triples) / 10
	next, left := Test, tenth
	for _, i := range order {
		t := f.triples[i]
		loop := 0
		if t.Head == t.Tail {
			loop = 1
		}
		if entity[t.Head] < 2+loop || entity[t.Tail] < 2+loop || relation[t.Relation] < 2 {
			continue
		}
		entity[t.Head]--
		entity[t.Tail]--
		relation[t.Relation]--
		splits[i] = next
		if left--; left > 0 {
			continue
		}
		if next == Valid {
			break
		}
		next, left = Valid, tenth
	}
	return splits
}
