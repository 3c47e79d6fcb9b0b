package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// HiddenOptions are how a run is measured on facts that its graph does not hold. The zero value measures both sides.
type HiddenOptions struct {
	Sides        []kg.Side // nil: both
	Against      *Run      // another run, measured on the same facts; nil for none
	Resamples    int       // with SetResamples; otherwise those of the run's config
	SetResamples bool
	Threads      int
}

// HiddenReport describes how well a run finds facts that its graph does not hold.
type HiddenReport struct {
	RunID   string            `json:"run_id"`
	Against string            `json:"against_run_id,omitempty"`
	Facts   int               `json:"facts"`
	Left    []kg.LeftFact     `json:"left_out"` // of the file's facts
	Scores  []eval.FactScores `json:"scores"`

	// LeftAgainst are facts that only the graph of the other run holds, or whose names it lacks.
	LeftAgainst []kg.LeftFact `json:"left_out_against,omitempty"`

	Resamples int `json:"resamples"` // behind the intervals
}

// ReadHidden reads a file of facts, as a graph is read from one.
func ReadHidden(path string, reading kg.Reading) (*kg.Graph, error) {
	return kg.LoadDivided(path, kg.Division{Reading: reading, Whole: true})
}

// EvaluateHidden ranks the answers of the facts of a file that the run's graph does not hold: filtered ranks among all
// entities, without the asked one where the run's answers leave it out. Right answers that do not count are the facts
// of all splits and those of the file. Nothing is logged. It measures refits, too.
func (r *Run) EvaluateHidden(
	ctx context.Context, file *kg.Graph, o HiddenOptions, p progress.Listener,
) (*HiddenReport, error) {
	report := &HiddenReport{RunID: r.Info.ID, Resamples: r.Config.Eval.Bootstrap}
	if o.SetResamples {
		report.Resamples = o.Resamples
	}
	mine, err := r.Graph.Translate(file)
	if err != nil {
		return nil, err
	}
	report.Left = append([]kg.LeftFact{}, mine.Left...) // a list in JSON
	asked, theirs := mine.Facts, mine
	if o.Against != nil {
		report.Against = o.Against.Info.ID
		if theirs, err = o.Against.Graph.Translate(file); err != nil {
			return nil, err
		}
		isLeft := make(map[string]bool, len(mine.Left))
		for _, left := range mine.Left {
			isLeft[left.String()] = true
		}
		for _, left := range theirs.Left {
			if !isLeft[left.String()] {
				report.LeftAgainst = append(report.LeftAgainst, left)
			}
		}
		asked = shared(mine, theirs)
	}
	if report.Facts = len(asked); report.Facts == 0 {
		return nil, fmt.Errorf("no fact of the file can be asked about: %s",
			LeftText(slices.Concat(report.Left, report.LeftAgainst)))
	}
	ranks, err := r.rankHidden(ctx, asked, mine.Facts, o, p)
	if err != nil {
		return nil, err
	}
	var others *eval.FactRanks
	if o.Against != nil {
		if others, err = o.Against.rankHidden(ctx, shared(theirs, mine), theirs.Facts, o, p); err != nil {
			return nil, err
		}
	}
	report.Scores, err = ranks.Scores(others, report.Resamples, r.Config.Seed)
	return report, err
}

// shared returns the facts of a that b has, too, in the file's order.
func shared(a, b *kg.Translated) (facts []kg.Triple) {
	for k, place := range a.From {
		if _, ok := slices.BinarySearch(b.From, place); ok {
			facts = append(facts, a.Facts[k])
		}
	}
	return facts
}

// rankHidden ranks the answers of facts. others are further right answers.
func (r *Run) rankHidden(
	ctx context.Context, facts, others []kg.Triple, o HiddenOptions, p progress.Listener,
) (*eval.FactRanks, error) {
	return eval.RankFacts(ctx, r.judged(), r.Graph, facts, eval.FactRankSettings{Sides: o.Sides, Others: others,
		Threads: o.Threads, Progress: r.LongProgress(p, "ranking the answers of the facts")})
}

// leftWords say in a sentence why a fact is left out.
var leftWords = map[kg.LeftReason]string{kg.LeftUnknownEntity: "with an unknown entity",
	kg.LeftUnknownRelation: "with an unknown relation", kg.LeftTrain: "already in training",
	kg.LeftValid: "already in validation", kg.LeftTest: "already in test", kg.LeftRepeated: "repeated"}

// LeftText says how many facts are left out, for each reason, and names the first.
func LeftText(left []kg.LeftFact) string {
	var parts []string
	for _, reason := range kg.LeftReasons() {
		first := slices.IndexFunc(left, func(l kg.LeftFact) bool { return l.Reason == reason })
		if first < 0 {
			continue
		}
		n := 0
		for _, l := range left {
			if l.Reason == reason {
				n++
			}
		}
		example := left[first].String()
		if n > 1 {
			example = "first: " + example
		}
		parts = append(parts, fmt.Sprintf("%d %s (%s)", n, leftWords[reason], example))
	}
	return strings.Join(parts, "; ")
}
