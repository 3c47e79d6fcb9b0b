package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/rule"
)

// Best is a plan for the best answers on a graph: models of different kinds, and then their stack.
type Best struct {
	Graph   *kg.Graph
	Members []Member      // in the order in which they are made
	Left    []Member      // that do not fit into the budget
	Lack    error         // why the weights of a model cannot be used; nil if they can
	Budget  time.Duration // on two cores
	Refits  bool          // then all are trained again on all facts

	name string // of the stack
}

// Member is a model of a Best.
type Member struct {
	Job
	Cost   time.Duration // about, on two cores, with the search and with the second training of a Refit
	Search *Search       // for its settings, nil for none
}

// best has the models that are tried, in the order in which they are stacked. OwnInductive takes the place of
// Ultra50G where its weights are not here.
var best = []string{sphere.Ultra50G, sphere.Neighbours, sphere.Rules, sphere.OwnInductive, sphere.SpherE2D,
	sphere.ComplEx}

// leastStacked is the min number of models of a stack, whatever the budget.
const leastStacked = 2

// CanStack reports whether a graph has what a stack is fitted and measured on.
func CanStack(g *kg.Graph) bool { return len(g.Valid) >= config.LeastCalibrated && len(g.Test) > 0 }

// PlanBest chooses the models for a graph within a budget, which is the time of two cores like those of the docs; 0 is
// a budget by the size of the graph. The choice depends on the graph, the budget and the weights that are here, and not
// on the machine's speed. The layers are over the config of each model. data is what the key data says. With refit the
// models and their stack are trained again on all facts after they were measured.
func PlanBest(l config.Layers, data string, dirs []string, budget time.Duration, refit bool) (*Best, error) {
	b := &Best{Budget: budget, Refits: refit}
	var all []Member
	for _, model := range best {
		if err := experiments.CheckWeights(model, dirs); err != nil {
			b.Lack = err
			continue
		}
		if model == sphere.OwnInductive && b.Lack == nil {
			continue
		}
		configs, err := config.LoadForGraph(l, data, model)
		if err != nil {
			return nil, err
		}
		c := configs[0].Config()
		if b.Graph == nil {
			if b.Graph, err = c.Graph(dirs); err != nil {
				return nil, err
			}
			if b.Budget == 0 {
				b.Budget = usualBudget(b.Graph, refit)
			}
			b.name = c.Name
			if b.name == "" {
				b.name = b.Graph.Name + "-best"
			}
		}
		c.Name = ""
		checked, err := c.Check()
		if err != nil {
			return nil, err
		}
		all = append(all, Member{Job: Job{Name: sphere.Title(model), Checked: checked}})
	}
	return b, b.choose(all)
}

// choose takes what fits into the budget, the cheapest first. The lists keep the order of all.
func (b *Best) choose(all []Member) error {
	left, sample := b.Budget, 0
	isTaken := make([]bool, len(all))
	for n := range all {
		next := -1
		for i := range all {
			if isTaken[i] {
				continue
			}
			all[i].Cost = cost(all[i].Checked, b.Graph, leastSample(sample, b.Graph, all[i].Checked), b.Refits)
			if next < 0 || all[i].Cost < all[next].Cost {
				next = i
			}
		}
		if n >= leastStacked && all[next].Cost > left {
			break
		}
		isTaken[next] = true
		left -= all[next].Cost
		sample = leastSample(sample, b.Graph, all[next].Checked)
	}
	for i, m := range all {
		if isTaken[i] {
			b.Members = append(b.Members, m)
		} else {
			b.Left = append(b.Left, m)
		}
	}
	return b.addSearches(left)
}

// leastSample returns the smaller of a sample, 0 for all queries, and that of a model's evaluation. A stack asks its
// models no more.
func leastSample(sample int, g *kg.Graph, checked config.Checked) int {
	settled, err := checked.Settle(g, anyGamma)
	if err != nil {
		return sample
	}
	own := settled.Config().Eval.Sample
	if sample == 0 || own > 0 && own < sample {
		return own
	}
	return sample
}

// anyGamma takes the place of the search for gamma where its value does not matter.
func anyGamma(*config.Config) (float64, error) { return sphere.DefaultGamma, nil }

