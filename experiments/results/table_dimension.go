package results

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/search"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// dimensionMeasure is a number of a run that the table of dimensions has: the mean of metrics at a cut.
type dimensionMeasure struct {
	key, heading string
	cut          string // "" for the run's own criterion, and for ranks
	metrics      []Metric
}

var dimensionMeasures = []dimensionMeasure{
	{"f1", "F1", "", []Metric{HeadF1, TailF1}},
	{"fitted_f1", "fitted F1", "fitted-f1", []Metric{HeadF1, TailF1}},
	{"fitted_novel_f1", "novel F1", "fitted-novel", []Metric{HeadNovelF1, TailNovelF1}},
	{"mrr", "MRR", "", []Metric{MRR}},
}

// of returns the measured number of a run. ok is false if the run has not logged it.
func (m dimensionMeasure) of(run Run) (value float64, ok bool) {
	numbers := run.Primary
	if m.cut != "" {
		i := slices.IndexFunc(run.Cuts, func(c Cut) bool { return c.Name() == m.cut })
		if i < 0 {
			return 0, false
		}
		numbers = run.Cuts[i].Numbers
	}
	for _, metric := range m.metrics {
		n, logged := numbers[metric]
		if !logged {
			return 0, false
		}
		value += n.Value / float64(len(m.metrics))
	}
	return value, true
}

// seedMean is a mean over seeds with its 95 % interval by Student's distribution; nil for fewer than two.
type seedMean struct {
	Mean     float64
	Interval *eval.Interval
}

