package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

func (a *app) queryCommand() *cobra.Command {
	q := query{app: a}
	cmd := &cobra.Command{
		Use: "query RUN HEAD RELATION '?' | query RUN '?' RELATION TAIL | query RUN HEAD '?' TAIL | " +
			"query RUN EXPRESSION | query RUN --file QUESTIONS",
		Short: "Answer a query with a trained model",
		Long: `Answer HEAD RELATION ? or ? RELATION TAIL with the set of entities that the model of a logged run returns.

In the place of RUN there may be a graph, as train takes it: a file of triples, a folder or a data set. The best finished
run on it answers; without any, one is made in seconds, of a model that needs no training.

Every answer has a mark: "known" is a fact of training or validation; "held out" is a fact of the test split alone, so it
is true although the model was made without it; "inferred" is in no split. New answers are those that are not known: held
out or inferred. The query's own entity is marked "itself" where no training fact of the relation leads from an entity to
itself; it stays in the set.

` + aboutCuts() + `

HEAD ? TAIL ranks the relations: known facts first, then by probability, with fewer than 10 validation facts by score.

An EXPRESSION is one argument. "HEAD > RELATION" are the tails of a head, "TAIL < RELATION" the heads of a tail, and more
hops may follow: "Max Born > advised > advised". The words and, or, minus combine them; different words need brackets.
Names may have spaces. A name that has one of these words or signs stands in double quotes: '"Research and Development" >
part_of'. Known facts are always followed. An answer has the probability of its best path and the mark of its weakest
step; the set is chosen by the probability of the whole.

--seen leaves out new answers that training never has on that side of the relation, --types those that share no type with
any that it has. On FB15k-237 24 % of the test heads and 10 % of the tails were never there, so neither is the default.

--file reads many questions of any form, one a line: HEAD, RELATION and TAIL with one ?, or an expression alone. Tabs
separate the fields, in a .csv file commas; - is the standard input. All are checked before the first is answered. JSON
is one line for each question, with the question as "query". CSV has the question in its first columns (query, head,
relation, tail); a column that a form of question lacks is empty. HEAD ? TAIL is answered by relations.

JSON and CSV have the mark as "mark"; "known" is true where the mark is "known". JSON counts the set: known + held_out +
inferred = total. Entities outside the set that are in no split have the mark "not in the graph".
Quote the question mark, > and < for the shell.`,
		Example: `  spherelab query last "Max Born" advised '?'
  spherelab query last '?' advised "Max Born" --format json
  spherelab query last "Max Born" '?' "Pascual Jordan"
  spherelab query last "Max Born > advised > advised minus Max Born > advised"
  spherelab query last --file questions.tsv --format csv
  spherelab query family.csv Ann mother_of '?'`,
		Args: q.arguments,
		RunE: q.run,
	}
	f := cmd.Flags()
	q.cuts.add(cmd)
	f.BoolVar(&q.seen, "seen", false, "new answers only among the entities that the relation has on that side in training")
	f.BoolVar(&q.typed, "types", false,
		"new answers only among entities that share a type with one of those; types are from types.tsv or rdf:type")
	markExclusive(cmd, "--seen takes fewer entities", "seen", "types")
	f.StringVar(&q.file, "file", "", "answer the questions of this `FILE`, - for the standard input")
	f.Var(countValue(&q.limit, 50, 0), "limit", "list at most this many answers, best first; 0 lists all")
	f.Var(countValue(&q.near, 5, 0), "near", "list this many near misses")
	addFormatFlag(cmd, &q.format, withCSV)
	a.addDataFlag(cmd)
	return cmd
}

// arguments refuses what is neither a question nor, with --file, a run alone.
func (q *query) arguments(cmd *cobra.Command, args []string) error {
	if q.file != "" {
		return arguments(1, 1)(cmd, args)
	}
	if n := len(args); n == 3 || n < 2 || n > 4 {
		return usagef("query: got %s, needs RUN and a query; usage: %s", quantity.Count(n, "argument"), cmd.UseLine())
	}
	return nil
}

// query is one execution of the command.
type query struct {
	*app
	cuts         cutFlags
	format, file string
	limit, near  int
	seen, typed  bool
}

func (q *query) run(cmd *cobra.Command, args []string) error {
	var question retrieve.Question
	if q.file == "" {
		var err error
		if question, err = retrieve.ParseQuestion(args[1:]...); err != nil {
			return usagef("query: %w", err)
		}
	}
	if q.file != "" && q.cuts.slack != 0 {
		return slackAcross("--file")
	}
	cut, err := q.cuts.chosen()
	if err != nil {
		return err
	}
	switch {
	case q.seen:
		cut.Among = retrieve.AmongSeen
	case q.typed:
		cut.Among = retrieve.AmongType
	}
	near := q.near
	if near == 0 {
		near = -1 // no near misses; for the retriever, 0 means its own default
	}
	return q.withRun(cmd.Context(), args[0], func(g *kg.Graph) error {
		if q.file != "" {
			return nil // the standard input is read once
		}
		return question.Check(g)
	}, func(ctx context.Context, run *answer.Run) error {
		questions, err := q.questions(run.Graph, question)
		if err != nil {
			return err
		}
		r, err := q.retriever(ctx, run, cut, retrieve.Options{Limit: q.limit, NearMisses: near})
		if err != nil {
			return err
		}
		q.noteCut(run, cut)
		if note := run.TypesNote(cut); note != "" {
			fmt.Fprintln(q.stderr, "note: "+note)
		}
		err = r.Replies(ctx, questions, func(i int, x *retrieve.Reply) error { return q.write(i, x, run.Title()) })
		if err != nil {
			return err
		}
		return q.noteNovel(ctx, run, r)
	})
}

// questions returns the questions of the file, or the one in the arguments. Every name is looked up.
func (q *query) questions(g *kg.Graph, one retrieve.Question) ([]retrieve.Question, error) {
	if q.file == "" {
		return []retrieve.Question{one}, one.Check(g)
	}
	return q.readQuestions(g, q.file)
}

// readQuestions reads a file of questions; "-" is the standard input. Every name is looked up.
func (a *app) readQuestions(g *kg.Graph, name string) ([]retrieve.Question, error) {
	if name == "-" {
		return retrieve.ReadQuestions(g, "standard input", a.stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return retrieve.ReadQuestions(g, name, file)
}

// write writes the reply to a question. Replies to a file's questions are written one after the other, each at once.
func (q *query) write(i int, x *retrieve.Reply, model string) error {
	switch {
	case q.format == "json" && q.file == "":
		return results.WriteJSON(q.stdout, x)
	case q.format == "json":
		var line bytes.Buffer
		lines := json.NewEncoder(&line)
		lines.SetEscapeHTML(false)
		err := lines.Encode(x)
		if err == nil {
			_, err = q.stdout.Write(visible.JSON(line.Bytes()))
		}
		return err
	case q.format == "csv" && q.file == "":
		return x.WriteCSV(present.CSV(q.stdout))
	case q.format == "csv":
		return x.WriteCSVOf(present.CSV(q.stdout), i == 0)
	}
	if i > 0 {
		fmt.Fprintln(q.stdout)
	}
	return q.writeAnswer(q.stdout, func(w io.Writer, width int) error {
		return x.WriteText(w, retrieve.Text{Model: model, All: "--limit 0 lists all", Width: width})
	})
}