// usualBudget returns the default budget, which grows with the graph. A refit has half as much again.
func usualBudget(g *kg.Graph, refit bool) time.Duration {
	budget := 2*time.Minute + time.Duration(len(g.Train))*4*time.Millisecond
	if refit {
		budget += budget / 2
	}
	return budget
}

// cost is about how long two cores need for a model, its evaluation and its part of the stack, which asks it a sample
// of the queries again, and for a refit. The factors were measured on one machine; they decide what is trained, never
// a number of a run.
func cost(checked config.Checked, g *kg.Graph, sample int, refit bool) time.Duration {
	e := effortOf(checked, g)
	e.fit = trained(e.fit, g, refit && !sphere.IsUntrained(checked.Config().Model)) // other models only read all facts
	return twoCores(e.fit + float64(e.ask*(e.queries+sampled(e.queries, sample))))
}

// trained is how long one core needs for a training that takes so many seconds, and for one on all facts with refit.
func trained(seconds float64, g *kg.Graph, refit bool) float64 {
	if refit {
		seconds += seconds * float64(len(g.Train)+len(g.Valid)+len(g.Test)) / float64(len(g.Train))
	}
	return seconds
}

// twoCores is how long two cores need for what takes one core so many seconds, three years if it is longer. Sums of
// that do not overflow.
func twoCores(seconds float64) time.Duration {
	return time.Duration(min(seconds/2, 1e8) * float64(time.Second))
}

// effort has seconds of one core.
type effort struct {
	fit     float64
	ask     float64 // a query
	queries float64 // of validation, thresholds, probabilities and the test
}

func effortOf(checked config.Checked, g *kg.Graph) effort {
	c := checked.Config()
	facts, entities := float64(len(g.Train)), float64(g.Entities.Len())
	e := effort{fit: 1, ask: entities * 2e-8, queries: 2 * float64(3*len(g.Valid)+len(g.Test))}
	switch {
	case sphere.IsInductive(c.Model):
		e.queries = sampled(e.queries, leastSample(0, g, checked))
		e.ask = 2 * facts * 60e-9
	case c.Model == sphere.Rules:
		e.fit += rule.Work(g, c.Train.Steps)
		// Measured on UMLS, Kinships and hpo, with all that an evaluation does for a query: 1.5, 1.5 and 2.3 ms.
		e.queries = float64(3*g.Index(kg.Valid).Queries() + g.Index(kg.Test).Queries())
		e.ask = 1.5e-3 + float64(entities*6e-8)
	case c.Model == sphere.Neighbours:
		e.fit += facts * 2e-4
	case c.Train.Loss == sphere.OneVsAll:
		e.fit += float64(c.Train.Epochs) * facts * entities * float64(c.Dimension) * 1.2e-10
	default:
		e.fit += (float64(c.Train.Epochs) + 20) * facts * float64(c.Train.Negatives+1) * float64(c.Dimension) * 3.2e-9
	}
	return e
}

// sampled returns how many of the queries are asked with a sample of so many per side, of validation three times and of
// the test once; 0 stands for all.
func sampled(queries float64, sample int) float64 {
	if sample == 0 {
		return queries
	}
	return min(queries, 8*float64(sample))
}

// Plan returns what will be made, in lines for people.
func (b *Best) Plan() []string {
	var names []string
	total := time.Duration(0)
	for _, m := range b.Members {
		names, total = append(names, m.Name), total+m.Cost
	}
	again := ""
	if b.Refits {
		again = ", then the same again on all facts"
	}
	lines := []string{fmt.Sprintf("%s: %s and their stack%s, about %s on two cores (budget %s)", b.Graph.Name,
		strings.Join(names, ", "), again, about(total), shortly(b.Budget))}
	for _, m := range b.Members {
		if m.Search != nil {
			lines = append(lines, fmt.Sprintf("settings of %s: the best of %d by MRR on validation facts", m.Name, m.Search.Trials))
		}
	}
	for _, m := range b.Left {
		lines = append(lines, fmt.Sprintf("left out: %s, about %s more", m.Name, about(m.Cost)))
	}
	return lines
}

