package retrieve

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spherelab/spherelab/spherE/kg"
)

// QueryFileError says which line of a file of queries is wrong.
type QueryFileError struct {
	File string
	Line int // from 1
	Err  error
}

func (e *QueryFileError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *QueryFileError) Unwrap() error { return e.Err }

// ReadQueries reads a file of queries, one a line: HEAD, RELATION and TAIL, of which HEAD or TAIL is "?". They are
// separated by tabs; in a file whose name ends in .csv by commas, with quotes as in CSV. Empty lines and a first line
// "head, relation, tail" are skipped. All lines are looked at. The error, a *QueryFileError, is that of the first wrong
// line and says how many more there are.
func ReadQueries(g *kg.Graph, name string, in io.Reader) ([]kg.Query, error) {
	var queries []kg.Query
	var wrong []error
	first := true
	line := func(number int, fields []string) {
		header := first && len(fields) == 3 && strings.EqualFold(strings.TrimPrefix(fields[0], "\ufeff"), "head") &&
			strings.EqualFold(fields[1], "relation") && strings.EqualFold(fields[2], "tail")
		first = false
		if header {
			return
		}
		if number == 1 {
			fields[0] = strings.TrimPrefix(fields[0], "\ufeff")
		}
		q, err := parseFields(g, fields)
		if err != nil {
			wrong = append(wrong, &QueryFileError{name, number, err})
		}
		queries = append(queries, q)
	}
	var err error
	if strings.HasSuffix(strings.ToLower(name), ".csv") {
		err = readCSV(name, in, line)
	} else {
		err = readTabs(name, in, line)
	}
	switch {
	case err != nil:
		return nil, err
	case len(wrong) == 1:
		return nil, wrong[0]
	case len(wrong) > 1:
		return nil, fmt.Errorf("%w (and %d more wrong lines)", wrong[0], len(wrong)-1)
	case len(queries) == 0:
		return nil, fmt.Errorf("%s has no query", name)
	}
	return queries, nil
}

func parseFields(g *kg.Graph, fields []string) (kg.Query, error) {
	if len(fields) != 3 {
		return kg.Query{}, fmt.Errorf("a line has 3 fields, HEAD, RELATION and TAIL, got %d", len(fields))
	}
	return ParseQuery(g, strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1]), strings.TrimSpace(fields[2]))
}

func readCSV(name string, in io.Reader, line func(number int, fields []string)) error {
	r := csv.NewReader(in)
	r.FieldsPerRecord = -1
	for {
		fields, err := r.Read()
		var syntax *csv.ParseError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &syntax):
			return &QueryFileError{name, syntax.Line, syntax.Err}
		case err != nil:
			return fmt.Errorf("read %s: %w", name, err)
		}
		number, _ := r.FieldPos(0)
		line(number, fields)
	}
}

func readTabs(name string, in io.Reader, line func(number int, fields []string)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		if text := strings.TrimRight(lines.Text(), "\r"); strings.TrimSpace(text) != "" {
			line(number, strings.Split(text, "\t"))
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
