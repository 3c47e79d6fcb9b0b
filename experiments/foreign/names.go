package foreign

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// readNames reads a table of ids and names with a header: "id" and "name", or "label" as PyKEEN writes it. The ids are
// 0 to n - 1, in any order.
func readNames(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the names of the model's rows: %w", err)
	}
	defer file.Close()
	var in io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	text := bufio.NewReader(in)
	if mark, _ := text.Peek(3); string(mark) == "\uFEFF" { // as spreadsheets write it
		_, _ = text.Discard(len(mark)) // they are in the buffer
	}
	r := csv.NewReader(text)
	r.Comma, r.FieldsPerRecord = '\t', -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s %w", path, errNoRows)
	}
	id, name := slices.Index(rows[0], "id"), slices.Index(rows[0], "name")
	if name < 0 {
		name = slices.Index(rows[0], "label")
	}
	if id < 0 || name < 0 {
		return nil, fmt.Errorf("%s:1: the header must name the columns id and name, separated by a tab", path)
	}
	names, isSet := make([]string, len(rows)-1), make([]bool, len(rows)-1)
	for i, row := range rows[1:] {
		if len(row) <= max(id, name) {
			return nil, fmt.Errorf("%s:%d: the line has not as many columns as the header", path, i+2)
		}
		n, err := strconv.Atoi(row[id])
		if err != nil || n < 0 || n >= len(names) || isSet[n] {
			return nil, fmt.Errorf("%s:%d: id %q is not a number from 0 to %d that no other line has", path, i+2, row[id],
				len(names)-1)
		}
		names[n], isSet[n] = row[name], true
	}
	return names, nil
}