// about returns a time with the precision of an estimate.
func about(d time.Duration) string {
	if d < 2*time.Minute {
		return quantity.Seconds(max(10, d.Round(10*time.Second).Seconds()))
	}
	return shortly(d.Round(time.Minute))
}

// shortly returns a time as users type it: 2m, 1h30m, 90s.
func shortly(d time.Duration) string {
	text := d.Round(time.Second).String()
	if d < time.Second {
		return d.String()
	}
	if short, whole := strings.CutSuffix(text, "m0s"); whole {
		text = short + "m"
	}
	if short, whole := strings.CutSuffix(text, "h0m"); whole {
		text = short + "h"
	}
	return text
}

// Run makes what is missing of the models and then their stack, which is the last result. What is finished is taken as
// it is, without its report, and what was interrupted resumed, so the same command continues after a stop. A model that
// fails is left out, with a word why; its error comes back where fewer than two are left. A file that has changed since
// the plan ends the work.
func (b *Best) Run(ctx context.Context, r *experiments.Runner, o Options) ([]*experiments.Result, error) {
	say := o.say()
	o.ForStack = true
	var list []*experiments.Result
	var ids []string
	var failed error
	for i, m := range b.Members {
		id, err := b.member(ctx, r, m, b.where(i)+m.Name, o, say)
		switch {
		case err == nil:
			ids = append(ids, id)
			list = append(list, &experiments.Result{RunID: id, RunName: m.Name, Graph: b.Graph})
		case errors.Is(err, errChanged):
			return list, err
		case ctx.Err() != nil, isInterrupted(err):
			say(stoppedBest)
			return list, err
		case !cannotTrain(err):
			return list, fmt.Errorf("%s: %w", m.Name, err)
		default:
			failed = errors.Join(failed, fmt.Errorf("%s: %w", m.Name, err))
			say(m.Name + " is left out: " + err.Error())
		}
	}
	if len(ids) < leastStacked {
		return list, failed
	}
	if _, err := b.graph(r); err != nil {
		return list, err
	}
	say(b.where(len(b.Members)) + theirStack)
	stacked, err := r.StackOnce(ctx, ids, experiments.StackOptions{Name: b.name, Trees: true,
		Threads: b.Members[0].Config().Threads})
	if err != nil {
		if ctx.Err() != nil || isInterrupted(err) {
			say(stoppedBest)
		}
		return list, err
	}
	return append(list, stacked), nil
}

// cannotTrain reports whether an error would come back with the same command, since it comes from the model's settings.
// What the machine, the database or another program did must not make a stack of fewer models.
func cannotTrain(err error) bool {
	_, badKey := errors.AsType[*config.Error](err)
	_, badSetting := errors.AsType[*sphere.SettingError](err)
	isDiverged := errors.Is(err, errDiverged) || errors.Is(err, errNoTrial) || experiments.Diverged(err)
	return badKey || badSetting || isDiverged
}

// errChanged is the error of a file that changed, so that the models would be those of two graphs.
var errChanged = errors.New("has changed since the work began; the same command begins with what it holds now")

// member trains one model to its end.
func (b *Best) member(ctx context.Context, r *experiments.Runner, m Member, where string, o Options,
	say func(string)) (string, error) {
	now, err := b.graph(r)
	if err != nil {
		return "", err
	}
	if m.Search != nil {
		return m.find(ctx, r, where, o, say)
	}
	id, err := runJobOn(ctx, r, m.Job, now, nil, where, o, say)
	if err == nil {
		_, err = r.Tracker.ReplaySpools(ctx) // of a run that ended while the database was away
	}
	return id, err
}

// graph loads the graph, which must be what it was when the work was planned.
func (b *Best) graph(r *experiments.Runner) (*kg.Graph, error) {
	now, err := b.Members[0].Config().Graph(r.DataDirs)
	if err == nil && now.Digest() != b.Graph.Digest() {
		err = fmt.Errorf("graph %s %w", b.Graph.Name, errChanged)
	}
	return now, err
}

func isInterrupted(err error) bool {
	_, interrupted := errors.AsType[*experiments.InterruptedError](err)
	return interrupted
}
