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

// QuestionFileError is an error in a line of a file of questions.
type QuestionFileError struct {
	File string
	Line int // from 1
	Err  error
}

func (e *QuestionFileError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *QuestionFileError) Unwrap() error { return e.Err }

// ReadQuestions reads a file of questions, one a line: HEAD, RELATION and TAIL with one "?", or an expression alone.
// Tabs separate the fields; in a file whose name ends in .csv commas do, with quotes as in CSV. Empty lines and a first
// line "head, relation, tail" or "query" are skipped. Every line is checked and every name is looked up. The error, a
// *QuestionFileError, is that of the first wrong line and contains the number of further ones.
func ReadQuestions(g *kg.Graph, name string, in io.Reader) ([]Question, error) {
	var questions []Question
	var wrong []error
	first, separator := true, "tab"
	if strings.HasSuffix(strings.ToLower(name), ".csv") {
		separator = "comma"
	}
	line := func(number int, fields []string) {
		for i, field := range fields {
			fields[i] = strings.TrimSpace(field)
		}
		// spreadsheets give all lines the same number of fields
		for len(fields) > 1 && len(fields) != 3 && fields[len(fields)-1] == "" || len(fields) == 3 && fields[1]+fields[2] == "" {
			fields = fields[:len(fields)-1]
		}
		header := first && isHeader(fields)
		if first = false; header {
			return
		}
		q, err := ParseQuestion(fields...)
		if err == nil {
			err = q.Check(g)
		}
		if wrongForm := (*ExpressionError)(nil); err != nil && len(fields) != 3 && !errors.As(err, &wrongForm) {
			err = fmt.Errorf("%w; a %s separates fields", err, separator)
		}
		if err != nil {
			wrong = append(wrong, &QuestionFileError{name, number, err})
		}
		questions = append(questions, q)
	}
	start := bufio.NewReader(in)
	if mark, _ := start.Peek(3); string(mark) == "\ufeff" { // an error of Peek comes again
		_, _ = start.Discard(len(mark)) // these bytes are there
	}
	in = start
	var err error
	if separator == "comma" {
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
		return nil, fmt.Errorf("%w (further wrong lines: %d)", wrong[0], len(wrong)-1)
	case len(questions) == 0:
		return nil, fmt.Errorf("%s has no question; %s, one a line; a %s separates fields", name, questionForms,
			separator)
	}
	return questions, nil
}

// isHeader reports whether a first line names columns.
func isHeader(fields []string) bool {
	line := strings.ToLower(strings.Join(fields, "\t"))
	return line == "head\trelation\ttail" || line == "query" || line == "question"
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
			return &QuestionFileError{name, syntax.StartLine, fmt.Errorf("%w; in a .csv file a field with a comma or a quote "+
				"must be in quotes, and a quote inside it is written twice", syntax.Err)}
		case err != nil:
			return fmt.Errorf("read %s: %w", name, err)
		}
		number, _ := r.FieldPos(0)
		line(number, fields)
	}
}

// longestLine bounds a line of a file whose fields are separated by tabs, in bytes.
const longestLine = 1 << 20

func readTabs(name string, in io.Reader, line func(number int, fields []string)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	number := 1
	for ; lines.Scan(); number++ {
		if text := strings.TrimRight(lines.Text(), "\r"); strings.TrimSpace(text) != "" {
			line(number, strings.Split(text, "\t"))
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return &QuestionFileError{name, number, fmt.Errorf("the line has %d bytes or more; write each question on a line "+
			"of its own", longestLine)}
	} else if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
