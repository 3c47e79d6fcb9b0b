package retrieve

import (
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Question is a question to a model, as it was written: HEAD RELATION ?, ? RELATION TAIL, HEAD ? TAIL (which relations
// lead from one entity to another), or an expression.
type Question struct {
	Head, Relation, Tail string      // one of them is Unknown; all are "" for an expression
	Expression           *Expression // nil for the other forms
	text                 string      // of the expression
}

// questionForms is the remedy in error messages of questions.
const questionForms = `a question is HEAD RELATION ?, ? RELATION TAIL, HEAD ? TAIL, or an expression such as "HEAD > RELATION"`

// ParseQuestion reads a question from its fields: HEAD, RELATION and TAIL, or an expression alone. Names are not looked
// up, see Check. The error of an expression is an *ExpressionError.
func ParseQuestion(fields ...string) (Question, error) {
	switch len(fields) {
	case 1:
		x, err := ParseExpression(fields[0])
		if err != nil && !strings.ContainsAny(fields[0], "<>") {
			return Question{}, fmt.Errorf("%s; got the one field %q", questionForms, fields[0])
		}
		return Question{Expression: x, text: strings.TrimSpace(fields[0])}, err
	case 3:
		q := Question{Head: fields[0], Relation: fields[1], Tail: fields[2]}
		unknown := 0
		for _, field := range fields {
			switch field {
			case Unknown:
				unknown++
			case "":
				return q, fmt.Errorf("%s; got an empty field in %q %q %q", questionForms, q.Head, q.Relation, q.Tail)
			}
		}
		if unknown != 1 {
			return q, fmt.Errorf("a question needs exactly one '?'; %s; got %q %q %q", questionForms, q.Head, q.Relation,
				q.Tail)
		}
		return q, nil
	}
	return Question{}, fmt.Errorf("%s; got %d fields", questionForms, len(fields))
}

// String returns the question as it was written, its fields separated by spaces.
func (q Question) String() string {
	if q.Expression != nil {
		return q.text
	}
	return q.Head + " " + q.Relation + " " + q.Tail
}

// Between reports whether the question is HEAD ? TAIL.
func (q Question) Between() bool { return q.Expression == nil && q.Relation == Unknown }

// Check looks up every name. For one that the graph does not have the error offers the nearest names.
func (q Question) Check(g *kg.Graph) error {
	switch {
	case q.Expression != nil:
		return q.Expression.Check(g)
	case q.Between():
		_, err := q.pair(g)
		return err
	}
	_, err := ParseQuery(g, q.Head, q.Relation, q.Tail)
	return err
}

// pair returns the entities of HEAD ? TAIL.
func (q Question) pair(g *kg.Graph) (pair [2]int32, err error) {
	for i, name := range []string{q.Head, q.Tail} {
		if pair[i], err = g.FindEntity(name); err != nil {
			return pair, err
		}
	}
	return pair, nil
}

// AsExpression is the question as an expression: HEAD RELATION ? and ? RELATION TAIL are expressions of one hop. HEAD ?
// TAIL, whose answers are relations, is an error.
func (q Question) AsExpression() (*Expression, error) {
	switch {
	case q.Expression != nil:
		return q.Expression, nil
	case q.Between():
		return nil, fmt.Errorf("%s asks for relations; only questions for entities can be measured", q)
	case q.Tail == Unknown:
		return &Expression{kind: hopTail, name: q.Relation, left: &Expression{name: q.Head}}, nil
	}
	return &Expression{kind: hopHead, name: q.Relation, left: &Expression{name: q.Tail}}, nil
}
