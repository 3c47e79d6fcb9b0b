// Package filter reads MLflow's filter language, in which its clients and the pages search for runs and experiments,
// and makes SQL of it. Texts of filters are arguments of statements, never SQL.
package filter

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// entity is the kind of thing that a comparison is about.
type entity string

const (
	attribute entity = "attribute"
	metric    entity = "metric"
	param     entity = "parameter"
	tag       entity = "tag"
	dataset   entity = "dataset"
)

// entities has the words for each entity, including MLflow's alternative spellings.
var entities = map[string]entity{"attribute": attribute, "attributes": attribute, "attr": attribute, "run": attribute,
	"metric": metric, "metrics": metric, "parameter": param, "parameters": param, "param": param, "params": param,
	"tag": tag, "tags": tag, "dataset": dataset, "datasets": dataset}

// The operators that an entity takes.
var (
	ofNumbers = []string{"=", "!=", ">", ">=", "<", "<="}
	ofTexts   = []string{"=", "!=", "LIKE", "ILIKE", "IN", "NOT IN"}
	ofPairs   = []string{"=", "!=", "LIKE", "ILIKE", "IS NULL", "IS NOT NULL"}
)

// Words are the names that filters and orders may use.
type Words struct {
	entities []entity
	texts    []string          // attributes
	numbers  []string          // attributes
	aliases  map[string]string // other names of attributes
	lists    []string          // text attributes that IN takes
}

// Runs are the words of filters and orders of runs.
var Runs = Words{
	entities: []entity{attribute, metric, param, tag, dataset},
	texts:    []string{"run_id", "run_name", "user_id", "status", "artifact_uri"},
	numbers:  []string{"start_time", "end_time"},
	aliases: map[string]string{"created": "start_time", "Created": "start_time", "run name": "run_name",
		"Run name": "run_name", "Run Name": "run_name"},
	lists: []string{"run_id"},
}

// Experiments are the words of filters and orders of experiments.
var Experiments = Words{
	entities: []entity{attribute, tag},
	texts:    []string{"name", "experiment_id"},
	numbers:  []string{"creation_time", "last_update_time"},
	lists:    []string{"experiment_id"},
}

var datasetAttributes = []string{"name", "digest", "context"}

// field is what is compared or ordered by.
type field struct {
	entity entity
	key    string
}

func (v Words) isNumber(f field) bool {
	return f.entity == metric || f.entity == attribute && slices.Contains(v.numbers, f.key)
}

// Comparison is one condition of a filter.
type Comparison struct {
	field
	operator string
	text     string
	number   float64
	list     []string
}

// Metric returns the metric that a comparison is about, "" if it is about something else.
func (c Comparison) Metric() string {
	if c.entity != metric {
		return ""
	}
	return c.key
}

// Error is an error in a filter or an order.
type Error struct{ message string }

func (e *Error) Error() string { return e.message }

