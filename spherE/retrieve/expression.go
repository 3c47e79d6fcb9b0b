package retrieve

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Expression is a combination of queries, for example
//
//	Max Born > advised > advised and (Wolfgang Pauli > advised minus Physics < studied)
//
// "E > r" is what E has the relation r to, "E < r" what has the relation r to E; E is the name or label of an entity,
// or an expression in brackets. "and", "or" and "minus" combine sets. Different ones need brackets; equal ones are
// evaluated from the left. A name may have spaces. In double quotes it may also be one of these words or signs; there
// \" and \\ stand for a quote and a backslash.
type Expression struct {
	kind        kind
	left, right *Expression
	name        string // of an entity (leaf) or a relation (hop)
	at          int    // character in the text, from 1
}

type kind int

const (
	leaf kind = iota
	hopTail
	hopHead
	and
	or
	minus
)

// operators are the words that combine sets.
var operators = map[string]kind{"and": and, "or": or, "minus": minus}

// ExpressionError is an error in an expression, with its place.
type ExpressionError struct {
	At  int // character, from 1
	Err error
}

func (e *ExpressionError) Error() string { return fmt.Sprintf("character %d: %v", e.At, e.Err) }
func (e *ExpressionError) Unwrap() error { return e.Err }

// token is a sign, an operator or a name; the last one has the text "".
type token struct {
	text   string
	at     int
	isName bool
}

