package kg

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// format is a file format of graphs.
type format uint8

const (
	tsvFormat format = iota
	openkeFormat
	ntriplesFormat
	csvFormat
)

// formats are those of folders.
var formats = [...]format{tsvFormat, openkeFormat, ntriplesFormat, csvFormat}

func (f format) String() string {
	return [...]string{"tab-separated names", "OpenKE ids", "N-Triples", "comma-separated names"}[f]
}

// splitFiles returns the possible file names of a split with this word, each plain or .gz.
func splitFiles(split string, f format) []string {
	var base []string
	switch f {
	case tsvFormat:
		base = []string{split + ".txt", split + ".tsv"}
	case openkeFormat:
		base = []string{split + "2id.txt"}
	case ntriplesFormat:
		base = []string{split + ".nt"}
	case csvFormat:
		base = []string{split + ".csv"}
	}
	var out []string
	for _, b := range base {
		out = append(out, b, b+".gz")
	}
	return out
}

// findSplit finds the file of a split by the first of splitNames that has one; "" if there is none.
func findSplit(dir string, s Split, f format) (string, error) {
	for _, name := range splitNames[s] {
		if path, err := findOne(dir, splitFiles(name, f)); path != "" || err != nil {
			return path, err
		}
	}
	return "", nil
}

// Load is LoadDivided for a folder, with DefaultDivision.
func Load(dir string) (*Graph, error) { return loadFolder(dir, DefaultDivision()) }

// loadFolder reads the graph of a folder. The folder holds, plain or gzipped,
//
//   - train.txt, valid.txt and test.txt (or .tsv): head, relation and tail per
//     line with tabs between; a fourth column is left out if all lines have it; or
//   - train.csv, valid.csv and test.csv, whose lines are those of a file; or
//   - the OpenKE files entity2id.txt, relation2id.txt, train2id.txt,
//     valid2id.txt and test2id.txt, with a count in the first line; or
//   - train.nt, valid.nt and test.nt: N-Triples,
//
// and, if wanted, entity_labels.tsv and relation_labels.tsv: name and readable label; types.tsv: entity and type. The
// names may also use the other words for splits in splitNames. If the folder has no validation or no test triples,
// these are drawn from the training triples by d, and Graph.Division describes the draw. Damaged or incomplete input is
// a *FileError. Oddities (duplicate triples, names that are not in training, a triple in two splits) are counted in
// Graph.Warnings.
func loadFolder(dir string, d Division) (*Graph, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("load graph %s: %w", dir, err)
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, &FileError{File: dir, Message: "no such graph folder: " + systemMessage(err), Err: err}
	} else if !info.IsDir() {
		message := "this is a file; a graph is a folder with a train file, and with valid and test files if there are any"
		if !IsFile(dir) {
			message += ", or a file whose name ends in " + strings.Join(FileEndings(), ", ")
		}
		return nil, &FileError{File: dir, Message: message}
	}
	form, files, err := findFiles(dir)
	if err != nil {
		return nil, err
	}
	b := newBuilder()
	var lacks [3]string
	for _, s := range Splits() {
		b.parts[s] = part{split: s, file: files[s]}
		if files[s] == "" {
			lacks[s] = "no " + splitFiles(s.String(), form)[0]
		}
	}
	empty := func(s Split, err error) error {
		if err != nil && s != Train && errors.Is(err, errNoTriple) {
			lacks[s] = filepath.Base(files[s]) + " is empty"
			b.parts[s] = part{split: s, file: files[s]}
			return nil
		}
		return err
	}
	switch form {
	case openkeFormat:
		err = loadOpenKE(dir, files, b, empty)
	case ntriplesFormat:
		err = eachFile(files, func(s Split, path string) error {
			return empty(s, withLines(path, func(l *lineReader) (err error) {
				b.parts[s], err = readNTriples(l, s, b)
				return err
			}))
		})
	default:
		err = loadTables(dir, form, files, d.Reading, b, empty)
	}
	if err != nil {
		return nil, err
	}
	f, err := b.fill(d, lacks)
	if err != nil {
		return nil, err
	}
	g := b.graph(filepath.Base(abs), abs)
	if f != nil {
		f.describe(g)
	}
	if err := loadLabels(dir, g); err != nil {
		return nil, err
	}
	if err := loadTypes(dir, g); err != nil {
		return nil, err
	}
	return g, nil
}

// eachFile calls f with each file that exists, and stops at the first error.
func eachFile(files [3]string, f func(s Split, path string) error) error {
	for i, path := range files {
		if path == "" {
			continue
		}
		if err := f(Split(i), path); err != nil {
			return err
		}
	}
	return nil
}

