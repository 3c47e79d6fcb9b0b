package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// leastSearched is the min number of validation facts of a search. With fewer, trials differ by chance.
const leastSearched = 200

// trialNumbers are those that are tried to fit into a budget.
var trialNumbers = []int{24, 12}

// searchedDimensions are those that both spaces have.
var searchedDimensions = []int{64, 128, 200}

// searched are the spaces around the settings that a graph without a config of its own gets.
var searched = map[string]map[string]searchDimension{
	sphere.ComplEx: {
		"dimension":           oneOf(searchedDimensions...),
		"train.learning_rate": logRange(.03, .3),
		"train.n3":            logRange(.001, .3),
	},
	sphere.SpherE2D: {
		"dimension":           oneOf(searchedDimensions...),
		"gamma":               oneOf(3, 4, 6, 9, 12),
		"train.learning_rate": logRange(.002, .05),
		"train.temperature":   logRange(.25, 2),
	},
}

func oneOf(values ...int) searchDimension { return searchDimension{values: texts(values)} }

func logRange(from, to float64) searchDimension {
	return searchDimension{rangeOf: rangeOf{From: &from, To: &to, Scale: "log"}}
}

// training are keys that decide how long a trial takes. A user who sets one, or one of the space, gets no search.
var training = []string{"model", "train.epochs", "train.steps", "train.batch", "train.loss", "eval.every"}

// addSearches searches the settings of trained models with what is left of the budget, those of the cheaper
// model first.
func (b *Best) addSearches(left time.Duration) error {
	g := b.Graph
	if len(g.Valid) < leastSearched {
		return nil
	}
	order := make([]*Member, len(b.Members))
	for i := range b.Members {
		order[i] = &b.Members[i]
	}
	slices.SortStableFunc(order, func(x, y *Member) int { return cmp.Compare(x.Cost, y.Cost) })
	for _, m := range order {
		for _, trials := range trialNumbers {
			s, err := m.search(g, trials)
			if err != nil {
				return err
			}
			if s == nil {
				break
			}
			if took := m.costOf(s, g, b.Refits); took <= left {
				m.Search, left = s, left-took
				m.Cost += took
				break
			}
		}
	}
	return nil
}

// search returns a search for the settings of a member. It returns nil if the model has no space, or if the user chose
// settings of the space or settings that exclude some of it.
func (m *Member) search(g *kg.Graph, trials int) (*Search, error) {
	c := m.Config()
	space := searched[c.Model]
	if space == nil || !strings.HasSuffix(c.Origin("dimension").File, autoConfig(c.Model)) {
		return nil, nil
	}
	if slices.ContainsFunc(slices.Concat(slices.Collect(maps.Keys(space)), training), c.IsGiven) {
		return nil, nil
	}
	settled, err := m.Settle(g, anyGamma)
	if err != nil {
		return nil, err
	}
	every, epochs := settled.Config().Eval.Every, c.Train.Epochs
	if every == 0 || epochs < 10*every {
		return nil, nil
	}
	first := epochs / 10 / every * every
	f := &searchFile{Config: autoConfig(c.Model), Method: "tpe", Seed: 1, Trials: trials, Keep: 3,
		Rungs: []int{first, 3 * first}, Space: space, Set: given(c)}
	s, err := searchOn(fmt.Sprintf("%s-%.8s-%s.yaml", g.Name, g.Digest(), c.Model), f, m.Checked)
	if _, excluded := errors.AsType[*config.Error](err); excluded {
		return nil, nil
	}
	if err == nil {
		s.content, err = yaml.Marshal(map[string]any{"search": f})
	}
	return s, err
}

func autoConfig(model string) string { return "auto/" + model }

// given lists what the user set over the config, without what is not the model's.
func given(c *config.Config) []string {
	var items []string
	values := c.Flatten()
	for _, key := range config.Keys() {
		if c.IsGiven(key) && (key == "data" || key == "seed" || config.InIdentity(key)) {
			items = append(items, key+"="+values[key])
		}
	}
	return items
}

// cost is about how long two cores need for the trials, all of the mean dimension.
func (s *Search) cost(g *kg.Graph) time.Duration {
	c := s.base.Config()
	settled, err := s.base.Settle(g, anyGamma)
	if err != nil {
		return 0
	}
	e := effortOf(s.base, g)
	sum := 0
	for _, d := range searchedDimensions {
		sum += d
	}
	e.fit *= float64(sum) / float64(len(searchedDimensions)*c.Dimension)
	epochs := float64(s.epochs() - c.Train.Epochs) // the last training is that of the member
	validations := epochs / float64(settled.Config().Eval.Every)
	return twoCores(e.fit*epochs/float64(c.Train.Epochs) + float64(e.ask*2*float64(len(g.Valid)))*validations)
}

// costOf is what a search adds to the cost of a member: the trials, and a model of the greatest dimension.
func (m *Member) costOf(s *Search, g *kg.Graph, refits bool) time.Duration {
	larger := float64(slices.Max(searchedDimensions))/float64(m.Config().Dimension) - 1
	return s.cost(g) + twoCores(trained(effortOf(m.Checked, g).fit*larger, g, refits))
}

// find searches the settings of a member and returns its run with the best ones.
func (m Member) find(ctx context.Context, r *experiments.Runner, where string, o Options, say func(string)) (string,
	error) {
	o.Say = func(line string) { say(where + ": " + line) }
	report, err := m.Search.Run(ctx, r, o)
	if err != nil {
		return "", err
	}
	if len(report.Winner) == 0 {
		return "", fmt.Errorf("search %s: %w", m.Search.Name, errNoTrial)
	}
	_, err = r.Tracker.ReplaySpools(ctx) // of a run that ended while the database was away
	return report.Winner[0], err
}
