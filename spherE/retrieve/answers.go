package retrieve

import (
	"context"

	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/kg"
)

// answersBlock is how many queries Answers has under way, which bounds the answers that it holds.
const answersBlock = 256

// Answers answers queries on Options.Threads threads and calls each with the answers in the order of the queries, on
// the
// caller's goroutine. It stops at the first error, which is ctx's, that of each, or says that a query has ids that the
// graph does not have; then nothing is answered.
func (r *Retriever) Answers(ctx context.Context, queries []kg.Query, each func(i int, a *Answer) error) error {
	for _, q := range queries {
		if err := r.checkQuery(q); err != nil {
			return err
		}
	}
	type result struct {
		answer *Answer
		err    error
	}
	for from := 0; from < len(queries); from += answersBlock {
		part := queries[from:min(from+answersBlock, len(queries))]
		inner, stop := context.WithCancel(ctx)
		var failed error
		err := parallel.Ordered(inner, r.options.Threads, len(part), func() func(int) result {
			return func(i int) result {
				a, err := r.Answer(inner, part[i])
				return result{a, err}
			}
		}, func(i int, x result) {
			if failed == nil {
				if failed = x.err; failed == nil {
					failed = each(from+i, x.answer)
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
