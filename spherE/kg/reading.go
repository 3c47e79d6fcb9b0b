package kg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Reading is how the columns of a file are read. The zero value recognises them by what they hold.
type Reading struct {
	// Columns names the columns in one of two forms. The first has a word for each column, in their order: head,
	// relation, tail, split, or "-" for one that is left out; further columns are left out too. The second lists the
	// columns of head, relation, tail and perhaps split, by their names in the header line or by their numbers from 1.
	// "" recognises the columns. If Relation is set, Columns has nothing for the relation.
	Columns string
	// Relation is the relation of all lines, of a file that has no column for it; else "".
	Relation string
	// Quotes is QuotesCSV if a field may be in double quotes, or QuotesNone if a quote is part of the name. "" means
	// QuotesNone between tabs and spaces, and QuotesCSV between commas and semicolons.
	Quotes string
}

// The values of Reading.Quotes.
const (
	QuotesNone = "none"
	QuotesCSV  = "csv"
)

// columnWords are the words of Reading.Columns, by column.
var columnWords = []string{"head", "relation", "tail", "split"}

// leftOut is the word of Reading.Columns for a column that is left out.
const leftOut = "-"

// Fault returns the field that is wrong and why, or "" and "" if none is.
func (r Reading) Fault() (field, message string) {
	if r.Quotes != "" && r.Quotes != QuotesNone && r.Quotes != QuotesCSV {
		return "Quotes", `must be "none" or "csv", or empty`
	}
	if r.Relation != strings.TrimSpace(r.Relation) || strings.ContainsAny(r.Relation, "\n\r\x00") {
		return "Relation", "must be a name on one line, without spaces around it"
	}
	if r.Columns == "" {
		return "", ""
	}
	items, areWords := r.columns()
	count := func(word string) (n int) {
		for _, item := range items {
			if item == word {
				n++
			}
		}
		return n
	}
	const example = ", such as head,tail,relation"
	switch {
	case slices.Contains(items, ""):
		return "Columns", "names an empty column; a column that is left out is -"
	case !areWords:
		least := 3
		if r.Relation != "" {
			least = 2
		}
		if len(items) != least && len(items) != least+1 {
			return "Columns", fmt.Sprintf("must name the %d columns of %s, and may name that of the split; or have one of"+
				" the words head, relation, tail, split and - for each column%s", least,
				map[int]string{2: "head and tail", 3: "head, relation and tail"}[least], example)
		}
		for i, item := range items {
			if n, err := strconv.Atoi(item); err == nil && n < 1 || slices.Contains(items[:i], item) {
				return "Columns", "must name different columns, by names of the header line or by numbers from 1"
			}
		}
	case count("head") != 1 || count("tail") != 1 || count("split") > 1:
		return "Columns", "must have head and tail once" + example
	case r.Relation == "" && count("relation") != 1:
		return "Columns", "must have relation once" + example + "; or one relation is given for all lines"
	case r.Relation != "" && count("relation") > 0:
		return "Columns", "must not have relation, since one relation is given for all lines; - leaves a column out"
	}
	return "", ""
}

// columns splits r.Columns, and reports whether the items are words for each column.
func (r Reading) columns() (items []string, areWords bool) {
	items = strings.Split(r.Columns, ",")
	areWords = true
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
		areWords = areWords && (items[i] == leftOut || slices.Contains(columnWords, items[i]))
	}
	return items, areWords
}

// findNamed finds the columns that r.Columns names. byHeader reports whether names of the first line were used. fault
// says what is missing.
func (r Reading) findNamed(first []string) (columns [4]int, byHeader bool, fault string) {
	columns = [4]int{-1, -1, -1, -1}
	items, areWords := r.columns()
	if areWords {
		for at, item := range items {
			if c := slices.Index(columnWords, item); c >= 0 {
				columns[c] = at
			}
		}
	} else {
		roles := []int{0, 1, 2, 3}
		if r.Relation != "" {
			roles = []int{0, 2, 3}
		}
		for i, item := range items {
			at := slices.IndexFunc(first,
				func(word string) bool { return strings.EqualFold(strings.TrimSpace(word), item) })
			if n, err := strconv.Atoi(item); err == nil && at < 0 {
				at = n - 1
			} else if at < 0 {
				return columns, false, fmt.Sprintf("no column %q in the first line, which has %s", item, quotedList(first))
			} else {
				byHeader = true
			}
			columns[roles[i]] = at
		}
	}
	if last := slices.Max(columns[:]); last >= len(first) {
		return columns, byHeader, fmt.Sprintf("%s, but column %d is asked for", quantity.CountOf(len(first), "column", "columns"),
			last+1)
	}
	return columns, byHeader, ""
}

func quotedList(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strconv.Quote(word)
	}
	return strings.Join(quoted, ", ")
}