// loadTables reads files of names. Files with a header line, or without tabs between columns, are read as tables.
func loadTables(dir string, form format, files [3]string, r Reading, b *builder, empty func(Split, error) error) error {
	placed, plain := true, true // in all files
	err := eachFile(files, func(s Split, path string) error {
		err := errHeader
		if form == tsvFormat && r == (Reading{}) {
			err = withLines(path, func(l *lineReader) (err error) {
				b.parts[s], err = readTSV(l, s, b)
				return err
			})
		}
		if errors.Is(err, errHeader) {
			f := &tripleFile{path: path, b: b, seen: map[Triple]bool{}, reading: r, inFolder: true}
			comma := ','
			if form == tsvFormat {
				comma = '\t'
			}
			err = withFile(path, func(in io.Reader) error { return f.read(in, comma) })
			b.parts[s] = part{split: s, file: path, triples: f.triples, lines: f.lines}
			if len(f.triples) > 0 && !f.hasHeading {
				b.parts[s].first, b.parts[s].firstLine = &f.triples[0], int(f.lines[0])
			}
			placed, plain = placed && (f.isPlaced || len(f.triples) == 0), plain && f.isPlain
		}
		return empty(s, err)
	})
	if err != nil {
		return err
	}
	if plain {
		b.warnOfQuotes()
	}
	if !placed || r.Relation != "" {
		return nil
	}
	lists := [][]Triple{b.parts[Train].triples, b.parts[Valid].triples, b.parts[Test].triples}
	return b.arrange(dir, b.use(lists...), lists...)
}

// IsGraph reports whether the folder has a training file of a known format. Load may still fail.
func IsGraph(dir string) bool {
	return hasSplit(dir, Train)
}

// MissingSplits lists the splits that have no file of any format in the folder of a graph.
func MissingSplits(dir string) []Split {
	var missing []Split
	for _, s := range Splits() {
		if !hasSplit(dir, s) {
			missing = append(missing, s)
		}
	}
	return missing
}

func hasSplit(dir string, s Split) bool {
	for _, f := range formats {
		for _, word := range splitNames[s] {
			if slices.ContainsFunc(splitFiles(word, f),
				func(name string) bool { return exists(filepath.Join(dir, name)) }) {
				return true
			}
		}
	}
	return false
}

// findFiles finds the format of the folder and the file of each split, "" for valid or test if there is none.
func findFiles(dir string) (format, [3]string, error) {
	var files [3]string
	var forms []format
	seen := map[format]string{}
	for _, f := range formats {
		for _, s := range Splits() {
			path, err := findSplit(dir, s, f)
			if err != nil {
				return 0, files, err
			}
			if path == "" {
				continue
			}
			if _, ok := seen[f]; !ok {
				seen[f] = filepath.Base(path)
				forms = append(forms, f)
			}
			files[s] = path
		}
	}
	switch len(forms) {
	case 0:
		return 0, files, &FileError{File: dir, Message: "no graph here: expected train, valid and test files named " +
			"*.txt, *.tsv or *.csv (head, relation, tail), *2id.txt (OpenKE) or *.nt (N-Triples), plain or .gz"}
	case 1:
	default:
		return 0, files, &FileError{File: dir, Message: fmt.Sprintf(
			"the folder mixes formats: %s is %s, %s is %s; keep one format per folder",
			seen[forms[0]], forms[0], seen[forms[1]], forms[1])}
	}
	if files[Train] == "" {
		return 0, files, &FileError{File: dir, Message: fmt.Sprintf(
			"the %s split is missing: no %s; a graph needs training triples",
			Train, strings.Join(splitFiles(Train.String(), forms[0]), ", no "))}
	}
	return forms[0], files, nil
}

// findOne returns the path of the only candidate in the folder, "" if there is none. Several are an error.
func findOne(dir string, candidates []string) (string, error) {
	found := ""
	for _, name := range candidates {
		if !exists(filepath.Join(dir, name)) {
			continue
		}
		if found != "" {
			return "", &FileError{File: dir,
				Message: fmt.Sprintf("the folder has both %s and %s; keep the one that is meant",
					filepath.Base(found), name)}
		}
		found = filepath.Join(dir, name)
	}
	return found, nil
}

// exists reports whether path exists. It returns true for a path that cannot be examined, because opening it returns a
// better error.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func loadOpenKE(dir string, files [3]string, b *builder, empty func(Split, error) error) error {
	var lists [2]*openkeNames
	for i, kind := range []string{"entity", "relation"} {
		name := kind + "2id.txt"
		path, err := findOne(dir, []string{name, name + ".gz"})
		if err != nil {
			return err
		}
		if path == "" {
			return &FileError{File: dir, Message: fmt.Sprintf(
				"%s is missing; OpenKE graphs need it next to %s", name, filepath.Base(files[Train]))}
		}
		err = withLines(path, func(l *lineReader) (err error) {
			lists[i], err = readOpenKENames(l, kind)
			return err
		})
		if err != nil {
			return err
		}
	}
	err := eachFile(files, func(s Split, path string) error {
		return empty(s, withLines(path, func(l *lineReader) (err error) {
			b.parts[s], err = readOpenKETriples(l, s, lists[0], lists[1], b)
			return err
		}))
	})
	if err != nil {
		return err
	}
	b.warnings = append(b.warnings, lists[0].unused()...)
	b.warnings = append(b.warnings, lists[1].unused()...)
	return nil
}
