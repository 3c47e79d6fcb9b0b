package kg

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/quantity"
)

// splitNames lists the words of a split column.
var splitNames = [3][]string{{"train", "training"}, {"valid", "validation", "dev"}, {"test", "testing"}}

// fileEndings are the endings of the names of files of triples, each with the separator of columns that is expected; 0
// for N-Triples.
var fileEndings = []struct {
	ending string
	comma  rune
}{{".csv", ','}, {".tsv", '\t'}, {".txt", '\t'}, {".nt", 0}}

// FileEndings lists the possible endings of the name of a file of triples, apart from .gz.
func FileEndings() []string {
	var list []string
	for _, f := range fileEndings {
		list = append(list, f.ending)
	}
	return list
}

// IsFile reports whether LoadFile reads a file of this name: it has one of FileEndings, or one with .gz after it.
func IsFile(name string) bool {
	_, ok := fileComma(name)
	return ok
}

// NameOf returns the name of the graph that a file of triples or a folder holds: its own without folder and ending.
func NameOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	base := filepath.Base(path)
	if !IsFile(base) || filekind.IsFolder(path) {
		return base
	}
	base = strings.TrimSuffix(base, ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// fileComma returns the separator of columns that the ending of a name promises, 0 for N-Triples.
func fileComma(name string) (comma rune, ok bool) {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	for _, f := range fileEndings {
		if strings.HasSuffix(name, f.ending) {
			return f.comma, true
		}
	}
	return 0, false
}

// LoadFile is LoadDivided with DefaultDivision.
func LoadFile(path string) (*Graph, error) { return LoadDivided(path, DefaultDivision()) }

// LoadDivided reads a graph from a folder, or from one file of triples, plain or .gz: .nt is N-Triples; .csv, .tsv and
// .txt have head, relation and tail in a line, and may have a fourth column with the split: train, valid or test.
// Columns are separated by the comma in .csv and by the tab in .tsv and .txt, unless the first line has fewer than two
// of these and at least two tabs, semicolons or commas; or by spaces where all lines have the same few words. Between
// commas and semicolons fields may be in double quotes, inside which a double quote is written twice. Spaces around a
// field are ignored. A header line is recognised by its words, such as head, relation, tail, or s, p, o. The columns
// may then be in any order, and other columns are ignored. A relation in the third column and a column that counts the
// lines are recognised by what they hold; Graph.Warnings reports it. A file that can be read in two ways is an error.
// d.Reading then decides.
//
// Without a split column, all triples of a file with fewer than 50 distinct ones are training triples. A larger file is
// divided by d. The draw depends only on d and the set of triples. Graph.Division describes the result. Name is the
// name of the file without its extension, Source its absolute path. A file types.tsv next to it has lines of entity and
// type. Damaged input is a *FileError.
func LoadDivided(path string, d Division) (*Graph, error) {
	g, err := loadDivided(path, d)
	if err == nil && d.Whole {
		return g.Whole(), nil
	}
	return g, err
}

func loadDivided(path string, d Division) (*Graph, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return loadFolder(path, d)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("load graph %s: %w", path, err)
	}
	g, err := readTriples(path, abs, d, func(read func(io.Reader) error) error { return withFile(path, read) })
	if err != nil {
		return nil, err
	}
	if err := loadTypes(filepath.Dir(path), g); err != nil { // it may belong to another file of the folder
		g.Warnings = append(g.Warnings, Warning{Kind: UnreadTypes, File: filepath.Join(filepath.Dir(path), typesFile),
			Count: 1, Message: "not read as types of entities: " + err.Error()})
	}
	return g, nil
}

// Read reads a graph from the text of a file of triples, as LoadDivided does: the ending of name says its form (.csv,
// .tsv, .txt or .nt), the rest of name is the graph's, and d divides triples without a column for the split. What r
// returns is not unpacked. Damaged input is a *FileError.
//
//	g, err := kg.Read(os.Stdin, "zoo.tsv", kg.DefaultDivision())
func Read(r io.Reader, name string, d Division) (*Graph, error) {
	g, err := readTriples(name, "", d, func(read func(io.Reader) error) error { return read(r) })
	if err == nil && d.Whole {
		return g.Whole(), nil
	}
	return g, err
}

// readTriples reads a file of triples that open opens. source is where the graph is from.
func readTriples(name, source string, d Division, open func(read func(io.Reader) error) error) (*Graph, error) {
	comma, ok := fileComma(name)
	if !ok {
		return nil, &FileError{File: name, Message: "not a file of triples: the name must end in " +
			strings.Join(FileEndings(), ", ") + ", or in one of these and .gz"}
	}
	f := &tripleFile{path: name, b: newBuilder(), seen: map[Triple]bool{}, reading: d.Reading}
	err := open(func(r io.Reader) error {
		if comma == 0 {
			return f.readNTriples(newLineReader(r, name))
		}
		return f.read(r, comma)
	})
	if err != nil {
		return nil, err
	}
	if err := f.look(); err != nil {
		return nil, err
	}
	if f.division, err = f.divide(d); err != nil {
		return nil, err
	}
	g := f.b.graph(NameOf(name), source)
	f.describe(g)
	return g, nil
}

