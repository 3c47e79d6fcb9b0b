package retrieve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// brackets writes an expression with all brackets.
func (x *Expression) brackets() string {
	switch x.kind {
	case leaf:
		return fmt.Sprintf("%q", x.name)
	case hopTail:
		return fmt.Sprintf("(%s > %q)", x.left.brackets(), x.name)
	case hopHead:
		return fmt.Sprintf("(%s < %q)", x.left.brackets(), x.name)
	}
	return fmt.Sprintf("(%s %s %s)", x.left.brackets(), [...]string{and: "and", or: "or", minus: "minus"}[x.kind],
		x.right.brackets())
}

func TestParseExpression(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Max Born > advised":                     `("Max Born" > "advised")`,
		" Max  Born>advised <met by":             `(("Max Born" > "advised") < "met by")`,
		"a > r and b < r and c > r":              `((("a" > "r") and ("b" < "r")) and ("c" > "r"))`,
		"(a > r or b > r) > q minus ((c < q))":   `((((` + `"a" > "r") or ("b" > "r")) > "q") minus ("c" < "q"))`,
		`"Trinidad and \"Tobago\" \\" > "r > s"`: `("Trinidad and \"Tobago\" \\" > "r > s")`,
		"Göttingen < android":                    `("Göttingen" < "android")`,
	} {
		x, err := ParseExpression(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := x.brackets(); got != want {
			t.Errorf("%s is read as %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"":                         "character 1: found the end, expected the name of an entity or a bracket",
		"a":                        "character 2: found the end, expected \">\"",
		"é é and b > r":            `character 5: found "and", expected ">"`,
		"a >":                      "character 4: found the end, expected the name of a relation",
		"a > > r":                  `character 5: found ">"`,
		"a > r and b > r or c > r": `character 17: "or" after "and" needs brackets`,
		"(a > r":                   "character 7: found the end, expected a closing bracket",
		"a > r)":                   `character 6: found ")", expected an operator`,
		`"a > r`:                   "character 1: the quote is not closed",
		`a > "r" s`:                `character 9: found "s", expected an operator`,
		"a > and":                  `character 5: found "and", expected the name of a relation`,
		"\xff > r":                 "not UTF-8",
		strings.Repeat("(", 200):   "more than 100 brackets",

		"a" + strings.Repeat(" > r", 4000): "at most 400 names",
	} {
		_, err := ParseExpression(text)
		var wrong *ExpressionError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// TestEvaluate compares expressions with the operations they stand for, and one hop with Answer.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	r := mustNew(t, smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2}), g, Options{Limit: 2, Slack: -1})
	knows, err := g.FindRelation("rel0")
	expect.NoError(t, err)
	set := func(side kg.Side, name string) *ScoredSet {
		e, err := g.FindEntity(name)
		expect.NoError(t, err)
		s, err := r.ScoredSet(t.Context(), kg.Query{Side: side, Known: e, Relation: knows})
		expect.NoError(t, err)
		return s
	}
	a, b := set(kg.TailSide, "person00"), set(kg.HeadSide, "person01")
	hop, err := a.Hop(t.Context(), kg.TailSide, knows)
	expect.NoError(t, err)
	combined := func(of func(context.Context, *ScoredSet) (*ScoredSet, error)) *ScoredSet {
		s, err := of(t.Context(), b)
		expect.NoError(t, err)
		return s
	}
	either := combined(a.Or)
	back, err := either.Hop(t.Context(), kg.HeadSide, knows)
	expect.NoError(t, err)
	for text, want := range map[string]*ScoredSet{
		"person00 > rel0": a, "person01 < rel0": b, "person00 > rel0 > rel0": hop,
		"person00 > rel0 and person01 < rel0": combined(a.And),
		"person00 > rel0 or person01 < rel0":  either, "person00 > rel0 minus person01 < rel0": combined(a.Minus),
		"(person00 > rel0 or person01 < rel0) < rel0": back,
	} {
		x, err := ParseExpression(text)
		expect.NoError(t, err)
		got, err := r.Evaluate(t.Context(), x)
		expect.NoError(t, err)
		if !slices.Equal(got.Members, want.Members) || !slices.Equal(got.Scores, want.Scores) ||
			!slices.Equal(got.Marks, want.Marks) ||
			got.Query != want.Query {
			t.Errorf("%s is %+v, want %+v", text, got, want)
		}
		checkParts(t, text, got, a, b)
		c, err := r.Combination(t.Context(), got)
		expect.NoError(t, err)
		if c.Total != len(got.Members) || len(c.Set) != min(2, c.Total) {
			t.Errorf("%s: %d members listed of %d", text, len(c.Set), c.Total)
		}
	}
	known, err := g.FindEntity("person00")
	expect.NoError(t, err)
	answer, err := r.Answer(t.Context(), kg.Query{Side: kg.TailSide, Known: known, Relation: knows})
	expect.NoError(t, err)
	if a.Counts() != answer.Counts {
		t.Errorf("counts %+v, the answer's are %+v", a.Counts(), answer.Counts)
	}
	for text, want := range map[string]string{"person00 > rel0 and nobody > rel0": "character 21: ",
		"person00 > rel0 > nothing": "character 19: "} {
		x, err := ParseExpression(text)
		expect.NoError(t, err)
		var missing *kg.NotFoundError
		if _, err := r.Evaluate(t.Context(), x); !errors.As(err, &missing) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// checkParts: a combination of two queries, a and b, rests on facts of both, of the better one, or of the first.
func checkParts(t *testing.T, text string, got, a, b *ScoredSet) {
	t.Helper()
	x, err := a.Comparable(t.Context())
	expect.NoError(t, err)
	y, err := b.Comparable(t.Context())
	expect.NoError(t, err)
	for e := range int32(len(got.In)) {
		one, two := a.of.Triple(e), b.of.Triple(e)
		var want []kg.Triple
		switch {
		case strings.ContainsAny(text, "()") || strings.Count(text, ">") == 2:
			return // TestHopMatchesTwin has paths
		case strings.Contains(text, " and "):
			want = []kg.Triple{one, two}
		case strings.Contains(text, " or ") && y.Scores[e] > x.Scores[e]:
			want = []kg.Triple{two}
		case strings.HasPrefix(text, "person01"):
			want = []kg.Triple{two}
		default:
			want = []kg.Triple{one}
		}
		var facts []kg.Triple
		for _, bound := range got.Bindings(e) {
			facts = append(facts, bound.Triple)
		}
		if !slices.Equal(facts, want) {
			t.Errorf("%s: entity %d rests on %v, want %v", text, e, facts, want)
		}
	}
}

func FuzzParseExpression(f *testing.F) {
	for _, text := range []string{"a > r", `("a b" > r minus b < s) > t`, "a > r and (b > r or c > r)", `"\\\"" < "x"`,
		"((", `"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := ParseExpression(text)
		var wrong *ExpressionError
		switch {
		case err == nil: // an expression with all brackets means the same
			if strings.Contains(x.brackets(), `\`) {
				return // %q escapes more than expressions do
			}
			again, err := ParseExpression(x.brackets())
			if strings.Count(x.brackets(), "(") > deepest {
				return
			}
			if err != nil || again.brackets() != x.brackets() {
				t.Errorf("%q is %s, which is read as %v", text, x.brackets(), err)
			}
		case !errors.As(err, &wrong) || wrong.At < 1 || wrong.At > len([]rune(text))+1:
			t.Errorf("%q: error %v", text, err)
		}
	})
}
