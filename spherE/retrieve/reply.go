package retrieve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/spherelab/spherelab/spherE/internal/parallel"
)

// Reply is the answer to a Question. Exactly one of Answer, Combination and Relations is not nil.
type Reply struct {
	Question    Question
	Answer      *Answer      // to HEAD RELATION ? and ? RELATION TAIL
	Combination *Combination // to an expression
	Relations   *Relations   // to HEAD ? TAIL
}

// Relations ranks the relations from one entity to another.
type Relations struct {
	Head     string  `json:"head"`     // label
	Relation string  `json:"relation"` // Unknown
	Tail     string  `json:"tail"`     // label
	Cut      string  `json:"cut_name"`
	CutSlack float32 `json:"cut_slack,omitempty"`

	Facts []Fact `json:"facts"` // best first; at most Options.Limit
	Total int    `json:"total"` // relations, whatever the limit
}

// MarshalJSON returns the object of the answer with the question as its first key, "query".
func (x *Reply) MarshalJSON() ([]byte, error) {
	type question struct {
		Query string `json:"query"`
	}
	var object any
	switch q := (question{x.Question.String()}); {
	case x.Answer != nil:
		object = struct {
			question
			*Answer
		}{q, x.Answer}
	case x.Combination != nil:
		object = struct {
			Query string `json:"query"` // before the combination's own, which shows how the expression was read
			*Combination
		}{q.Query, x.Combination}
	default:
		object = struct {
			question
			*Relations
		}{q, x.Relations}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // ">" stays readable
	err := e.Encode(object)
	return b.Bytes(), err
}

// WriteText writes the reply for people.
func (x *Reply) WriteText(w io.Writer, t Text) error {
	switch {
	case x.Answer != nil:
		return x.Answer.WriteText(w, t)
	case x.Combination != nil:
		return x.Combination.WriteText(w, t)
	}
	return x.Relations.WriteText(w, t)
}

// Reply answers a question of any form. It returns the errors of Check, Answer, Evaluate and Between.
func (r *Retriever) Reply(ctx context.Context, q Question) (*Reply, error) {
	x := &Reply{Question: q}
	switch {
	case q.Expression != nil:
		s, err := r.Evaluate(ctx, q.Expression)
		if err != nil {
			return nil, err
		}
		if x.Combination, err = r.Combination(ctx, s); err != nil {
			return nil, err
		}
	case q.Between():
		pair, err := q.pair(r.graph)
		if err != nil {
			return nil, err
		}
		if x.Relations, err = r.relations(ctx, pair[0], pair[1]); err != nil {
			return nil, err
		}
	default:
		one, err := ParseQuery(r.graph, q.Head, q.Relation, q.Tail)
		if err != nil {
			return nil, err
		}
		if x.Answer, err = r.Answer(ctx, one); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (r *Retriever) relations(ctx context.Context, head, tail int32) (*Relations, error) {
	facts, err := r.Between(ctx, head, tail)
	if err != nil {
		return nil, err
	}
	x := &Relations{Head: r.graph.Label(head), Relation: Unknown, Tail: r.graph.Label(tail), Cut: r.CutName(),
		CutSlack: r.options.Slack, Facts: facts, Total: len(facts)}
	if limit := r.options.Limit; limit > 0 && len(facts) > limit {
		x.Facts = facts[:limit]
	}
	return x, nil
}

// repliesBlock is how many questions Replies answers at a time. It bounds the replies that are held in memory.
const repliesBlock = 256

// Replies answers questions on Options.Threads threads and calls each with the replies in the order of the questions,
// on the caller's goroutine. It stops at the first error: ctx's, that of each, or that of Check. Every question is
// checked before the first is answered.
func (r *Retriever) Replies(ctx context.Context, questions []Question, each func(i int, x *Reply) error) error {
	for _, q := range questions {
		if err := q.Check(r.graph); err != nil {
			return err
		}
	}
	type result struct {
		reply *Reply
		err   error
	}
	for from := 0; from < len(questions); from += repliesBlock {
		part := questions[from:min(from+repliesBlock, len(questions))]
		inner, stop := context.WithCancel(ctx)
		var failed error
		err := parallel.Ordered(inner, r.options.Threads, len(part), func() func(int) result {
			return func(i int) result {
				x, err := r.Reply(inner, part[i])
				return result{x, err}
			}
		}, func(i int, x result) {
			if failed == nil {
				if failed = x.err; failed == nil {
					failed = each(from+i, x.reply)
				}
				if failed != nil {
					stop()
				}
			}
		})
		stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
	}
	return nil
}
