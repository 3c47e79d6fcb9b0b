package kg

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
)

// recordReader reads the lines of a table. The record is valid until the next call; at the end the error is io.EOF.
type recordReader func() (line int, record []string, err error)

// quotes is r.Quotes between columns that are separated by comma.
func (r Reading) quotes(comma rune) string {
	switch {
	case r.Quotes != "":
		return r.Quotes
	case comma == '\t' || comma == ' ':
		return QuotesNone
	}
	return QuotesCSV
}

// records reads a table whose columns are separated by comma, with quotes as Reading says. A space stands for any run
// of spaces.
func records(raw []byte, comma rune, quotes string) recordReader {
	if quotes == QuotesCSV {
		r := csv.NewReader(bytes.NewReader(raw))
		r.Comma, r.FieldsPerRecord, r.ReuseRecord, r.TrimLeadingSpace = comma, -1, true, true
		return func() (int, []string, error) {
			record, err := r.Read()
			if err != nil {
				return 0, nil, err
			}
			line, _ := r.FieldPos(0)
			return line, record, nil
		}
	}
	line := 0
	return func() (int, []string, error) {
		for len(raw) > 0 {
			text, rest, _ := bytes.Cut(raw, []byte("\n"))
			raw = rest
			line++
			switch text := strings.TrimSuffix(string(text), "\r"); {
			case text == "": // as in CSV
			case comma == ' ':
				return line, strings.Fields(text), nil
			default:
				return line, strings.Split(text, string(comma)), nil
			}
		}
		return 0, nil, io.EOF
	}
}

// separator is the separator of columns: the expected one, unless the first line has fewer than two of it and at least
// two of another, or none and one of another. A space separates where every line has the same two to four words.
func separator(raw []byte, expected rune) rune {
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	first := string(line)
	for least := 2; least > 0; least-- {
		for _, comma := range []rune{expected, '\t', ';', ','} {
			if strings.Count(first, string(comma)) >= least {
				return comma
			}
		}
	}
	words := len(strings.Fields(first))
	if words < 2 || words > 4 || bytes.ContainsAny(raw, "\"'{") {
		return expected
	}
	for line := range bytes.Lines(raw) {
		if n := len(bytes.Fields(line)); n != words && n > 0 {
			return expected
		}
	}
	return ' '
}

// survey is what all lines of a table have in common, by column of the first line.
type survey struct {
	first   []string
	lines   int    // records, the first included
	again   []bool // another line has the same text in the column as the first line
	counts  []bool // after the first line the column counts: each number is the one before and 1
	numbers []bool // after the first line it has only numbers
	splits  []bool // after the first line it has only words of a split
	last    []int
}

// takeSurvey reads a table to its end. An error ends it early; the next reading of the table returns the error.
func takeSurvey(read recordReader) *survey {
	s := &survey{}
	for {
		_, record, err := read()
		if err != nil {
			return s
		}
		s.lines++
		if s.lines == 1 {
			n := len(record)
			s.first, s.again = slices.Clone(record), make([]bool, n)
			s.counts, s.numbers, s.splits = slices.Repeat([]bool{true}, n), slices.Repeat([]bool{true}, n),
				slices.Repeat([]bool{true}, n)
			s.last = make([]int, n)
			for c := range s.first {
				s.first[c] = strings.TrimSpace(s.first[c])
			}
			continue
		}
		for c := range min(len(record), len(s.first)) {
			s.look(c, strings.TrimSpace(record[c]))
		}
	}
}

func (s *survey) look(c int, field string) {
	s.again[c] = s.again[c] || field == s.first[c]
	if s.counts[c] {
		n, err := strconv.Atoi(field)
		s.counts[c] = err == nil && (s.lines == 2 && (n == 0 || n == 1 || n == 2) || s.lines > 2 && n == s.last[c]+1)
		s.last[c] = n
	}
	if s.numbers[c] {
		_, err := strconv.ParseFloat(field, 64)
		s.numbers[c] = err == nil
	}
	if s.splits[c] {
		_, s.splits[c] = splitOf(field)
	}
}

// index reports whether a column only counts the lines, as the index of a pandas table does. headed is true if the
// first line is a header.
func (s *survey) index(c int, headed bool) bool {
	if s.lines < 3 || !s.counts[c] {
		return false
	}
	start := s.last[c] - (s.lines - 2) // of the second line
	if headed {
		return start == 0 || start == 1
	}
	n, err := strconv.Atoi(s.first[c])
	return err == nil && n == start-1 && (n == 0 || n == 1)
}

// splitOf returns the split that a word names.
func splitOf(word string) (Split, bool) {
	word = strings.ToLower(word)
	i := slices.IndexFunc(splitNames[:], func(words []string) bool { return slices.Contains(words, word) })
	return Split(max(i, 0)), i >= 0
}
