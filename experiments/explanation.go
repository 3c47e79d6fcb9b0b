package experiments

import (
	"fmt"
	"io"
	"strings"

	"github.com/spherelab/spherelab/spherE/retrieve"
)

// WriteExplanation writes an explanation for people.
func WriteExplanation(w io.Writer, x *retrieve.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\n%s\n\n", x.Head, x.Relation, x.Tail, x.Verdict)
	fmt.Fprintf(&b, "  distance after rotation  %.3f\n", x.Distance)
	if x.HasRadii {
		fmt.Fprintf(&b, "  radius of the head       %.3f\n  radius of the tail       %.3f\n", x.HeadRadius, x.TailRadius)
	}
	fmt.Fprintf(&b, "  margin gamma             %.3f\n  criterion                %s\n", x.Gamma, x.Criterion)
	side := func(question string, p retrieve.Position) {
		state := "outside the set"
		if p.InSet {
			state = "in the set"
		}
		fmt.Fprintf(&b, "\n%s\n  %s: value %.3f, cut %.3f, slack %+.3f; rank %d, set of %d\n", question, state, p.Value, p.Cut, p.Slack, p.Before+1, p.SetSize)
		for _, list := range []struct {
			title string
			facts []retrieve.Answer
		}{{"nearest known facts", p.Nearest}, {"known facts at a similar distance", p.Similar}} {
			if len(list.facts) == 0 {
				continue
			}
			fmt.Fprintf(&b, "  %s\n", list.title)
			for _, answer := range list.facts {
				fmt.Fprintf(&b, "    %-28s %-16s slack %+.3f\n", answer.Label, FactText(answer), answer.Slack)
			}
		}
	}
	side(fmt.Sprintf("%s %s ?", x.Head, x.Relation), x.AsTail)
	side(fmt.Sprintf("? %s %s", x.Relation, x.Tail), x.AsHead)
	_, err := io.WriteString(w, b.String())
	return err
}

// FactText says what the graph holds about an entity outside the set.
func FactText(answer retrieve.Answer) string {
	if answer.Itself {
		return "the asked entity"
	}
	if !answer.Known {
		return "not in the graph"
	}
	return "a fact (" + strings.Join(answer.Splits, ", ") + ")"
}