func invalid(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// longestFilter is the max length of filters and orders, in bytes. MLflow leaves this limit to its web server.
const longestFilter = 64 << 10

// maxComparisons bounds a filter: each is a subquery, and the database plans a thousand of them for minutes.
const maxComparisons = 100

// Parse reads a filter in MLflow's language: comparisons joined by AND.
func Parse(text string, words Words) ([]Comparison, error) {
	p, err := newParser(text, words)
	if err != nil {
		return nil, err
	}
	var all []Comparison
	if p.now().kind == tokenEnd {
		return nil, nil
	}
	for {
		c, err := p.comparison()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if p.now().kind == tokenEnd {
			return all, nil
		}
		if len(all) == maxComparisons {
			return nil, invalid("the filter has more than %d comparisons", maxComparisons)
		}
		if !p.keyword("AND") {
			return nil, p.wrong("AND, the only way to join comparisons,")
		}
	}
}

// Is reports whether the text of a search is meant as a filter, and not as words to look for: it has a comparison, a
// quote or a list, or begins with metrics., params. or tags. Every filter has or does.
func Is(text string) bool {
	if strings.ContainsAny(text, "=<>!'\"`()") {
		return true
	}
	word, _, dotted := strings.Cut(strings.TrimSpace(text), ".")
	return dotted && entities[word] != "" && entities[word] != attribute
}

// parser reads tokens one after the other.
type parser struct {
	text   string
	words  Words
	tokens []token
	next   int
}

func newParser(text string, words Words) (*parser, error) {
	if len(text) > longestFilter {
		return nil, invalid("the filter has %d bytes; at most %d are read", len(text), longestFilter)
	}
	tokens, err := scan(text)
	return &parser{text: text, words: words, tokens: tokens}, err
}

func (p *parser) now() token { return p.tokens[p.next] }

// take returns the current token and moves to the next. It stays at the last one.
func (p *parser) take() token {
	t := p.now()
	if t.kind != tokenEnd {
		p.next++
	}
	return t
}

// keyword moves to the next token if the current one is this word, in any case.
func (p *parser) keyword(word string) bool {
	if t := p.now(); t.kind != tokenWord || !strings.EqualFold(t.text, word) {
		return false
	}
	p.next++
	return true
}

// wrong returns an error with what was expected at the current token.
func (p *parser) wrong(expected string) error {
	t := p.now()
	if t.kind == tokenEnd {
		return invalid("the filter %.200q ends where %s is expected", p.text, expected)
	}
	rest := p.text[t.at:]
	if len(rest) > 40 {
		rest = rest[:40] + "..."
	}
	return invalid("%s is expected at position %d of the filter, not %q", expected, t.at+1, rest)
}

func (p *parser) comparison() (c Comparison, err error) {
	if c.field, err = p.field(); err != nil {
		return c, err
	}
	allowed := p.operators(c.field)
	before := p.next
	if c.operator = p.operator(); !slices.Contains(allowed, c.operator) {
		p.next = before
		return c, p.wrong("one of " + strings.Join(allowed, ", ") + " after " + string(c.entity) + " " +
			strconv.Quote(c.key))
	}
	switch c.operator {
	case "IS NULL", "IS NOT NULL":
		return c, nil
	case "IN", "NOT IN":
		c.list, err = p.list()
		return c, err
	}
	value := p.take()
	switch {
	case p.words.isNumber(c.field):
		number, ok := numberOf(value)
		if !ok {
			p.next--
			return c, p.wrong("a number for " + string(c.entity) + " " + strconv.Quote(c.key))
		}
		c.number = number
	case value.kind != tokenText:
		if value.kind != tokenEnd {
			p.next--
		}
		return c, p.wrong("a text in quotes for " + string(c.entity) + " " + strconv.Quote(c.key))
	default:
		c.text = value.text
	}
	return c, nil
}

var numberPattern = regexp.MustCompile(`^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$`)

func numberOf(t token) (float64, bool) {
	if t.kind != tokenWord || !numberPattern.MatchString(t.text) {
		return 0, false
	}
	x, err := strconv.ParseFloat(t.text, 64)
	return x, err == nil
}

// operators returns the operators of a field.
func (p *parser) operators(f field) []string {
	switch {
	case p.words.isNumber(f):
		return ofNumbers
	case f.entity == param, f.entity == tag:
		return ofPairs
	case f.entity == attribute && !slices.Contains(p.words.lists, f.key):
		return ofTexts[:4]
	}
	return ofTexts
}

// operator reads an operator of one or several words, "" if there is none.
func (p *parser) operator() string {
	if p.now().kind == tokenOperator {
		return p.take().text
	}
	for _, word := range []string{"LIKE", "ILIKE", "IN"} {
		if p.keyword(word) {
			return word
		}
	}
	switch {
	case p.keyword("NOT"):
		if p.keyword("IN") {
			return "NOT IN"
		}
	case p.keyword("IS"):
		not := p.keyword("NOT")
		if p.keyword("NULL") {
			if not {
				return "IS NOT NULL"
			}
			return "IS NULL"
		}
	}
	return ""
}

// field reads what is compared: tags.k, tags."k", k (an attribute).
func (p *parser) field() (f field, err error) {
	t := p.now()
	if t.kind != tokenWord && t.kind != tokenKey {
		return f, p.wrong("a name such as metrics.loss or tags.`a name`")
	}
	entityWord, key, dotted := strings.Cut(t.text, ".")
	if t.kind == tokenKey {
		if key != "" { // tags.a.`b`
			return f, p.wrong("a name that is quoted as a whole")
		}
		key = t.quoted
		dotted = t.text != ""
	}
	if !dotted {
		if t.kind == tokenWord {
			key = entityWord
		}
		entityWord = "attribute"
	}
	known, ok := entities[strings.Trim(entityWord, "`")]
	if !ok || !slices.Contains(p.words.entities, known) {
		return f, p.wrong("one of " + joinEntities(p.words.entities) + " before the dot")
	}
	f = field{known, key}
	switch known {
	case attribute:
		if name, ok := p.words.aliases[key]; ok {
			f.key = name
		}
		if !slices.Contains(p.words.texts, f.key) && !slices.Contains(p.words.numbers, f.key) {
			return f, p.wrong("an attribute, one of " +
				strings.Join(slices.Concat(p.words.texts, p.words.numbers), ", ") + ",")
		}
	case dataset:
		if !slices.Contains(datasetAttributes, key) {
			return f, p.wrong("one of dataset." + strings.Join(datasetAttributes, ", dataset."))
		}
	}
	if f.key == "" {
		return f, p.wrong("a name behind the dot")
	}
	p.next++
	return f, nil
}

func joinEntities(list []entity) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = string(e)
	}
	return strings.Join(names, ", ")
}

// list reads ('a', 'b').
func (p *parser) list() ([]string, error) {
	if t := p.now(); t.kind != tokenMark || t.text != "(" {
		return nil, p.wrong("a list in parentheses")
	}
	p.next++
	var list []string
	for {
		if p.now().kind != tokenText {
			return nil, p.wrong("a text in quotes in the list")
		}
		list = append(list, p.take().text)
		t := p.now()
		if t.kind != tokenMark || t.text == "(" {
			return nil, p.wrong(", or )")
		}
		p.next++
		if t.text == ")" {
			return list, nil
		}
		if end := p.now(); end.kind == tokenMark && end.text == ")" { // ('a',) as Python writes it
			p.next++
			return list, nil
		}
	}
}

// Order is a field to order by.
type Order struct {
	field
	isDescending bool
}

// ParseOrder reads one item of order_by: metrics.loss DESC.
func ParseOrder(text string, words Words) (o Order, err error) {
	p, err := newParser(text, words)
	if err != nil {
		return o, err
	}
	if o.field, err = p.field(); err != nil {
		return o, err
	}
	if o.entity == dataset {
		return o, invalid("runs cannot be ordered by datasets")
	}
	if o.isDescending = p.keyword("DESC"); !o.isDescending {
		p.keyword("ASC")
	}
	if p.now().kind != tokenEnd {
		return o, p.wrong("ASC or DESC, and nothing else,")
	}
	return o, nil
}
