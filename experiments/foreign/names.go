package foreign

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/hint"
)

// byteOrderMark is in front of a text that spreadsheets write.
const byteOrderMark = "\uFEFF"

// nameFile is a file of a folder that may have names, and what reads it.
type nameFile struct {
	name string
	read func(path string) ([]string, error)
}

// findNames reads the names of rows from the first of the files that the folder has.
func findNames(folder string, files ...nameFile) ([]string, error) {
	var all []string
	for _, f := range files {
		if path := filepath.Join(folder, f.name); filekind.IsFile(path) {
			return f.read(path)
		}
		all = append(all, f.name)
	}
	err := fmt.Errorf("folder %s has no %s with the names of the model's rows; copy the file there", folder,
		strings.Join(all, " or "))
	return nil, hint.With(err, hint.Hint{Action: hint.NameRows})
}

// readNames reads a table of ids and names with a header: "id" and "name", or "label" as PyKEEN writes it. The ids are
// 0 to n - 1, in any order.
func readNames(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var in io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	text := bufio.NewReader(in)
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = text.Discard(len(mark)) // they are in the buffer
	}
	r := csv.NewReader(text)
	r.Comma, r.FieldsPerRecord = '\t', -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no line below its header", path)
	}
	id, name := slices.Index(rows[0], "id"), slices.Index(rows[0], "name")
	if name < 0 {
		name = slices.Index(rows[0], "label")
	}
	if id < 0 || name < 0 {
		return nil, fmt.Errorf("%s:1: the header must name the columns id and name, separated by a tab", path)
	}
	table := newNameTable(path, len(rows)-1)
	for i, row := range rows[1:] {
		if len(row) <= max(id, name) {
			return nil, fmt.Errorf("%s:%d: the line has not as many columns as the header", path, i+2)
		}
		if err := table.put(i+2, row[id], row[name]); err != nil {
			return nil, err
		}
	}
	return table.names, nil
}

// readNumbered reads lines of an id and a name, separated by a tab, without a header. Nothing is quoted.
func readNumbered(path string) ([]string, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	table := newNameTable(path, len(lines))
	for i, line := range lines {
		id, name, isPair := strings.Cut(line, "\t")
		if !isPair {
			return nil, fmt.Errorf("%s:%d: the line must have an id and a name, separated by a tab", path, i+1)
		}
		if err := table.put(i+1, id, name); err != nil {
			return nil, err
		}
	}
	return table.names, nil
}

// readCounted reads lines of a name and an id below a line with their number, as OpenKE has them.
func readCounted(path string) ([]string, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	table := newNameTable(path, len(lines)-1)
	if n, err := strconv.Atoi(strings.TrimSpace(lines[0])); err != nil || n != len(table.names) {
		return nil, fmt.Errorf("%s:1: the first line is %q, and %d lines with names follow; it must be their number", path, lines[0],
			len(table.names))
	}
	for i, line := range lines[1:] {
		line = strings.TrimRight(line, " \t")
		at := strings.LastIndexAny(line, " \t")
		if at < 0 {
			return nil, fmt.Errorf("%s:%d: the line must have a name and an id, separated by a tab", path, i+2)
		}
		if err := table.put(i+2, line[at+1:], strings.TrimRight(line[:at], " \t")); err != nil {
			return nil, err
		}
	}
	return table.names, nil
}

// readLines returns the lines of a text file, without ends and without empty ones at its end.
func readLines(path string) ([]string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(strings.TrimPrefix(string(raw), byteOrderMark), "\r\n")
	if text == "" {
		return nil, fmt.Errorf("%s has no names", path)
	}
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), nil
}

// nameTable has names by id.
type nameTable struct {
	path  string
	names []string
	isSet []bool
}

func newNameTable(path string, rows int) *nameTable {
	return &nameTable{path, make([]string, rows), make([]bool, rows)}
}

// put takes the name of a line.
func (t *nameTable) put(line int, id, name string) error {
	n, err := strconv.Atoi(id)
	if err != nil || n < 0 || n >= len(t.names) || t.isSet[n] {
		return fmt.Errorf("%s:%d: id %q is not a number from 0 to %d that no other line has", t.path, line, id, len(t.names)-1)
	}
	t.names[n], t.isSet[n] = name, true
	return nil
}