func meanOver(values []float64) seedMean {
	mean, deviation := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	if n < 2 {
		return seedMean{Mean: mean}
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(.975) * deviation / math.Sqrt(n)
	return seedMean{mean, &eval.Interval{Low: mean - half, High: mean + half}}
}

// dimensionRow is a model of one size on a graph, at the learning rate that validation chose.
type dimensionRow struct {
	Graph, Model                  string
	Blocks, PerEntity, Parameters int
	Same                          string  // sameEntity or sameTotal: what the rows that it is compared with share
	Rate                          float64 // learning rate
	Rates                         int     // how many were tried
	Runs                          []Run   // one per seed, by seed; none for an untrained row of the sweep
	Embedded                      bool
	Means                         []seedMean  // by dimensionMeasures
	Differences                   []*seedMean // to the plane, paired by seed; nil for the plane's own row
}

// What two compared rows have in common.
const (
	sameEntity = "numbers per entity"
	sameTotal  = "parameters"
)

type dimensionTable []dimensionRow

// dimensionKeys are the settings in which runs of the dimensions may differ.
var dimensionKeys = []string{"data", "model", "dimension", "seed", rateKey}

const rateKey = "train.learning_rate"

// buildDimensions reads the finished runs with the settings of the embedded config of the dimensions. An embedded row
// is shown if fewer seeds or learning rates are logged.
func buildDimensions(ctx context.Context, _ string, s Sources, _ Options) (Layout, error) {
	files, infos, err := s.finished(ctx, EmbeddedDimensions)
	if err != nil {
		return nil, err
	}
	own, err := config.Embedded(config.Dimension)
	if err != nil {
		return nil, err
	}
	base := own.Settings().Coordinates() * own.Dimension
	t := dimensionRows(dimensionRuns(archivedRuns(files).runs(), own), base, true)
	for _, row := range dimensionRows(dimensionRuns(ReadAll(infos), own), base, false) {
		i := slices.IndexFunc(t, func(o dimensionRow) bool {
			return o.Graph == row.Graph && o.Model == row.Model && o.Blocks == row.Blocks
		})
		switch {
		case i < 0:
			t = append(t, row)
		case len(row.Runs) >= len(t[i].Runs) && row.Rates >= t[i].Rates:
			t[i] = row
		}
	}
	if t, err = t.withMissing(base); err != nil {
		return nil, err
	}
	slices.SortStableFunc(t, func(a, b dimensionRow) int {
		return cmp.Or(cmp.Compare(a.Graph, b.Graph), cmp.Compare(a.Same, b.Same),
			cmp.Compare(modelRank(a.Model), modelRank(b.Model)), cmp.Compare(a.Blocks, b.Blocks))
	})
	t.compare()
	return t, nil
}

// withMissing adds the rows of the embedded sweep that have no run.
func (t dimensionTable) withMissing(base int) (dimensionTable, error) {
	sweep, err := search.Load(search.DimensionSweep, config.Layers{})
	if err != nil {
		return nil, err
	}
	for _, job := range sweep.Jobs {
		c := job.Config()
		if slices.ContainsFunc(t, func(r dimensionRow) bool {
			return r.Graph == c.Data && r.Model == c.Model && r.Blocks == c.Dimension
		}) {
			continue
		}
		row := dimensionRow{Graph: c.Data, Model: c.Model, Blocks: c.Dimension, Same: sameTotal,
			PerEntity: c.Dimension * c.Settings().Coordinates()}
		if row.PerEntity == base {
			row.Same = sameEntity
		}
		t = append(t, row)
	}
	return t, nil
}

// dimensionRuns returns the evaluated runs of models of spheres with the config's settings.
func dimensionRuns(runs []Run, own *config.Config) []Run {
	settings := own.Flatten()
	return slices.DeleteFunc(runs, func(r Run) bool {
		if !r.Finished() || !r.Evaluated() || r.Config == nil || sphere.PointsOf(r.Model) == "" ||
			!alikeBut(r.Config.Flatten(), settings, dimensionKeys) {
			return true
		}
		return slices.ContainsFunc(dimensionMeasures, func(m dimensionMeasure) bool {
			_, ok := m.of(r)
			return !ok
		})
	})
}

// dimensionRows summarizes runs, which are newest first. Of each seed it takes the newest run. Of several learning
// rates it takes the one with the best mean MRR on the validation triples, among those with the most seeds.
func dimensionRows(runs []Run, base int, embedded bool) dimensionTable {
	type size struct {
		graph, model string
		blocks       int
	}
	bySize := map[size]map[float64][]Run{}
	var order []size
	for _, run := range runs {
		at, rate := size{run.Graph, run.Model, run.Config.Dimension}, run.Config.Train.LearningRate
		if bySize[at] == nil {
			bySize[at] = map[float64][]Run{}
			order = append(order, at)
		}
		if !slices.ContainsFunc(bySize[at][rate], func(r Run) bool { return r.Seed == run.Seed }) {
			bySize[at][rate] = append(bySize[at][rate], run)
		}
	}
	var t dimensionTable
	for _, at := range order {
		rate := bestRate(bySize[at])
		chosen := bySize[at][rate]
		slices.SortFunc(chosen, func(a, b Run) int { return cmp.Compare(a.Config.Seed, b.Config.Seed) })
		s, first := chosen[0].Config.Settings(), chosen[0]
		row := dimensionRow{Graph: at.graph, Model: at.model, Blocks: at.blocks,
			PerEntity: at.blocks * s.Coordinates(), Parameters: s.Parameters(first.Entities, first.Relations),
			Same: sameTotal, Rate: rate, Rates: len(bySize[at]), Runs: chosen, Embedded: embedded}
		if row.PerEntity == base {
			row.Same = sameEntity
		}
		for _, m := range dimensionMeasures {
			row.Means = append(row.Means, meanOver(values(chosen, m)))
		}
		t = append(t, row)
	}
	return t
}

func values(runs []Run, m dimensionMeasure) []float64 {
	list := make([]float64, len(runs))
	for i, run := range runs {
		list[i], _ = m.of(run) // dimensionRuns has checked that it exists
	}
	return list
}

// bestRate returns the learning rate whose runs have the best mean MRR on validation, among those with the most seeds.
// Of equally good ones it returns the smallest.
func bestRate(byRate map[float64][]Run) float64 {
	best, bestSeeds, bestMRR := 0., 0, 0.
	for _, rate := range slices.Sorted(maps.Keys(byRate)) {
		mrr := 0.
		for _, run := range byRate[rate] {
			numbers, _ := readCuts(run.Stored.Metrics, "valid", run.Criterion)
			mrr += numbers[MRR].Value / float64(len(byRate[rate]))
		}
		if seeds := len(byRate[rate]); seeds > bestSeeds || seeds == bestSeeds && mrr > bestMRR {
			best, bestSeeds, bestMRR = rate, seeds, mrr
		}
	}
	return best
}

// compare subtracts from each row the plane's on the same graph: the one with the same numbers per entity, otherwise
// the one with the nearest number of parameters. Rows with other seeds are not subtracted.
func (t dimensionTable) compare() {
	for i := range t {
		row := &t[i]
		row.Differences = make([]*seedMean, len(dimensionMeasures))
		var plane *dimensionRow
		for j := range t {
			o := &t[j]
			if o.Model != sphere.SpherE2D || o.Graph != row.Graph || row.Model == o.Model ||
				row.Same == sameEntity && o.Same != sameEntity {
				continue
			}
			if plane == nil || abs(o.Parameters-row.Parameters) < abs(plane.Parameters-row.Parameters) {
				plane = o
			}
		}
		sameSeed := func(a, b Run) bool { return a.Seed == b.Seed }
		if plane == nil || len(row.Runs) == 0 || !slices.EqualFunc(plane.Runs, row.Runs, sameSeed) {
			continue
		}
		for k, m := range dimensionMeasures {
			differences := values(row.Runs, m)
			for n, v := range values(plane.Runs, m) {
				differences[n] -= v
			}
			d := meanOver(differences)
			row.Differences[k] = &d
		}
	}
}

func abs(n int) int { return max(n, -n) }
