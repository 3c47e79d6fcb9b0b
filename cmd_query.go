package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

func (a *app) queryCommand() *cobra.Command {
	q := query{app: a}
	cmd := &cobra.Command{
		Use: "query RUN HEAD RELATION '?' | query RUN '?' RELATION TAIL | query RUN HEAD '?' TAIL | " +
			"query RUN EXPRESSION | query RUN --file QUERIES",
		Short: "Answer a query with a trained model",
		Long: `Answer HEAD RELATION ? or ? RELATION TAIL with the set of entities that the model of a logged run gives.

Every answer has a mark: "known" is a fact of training or validation; "held out" is a fact of the test split alone, so it
is true although the model was made without it; "inferred" is in no split. New answers are those that are not known: held
out or inferred. The query's own entity is marked "itself" where no training fact of the relation leads from an entity to
itself; it stays in the set.

` + aboutCuts + `

HEAD ? TAIL ranks the relations by slack, the greater one of the fact's two queries.

An EXPRESSION is one argument. "HEAD > RELATION" are the tails of a head, "TAIL < RELATION" the heads of a tail, and more
hops may follow: "Max Born > advised > advised". The words and, or, minus combine such sets; different words need
brackets. Names may have spaces. A name that has one of these words or signs stands in double quotes: '"Research and
Development" > part_of'. An answer has the slack and the mark of the weakest step that leads to it.

--file reads many queries, one a line: HEAD, RELATION, TAIL with ? as HEAD or TAIL, separated by tabs (in a .csv file by
commas); - is the standard input. All are checked before the first is answered. JSON is one line for each query; CSV has
the query in its first columns.

JSON and CSV have the mark as "mark"; "known" is true where the mark is "known". JSON counts the set: known + held_out +
inferred = total. Entities outside the set that are in no split have the mark "not in the graph".
Quote the question mark, > and < for the shell.`,
		Example: `  spherelab query last "Max Born" advised '?'
  spherelab query last '?' advised "Max Born" --format json
  spherelab query last "Max Born" '?' "Pascual Jordan"
  spherelab query last "Max Born > advised > advised minus Max Born > advised"
  spherelab query last --file queries.tsv --format csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if q.file != "" {
				return arguments(1, 1)(cmd, args)
			}
			if n := len(args); n == 3 || n < 2 || n > 4 {
				return usagef("query: got %s, needs RUN and a query; usage: %s", countText(n, "argument"),
					cmd.UseLine())
			}
			return nil
		},
		RunE: q.run,
	}
	f := cmd.Flags()
	q.cuts.add(cmd)
	f.StringVar(&q.file, "file", "", "answer the queries of this `FILE`, - for the standard input")
	f.IntVar(&q.limit, "limit", 50, "list at most so many answers, best first; 0 lists all")
	f.IntVar(&q.near, "near", 5, "list so many near misses")
	addFormatFlag(cmd, &q.format, []string{"text", "json", "csv"})
	a.addDataFlag(cmd)
	return cmd
}

// query is one call of the command.
type query struct {
	*app
	cuts         cutFlags
	format, file string
	limit, near  int
}

const limitWords = "--limit 0 lists all"

func (q *query) run(cmd *cobra.Command, args []string) error {
	if err := checkFormat(q.format, []string{"text", "json", "csv"}); err != nil {
		return err
	}
	if q.limit < 0 || q.near < 0 {
		return usagef("--limit and --near must not be negative")
	}
	var expression *retrieve.Expression
	var err error
	switch len(args) {
	case 2:
		if expression, err = retrieve.ParseExpression(args[1]); err != nil {
			return usagef("the expression: %w", err)
		}
	case 4:
		unknown := 0
		for _, arg := range args[1:] {
			if arg == retrieve.Unknown {
				unknown++
			}
		}
		if unknown != 1 {
			return usagef("a query needs exactly one '?': %s; got %q %q %q", cmd.UseLine(), args[1], args[2], args[3])
		}
	}
	cut, err := q.cuts.chosen()
	if err != nil {
		return err
	}
	near := q.near
	if near == 0 {
		near = -1 // none; the retriever takes 0 for its own default
	}
	return q.withRun(cmd.Context(), args[0], func(ctx context.Context, run *experiments.TrainedRun) error {
		answer, err := q.prepare(run, args, expression)
		if err != nil {
			return err
		}
		r, err := q.retriever(ctx, run, cut, retrieve.Options{Limit: q.limit, NearMisses: near})
		if err != nil {
			return err
		}
		if err := answer(ctx, r); err != nil {
			return err
		}
		return q.noteNovel(ctx, run, r)
	})
}

// prepare looks up every name and returns what answers.
func (q *query) prepare(
	run *experiments.TrainedRun, args []string, expression *retrieve.Expression,
) (func(context.Context, *retrieve.Retriever) error, error) {
	g := run.Graph
	switch {
	case q.file != "":
		queries, err := q.read(g)
		return func(ctx context.Context, r *retrieve.Retriever) error { return q.many(ctx, run, r, queries) }, err
	case expression != nil:
		if err := expression.Check(g); err != nil {
			return nil, fmt.Errorf("the expression: %w", err)
		}
		return func(ctx context.Context, r *retrieve.Retriever) error {
			s, err := r.Evaluate(ctx, expression)
			if err != nil {
				return err
			}
			return q.write(r.Combination(s), run)
		}, nil
	case args[2] == retrieve.Unknown:
		head, err := g.FindEntity(args[1])
		if err != nil {
			return nil, err
		}
		tail, err := g.FindEntity(args[3])
		return func(ctx context.Context, r *retrieve.Retriever) error {
			facts, err := r.Between(ctx, head, tail)
			if err != nil {
				return err
			}
			if q.limit > 0 && len(facts) > q.limit {
				facts = facts[:q.limit]
			}
			return q.writeFacts(q.stdout, args[1]+" ? "+args[3], facts, run, r)
		}, err
	}
	one, err := retrieve.ParseQuery(g, args[1], args[2], args[3])
	return func(ctx context.Context, r *retrieve.Retriever) error {
		answer, err := r.Answer(ctx, one)
		if err != nil {
			return err
		}
		return q.write(answer, run)
	}, err
}

// read reads the file of queries.
func (q *query) read(g *kg.Graph) ([]kg.Query, error) {
	if q.file == "-" {
		return retrieve.ReadQueries(g, "standard input", os.Stdin)
	}
	file, err := os.Open(q.file)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return retrieve.ReadQueries(g, q.file, file)
}

// many answers queries one after the other. Every answer is written whole.
func (q *query) many(
	ctx context.Context, run *experiments.TrainedRun, r *retrieve.Retriever, queries []kg.Query,
) error {
	lines := json.NewEncoder(q.stdout)
	return r.Answers(ctx, queries, func(i int, answer *retrieve.Answer) error {
		switch q.format {
		case "json":
			return lines.Encode(answer)
		case "csv":
			return answer.WriteCSVOf(q.stdout, i == 0)
		}
		if i > 0 {
			fmt.Fprintln(q.stdout)
		}
		return q.writeAnswer(func(w io.Writer) error { return answer.WriteText(w, run.Title(), limitWords) })
	})
}

// written is an answer in its formats.
type written interface {
	WriteText(w io.Writer, model, all string) error
	WriteCSV(w io.Writer) error
}

func (q *query) write(answer written, run *experiments.TrainedRun) error {
	switch q.format {
	case "json":
		return results.WriteJSON(q.stdout, answer)
	case "csv":
		return answer.WriteCSV(q.stdout)
	}
	return q.writeAnswer(func(w io.Writer) error { return answer.WriteText(w, run.Title(), limitWords) })
}

// writeFacts writes facts with a title and the cut.
func (q *query) writeFacts(
	w io.Writer, title string, facts []retrieve.Fact, run *experiments.TrainedRun, r *retrieve.Retriever,
) error {
	switch q.format {
	case "json":
		return results.WriteJSON(w, slices.Concat([]retrieve.Fact{}, facts))
	case "csv":
		return retrieve.WriteFactsCSV(w, facts)
	}
	fmt.Fprintf(w, "%s\n\n", title)
	if err := retrieve.WriteFacts(w, facts); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s; cut %s: in the set of either query if slack >= 0\n", run.Title(), r.Options().Cut)
	return err
}