// describe stores in a graph how it was divided.
func (f *tripleFile) describe(g *Graph) {
	g.Division, g.Leaks, g.Leakless, g.Drawn = f.division, f.leaks, f.isLeakless, f.isDrawn
}

// tripleFile is a file that is being read.
type tripleFile struct {
	path       string
	b          *builder
	reading    Reading
	inFolder   bool   // the file is one split of a folder
	columns    [4]int // of head, relation, tail and split in a line; -1 for no split, or for one relation of all lines
	width      int    // columns of a line, 0 before the first
	triples    []Triple
	lines      []int32
	splits     []Split // parallel to triples, with a split column
	seen       map[Triple]bool
	repeats    Warning
	hasHeading bool // the first line is a header
	isPlaced   bool // the columns were found by their number
	isCounted  bool // the first column counts the lines
	isPlain    bool // fields are not in quotes
	leaks      int  // see Graph.Leaks

	isLeakless bool // see Graph.Leakless
	isDrawn    bool // see Graph.Drawn

	division string // see Graph.Division
}

func (f *tripleFile) fail(line int, format string, args ...any) error {
	return &FileError{File: f.path, Line: line, Message: fmt.Sprintf(format, args...)}
}

func (f *tripleFile) read(in io.Reader, comma rune) error {
	raw, err := io.ReadAll(in)
	if err != nil {
		return &FileError{File: f.path, Message: "cannot be read: " + readMessage(err), Err: err}
	}
	if err := f.checkText(raw); err != nil {
		return err
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	comma = separator(raw, comma)
	quotes := f.reading.quotes(comma)
	f.isPlain = quotes == QuotesNone
	common := takeSurvey(records(raw, comma, quotes))
	read := records(raw, comma, quotes)
	for {
		line, record, err := read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f.quoteError(err)
		}
		if f.width == 0 {
			if err := f.header(line, common, comma); err != nil {
				return err
			}
			if f.hasHeading {
				continue
			}
		}
		if err := f.line(line, record, comma); err != nil {
			return err
		}
	}
	if len(f.triples) == 0 {
		return &FileError{File: f.path, Message: "no triple; a line is head, relation, tail", Err: errNoTriple}
	}
	return nil
}

// checkText returns an error with the line of the first byte that is not UTF-8 text.
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
	return hint.With(&FileError{File: f.path, Line: parse.StartLine, Message: message, Err: err},
		hint.Hint{Action: hint.ChooseQuotes, Subject: QuotesNone})
}

// line adds one record.
func (f *tripleFile) line(line int, record []string, comma rune) error {
	for i := range record {
		record[i] = strings.TrimSpace(record[i])
	}
	if len(record) < f.width {
		return f.fail(line, "%s, but the lines before have %d; a field is missing",
			quantity.CountOf(len(record), "column", "columns"), f.width)
	}
	if len(record) > f.width {
		if f.isPlain {
			err := f.fail(line, "%s, but the lines before have %d; a name may not hold a %s",
				quantity.CountOf(len(record), "column", "columns"), f.width, commaName(comma))
			if slices.ContainsFunc(record, func(field string) bool { return strings.Contains(field, `"`) }) {
				err = hint.With(err, hint.Hint{Action: hint.ChooseQuotes, Subject: QuotesCSV})
			}
			return err
		}
		return f.fail(line, "%s, but the lines before have %d; put a field that holds a %s in double quotes",
			quantity.CountOf(len(record), "column", "columns"), f.width, commaName(comma))
	}
	var names [3]string
	for c := range names {
		if names[c] = f.reading.Relation; f.columns[c] >= 0 {
			names[c] = record[f.columns[c]]
		}
		if fault := checkName(names[c], c); fault != "" {
			return f.fail(line, "%s", fault)
		}
	}
	split := Train
	if at := f.columns[3]; at >= 0 {
		named, ok := splitOf(record[at])
		if !ok {
			remedy := "without a split column the triples are divided"
			if !f.hasHeading {
				remedy = "columns other than these four need a header line that names head, relation and tail"
			}
			return f.fail(line, "the split is %q; it must be train, valid or test in every line (%s)", record[at], remedy)
		}
		split = named
	}
	f.add(f.b.triple([]byte(names[0]), []byte(names[1]), []byte(names[2])), line, split)
	return nil
}

func (f *tripleFile) add(t Triple, line int, split Split) {
	if f.seen[t] && f.columns[3] < 0 && !f.inFolder {
		if f.repeats.Count++; f.repeats.Count == 1 {
			f.repeats.Line = line
		}
		return
	}
	f.seen[t] = true
	f.triples, f.lines, f.splits = append(f.triples, t), append(f.lines, int32(line)), append(f.splits, split)
}

func (f *tripleFile) readNTriples(l *lineReader) error {
	p, err := readNTriples(l, Train, f.b)
	f.columns[3] = -1
	for i, t := range p.triples {
		f.add(t, p.line(i), Train)
	}
	return err
}

func commaName(comma rune) string {
	switch comma {
	case '\t':
		return "tab"
	case ';':
		return "semicolon"
	case ' ':
		return "space"
	}
	return "comma"
}