func (t token) String() string {
	if t.text == "" && !t.isName {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

// scan splits a text into tokens. Words that follow each other are one name.
func scan(text string) ([]token, error) {
	var list []token
	runes := []rune(text)
	special := func(c rune) bool { return strings.ContainsRune(`()<>"`, c) || unicode.IsSpace(c) }
	joined := false // the last token is a name of words, without quotes
	for i := 0; i < len(runes); {
		c, at := runes[i], i+1
		switch {
		case unicode.IsSpace(c):
			i++
		case c == '"':
			var name strings.Builder
			for i++; i < len(runes) && runes[i] != '"'; i++ {
				if runes[i] == '\\' && i+1 < len(runes) && (runes[i+1] == '"' || runes[i+1] == '\\') {
					i++
				}
				name.WriteRune(runes[i])
			}
			if i == len(runes) {
				return nil, &ExpressionError{at, fmt.Errorf("the quote is not closed")}
			}
			i++
			list, joined = append(list, token{name.String(), at, true}), false
		case special(c):
			list, joined = append(list, token{string(c), at, false}), false
			i++
		default:
			start := i
			for i < len(runes) && !special(runes[i]) {
				i++
			}
			word := string(runes[start:i])
			_, isOperator := operators[word]
			switch {
			case isOperator:
				list, joined = append(list, token{word, at, false}), false
			case joined:
				list[len(list)-1].text += " " + word
			default:
				list, joined = append(list, token{word, at, true}), true
			}
		}
	}
	return append(list, token{at: len(runes) + 1}), nil
}

// maxTokens is the largest number of names and operators of an expression: each takes as long as an answer.
const maxTokens = 400

// deepest is the largest number of open brackets.
const deepest = 100

// parser reads tokens from the front.
type parser struct {
	tokens []token
	depth  int
}

// ParseExpression reads an expression. Names are not looked up. The error is an *ExpressionError.
func ParseExpression(text string) (*Expression, error) {
	if !utf8.ValidString(text) {
		return nil, &ExpressionError{1, fmt.Errorf("the text is not UTF-8")}
	}
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	if len(tokens) > maxTokens {
		return nil, &ExpressionError{tokens[maxTokens].at,
			fmt.Errorf("an expression has at most %d names and operators", maxTokens)}
	}
	p := &parser{tokens: tokens}
	x, err := p.combination()
	if err != nil {
		return nil, err
	}
	if t := p.tokens[0]; t.text != "" || t.isName {
		return nil, p.wrong("an operator (and, or, minus) or the end")
	}
	return x, nil
}

func (p *parser) next() token {
	t := p.tokens[0]
	if len(p.tokens) > 1 {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) sign(text string) bool { return !p.tokens[0].isName && p.tokens[0].text == text }

func (p *parser) wrong(want string) error {
	return &ExpressionError{p.tokens[0].at, fmt.Errorf("found %v, expected %s", p.tokens[0], want)}
}

// combination reads PATH { OPERATOR PATH }.
func (p *parser) combination() (*Expression, error) {
	x, err := p.path()
	first := ""
	for err == nil {
		t := p.tokens[0]
		k, ok := operators[t.text]
		if t.isName || !ok {
			return x, nil
		}
		if first != "" && first != t.text {
			err := fmt.Errorf("%q after %q needs brackets, to decide what is evaluated first", t.text, first)
			return nil, &ExpressionError{t.at, err}
		}
		first = p.next().text
		var y *Expression
		if y, err = p.path(); err == nil {
			x = &Expression{kind: k, left: x, right: y, at: t.at}
		}
	}
	return nil, err
}

// path reads (NAME | BRACKETS) { > RELATION | < RELATION }. After a name at least one relation must follow.
func (p *parser) path() (*Expression, error) {
	var x *Expression
	switch {
	case p.sign("("):
		if p.depth++; p.depth > deepest {
			return nil, &ExpressionError{p.tokens[0].at, fmt.Errorf("more than %d brackets are open", deepest)}
		}
		p.next()
		var err error
		if x, err = p.combination(); err != nil {
			return nil, err
		}
		if !p.sign(")") {
			return nil, p.wrong("a closing bracket")
		}
		p.next()
		p.depth--
	case p.tokens[0].isName:
		t := p.next()
		x = &Expression{kind: leaf, name: t.text, at: t.at}
		if !p.sign(">") && !p.sign("<") {
			return nil, p.wrong(`">" or "<" and a relation`)
		}
	default:
		return nil, p.wrong("the name of an entity or a bracket")
	}
	for p.sign(">") || p.sign("<") {
		k := hopTail
		if p.next().text == "<" {
			k = hopHead
		}
		if !p.tokens[0].isName {
			return nil, p.wrong("the name of a relation")
		}
		t := p.next()
		x = &Expression{kind: k, left: x, name: t.text, at: t.at}
	}
	return x, nil
}

// Check looks up every name of the expression. The error is an *ExpressionError; for a name that the graph does not
// have it offers the nearest names.
func (x *Expression) Check(g *kg.Graph) error {
	var err error
	switch x.kind {
	case leaf:
		_, err = g.FindEntity(x.name)
	case hopTail, hopHead:
		if err := x.left.Check(g); err != nil {
			return err
		}
		_, err = g.FindRelation(x.name)
	default:
		if err := x.left.Check(g); err != nil {
			return err
		}
		return x.right.Check(g)
	}
	if err != nil {
		return &ExpressionError{x.at, err}
	}
	return nil
}

// Evaluate answers an expression. A single query is answered as by ScoredSet. It returns the errors of Check, Answer
// and ScoredSet.Hop.
func (r *Retriever) Evaluate(ctx context.Context, x *Expression) (*ScoredSet, error) {
	if err := x.Check(r.graph); err != nil {
		return nil, err
	}
	return r.evaluate(ctx, x)
}

func (r *Retriever) evaluate(ctx context.Context, x *Expression) (*ScoredSet, error) {
	if x.kind == hopTail || x.kind == hopHead {
		side := kg.TailSide
		if x.kind == hopHead {
			side = kg.HeadSide
		}
		relation, err := r.graph.FindRelation(x.name)
		if err != nil {
			return nil, err
		}
		if x.left.kind == leaf {
			known, err := r.graph.FindEntity(x.left.name)
			if err != nil {
				return nil, err
			}
			return r.ScoredSet(ctx, kg.Query{Side: side, Known: known, Relation: relation})
		}
		s, err := r.evaluate(ctx, x.left)
		if err != nil {
			return nil, err
		}
		return s.Hop(ctx, side, relation)
	}
	a, err := r.evaluate(ctx, x.left)
	if err != nil {
		return nil, err
	}
	b, err := r.evaluate(ctx, x.right)
	if err != nil {
		return nil, err
	}
	var s *ScoredSet
	switch x.kind {
	case and:
		s, err = a.And(ctx, b)
	case or:
		s, err = a.Or(ctx, b)
	default:
		return a.without(ctx, b)
	}
	if err != nil {
		return nil, err
	}
	return s.chosen(ctx)
}

// without is the answers to one question that are none to another: with probabilities each has its own times that of
// not being one of o, and these choose the set; else it is Minus.
func (s *ScoredSet) without(ctx context.Context, o *ScoredSet) (*ScoredSet, error) {
	b, err := o.Comparable(ctx)
	if err != nil {
		return nil, err
	}
	if b.Scale != OfProbability {
		return s.Minus(ctx, o)
	}
	d, err := s.combined(ctx, b, minus, "but not", func(d, _, b *ScoredSet, e int) {
		if d.Scores[e] > 0 && b.Scores[e] > 0 {
			d.Scores[e] = float64(d.Scores[e] * (1 - b.Scores[e]))
		}
	})
	if err != nil {
		return nil, err
	}
	return d.chosen(ctx)
}

// chosen is the combination of two answers with the members that its own probabilities choose, as at the end of a path;
// the combination itself where it has none.
func (s *ScoredSet) chosen(ctx context.Context) (*ScoredSet, error) {
	steps, err := s.retriever.steps(ctx)
	if err != nil || steps == nil {
		return s, err
	}
	for e, x := range s.Scores {
		s.In[e] = x == 1 && s.Marks[e] == Known
	}
	s.takeIn(steps)
	return s.sorted(), nil
}
