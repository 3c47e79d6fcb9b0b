package kg

import (
	"errors"
	"fmt"
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
)

func (f format) String() string {
	return [...]string{"tab-separated names", "OpenKE ids", "N-Triples"}[f]
}

// splitFiles returns the possible names of the file of a split, each plain or .gz.
func splitFiles(s Split, f format) []string {
	var base []string
	switch f {
	case tsvFormat:
		base = []string{s.String() + ".txt", s.String() + ".tsv"}
	case openkeFormat:
		base = []string{s.String() + "2id.txt"}
	case ntriplesFormat:
		base = []string{s.String() + ".nt"}
	}
	var out []string
	for _, b := range base {
		out = append(out, b, b+".gz")
	}
	return out
}

// Load reads the graph of a folder. The folder holds, plain or gzipped,
//
//   - train.txt, valid.txt and test.txt (or .tsv): head, relation and tail per
//     line with tabs between; a fourth column is left out if all lines have it; or
//   - the OpenKE files entity2id.txt, relation2id.txt, train2id.txt,
//     valid2id.txt and test2id.txt, with a count in the first line; or
//   - train.nt, valid.nt and test.nt: N-Triples,
//
// and, if wanted, entity_labels.tsv and relation_labels.tsv: name and readable label. Damaged or incomplete input is a
// *FileError. Oddities (duplicate triples, names that are not in training, a triple in two splits) are counted in
// Graph.Warnings.
func Load(dir string) (*Graph, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("load graph %s: %w", dir, err)
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, &FileError{File: dir, Message: "no such graph folder: " + systemMessage(err), Err: err}
	} else if !info.IsDir() {
		message := "this is a file; a graph is a folder with train, valid and test files"
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
	if form == openkeFormat {
		err = loadOpenKE(dir, files, b)
	} else {
		read := readTSV
		if form == ntriplesFormat {
			read = readNTriples
		}
		for i, path := range files {
			err = withLines(path, func(l *lineReader) (err error) {
				b.parts[i], err = read(l, Split(i), b)
				return err
			})
			if err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	g := b.graph(filepath.Base(abs), abs)
	if err := loadLabels(dir, g); err != nil {
		return nil, err
	}
	return g, nil
}

// IsGraph reports whether the folder has a training file of a known format. Load may still fail.
func IsGraph(dir string) bool {
	for _, f := range []format{tsvFormat, openkeFormat, ntriplesFormat} {
		for _, name := range splitFiles(Train, f) {
			if exists(filepath.Join(dir, name)) {
				return true
			}
		}
	}
	return false
}

// MissingSplits lists the splits that have no file of any format in the folder of a graph.
func MissingSplits(dir string) []Split {
	var missing []Split
	for _, s := range Splits() {
		there := false
		for _, f := range []format{tsvFormat, openkeFormat, ntriplesFormat} {
			there = there || slices.ContainsFunc(splitFiles(s, f), func(name string) bool {
				return exists(filepath.Join(dir, name))
			})
		}
		if !there {
			missing = append(missing, s)
		}
	}
	return missing
}

// findFiles finds the format of the folder and the file of each split.
func findFiles(dir string) (format, [3]string, error) {
	var files [3]string
	var forms []format
	seen := map[format]string{}
	for _, f := range []format{tsvFormat, openkeFormat, ntriplesFormat} {
		for _, s := range Splits() {
			path, err := findOne(dir, splitFiles(s, f))
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
			"*.txt or *.tsv (head, relation, tail), *2id.txt (OpenKE) or *.nt (N-Triples), plain or .gz"}
	case 1:
	default:
		return 0, files, &FileError{File: dir, Message: fmt.Sprintf(
			"the folder mixes formats: %s is %s, %s is %s; keep one format per folder",
			seen[forms[0]], forms[0], seen[forms[1]], forms[1])}
	}
	for _, s := range Splits() {
		if files[s] == "" {
			return 0, files, &FileError{File: dir, Message: fmt.Sprintf(
				"the %s split is missing: no %s; a graph needs train, valid and test files",
				s, strings.Join(splitFiles(s, forms[0]), ", no "))}
		}
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

func loadOpenKE(dir string, files [3]string, b *builder) error {
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
	for i, path := range files {
		err := withLines(path, func(l *lineReader) (err error) {
			b.parts[i], err = readOpenKETriples(l, Split(i), lists[0], lists[1], b)
			return err
		})
		if err != nil {
			return err
		}
	}
	b.warnings = append(b.warnings, lists[0].unused()...)
	b.warnings = append(b.warnings, lists[1].unused()...)
	return nil
}
