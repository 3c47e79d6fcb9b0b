package experiments

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// The search for gamma trains each of searchGammas for searchSteps steps and takes the first one with the best MRR on
// the validation triples. It counts steps, not seconds, so it finds the same value everywhere.
var searchGammas = []float64{6, 3, 4, 9, 12}

const (
	searchSteps = 500
	// searchPart is the number of steps after which progress is shown and an interrupt is checked for at the latest.
	// searchSteps is a multiple.
	searchPart = 25
	// searchSave is the time between saves of the training in progress, in case the program is killed.
	searchSave = 10 * time.Second
)

// gammaSearch is one search. What it has measured is kept in a folder of its own, named after everything that decides
// the numbers. So an interrupted search continues, and no search is made twice.
type gammaSearch struct {
	cfg        *config.Config
	graph      *kg.Graph
	validation *eval.Evaluator
	dir        string // "": nothing is stored
	say        func(progress.Event)
	gamma      int // index of the value in progress
}

// measuredGamma is the outcome of one value.
type measuredGamma struct {
	Gamma    float64 `json:"gamma"`
	MRR      float64 `json:"valid_mrr"`
	Diverged bool    `json:"diverged,omitempty"`
}

const (
	searchFolder = "search"         // in the data directory
	measuredFile = "measured.json"  // a list of measuredGamma
	partFile     = answer.StateFile // of the training in progress
	trainPhase   = "training"       // of Searching: Done of Total steps
	validPhase   = "validating"     // of Searching: Done of Total distinct queries
)

// searchGamma returns the best of searchGammas. What it measures is kept in a folder of root; with "" nothing is kept.
func searchGamma(ctx context.Context, c *config.Config, g *kg.Graph, root string, p progress.Listener) (float64,
	error) {
	trial := c.Clone()
	trial.Train.Epochs, trial.Train.Steps = searchSteps/searchPart, searchPart
	s := &gammaSearch{cfg: trial, graph: g, say: func(progress.Event) {}}
	if p != nil {
		s.say = func(e progress.Event) {
			e.Time, e.Model, e.Variant, e.Data = time.Now(), c.Model, c.Variant, g.Name
			p.Event(e)
		}
	}
	settings := c.ValidationSettings()
	settings.Progress = func(done, total int) { s.reportSearch(validPhase, done, total) }
	var err error
	if s.validation, err = eval.New(g, settings); err != nil {
		return 0, err
	}
	if root != "" {
		key := fmt.Sprintf("%s %s %d %d", trial.IdentityHash(), g.Digest(), sphere.NumericsVersion, searchSteps)
		s.dir = filepath.Join(root, searchFolder, fmt.Sprintf("%x", sha256.Sum256([]byte(key)))[:32])
	}
	return s.run(ctx)
}

// run measures the remaining values and returns the best.
func (s *gammaSearch) run(ctx context.Context) (float64, error) {
	known := s.read()
	if len(known) < len(searchGammas) {
		s.note("searching gamma for %s on %s: %d steps for each of %d values", sphere.Title(s.cfg.Model), s.graph.Name,
			searchSteps, len(searchGammas))
	}
	if n := len(known); n > 0 && n < len(searchGammas) {
		s.note("continuing a search that has measured %d of them", n)
	}
	best, bestMRR := searchGammas[0], -1.0
	var took time.Duration // by this program, for whole values
	whole := 0
	for i, gamma := range searchGammas {
		if i >= len(known) {
			began := time.Now()
			s.gamma = i
			m, fresh, err := s.measure(ctx, gamma)
			if err != nil {
				return 0, err
			}
			known = append(known, m)
			if err := s.write(known); err != nil {
				return 0, err
			}
			if fresh {
				took += time.Since(began)
				whole++
			}
			s.tell(m, took, whole)
		}
		// A value that diverged has no MRR.
		if m := known[i]; !m.Diverged && m.MRR > bestMRR {
			best, bestMRR = gamma, m.MRR
		}
	}
	return best, nil
}

// tell reports the outcome of a value, and how long the others will take.
func (s *gammaSearch) tell(m measuredGamma, took time.Duration, whole int) {
	text := fmt.Sprintf("gamma %v: validation MRR %.4f", m.Gamma, m.MRR)
	if m.Diverged {
		text = fmt.Sprintf("gamma %v: the training diverged", m.Gamma)
	}
	if rest := len(searchGammas) - s.gamma - 1; rest > 0 && whole > 0 {
		text += fmt.Sprintf("; the search takes about %s more",
			quantity.Seconds(took.Seconds()/float64(whole)*float64(rest)))
	}
	s.note("%s", text)
}

// measure trains with one gamma, from the saved state if there is one, and validates. fresh reports whether it began
// with the first step.
func (s *gammaSearch) measure(ctx context.Context, gamma float64) (m measuredGamma, fresh bool, err error) {
	m.Gamma = gamma
	cfg := s.cfg.Clone()
	cfg.Gamma = gamma
	trainer, fresh, err := s.trainer(cfg)
	if err != nil {
		return m, false, err
	}
	defer trainer.Close()
	saved := time.Now()
	for trainer.Done() < cfg.Train.Epochs {
		s.reportSearch(trainPhase, trainer.Done()*searchPart, searchSteps)
		_, err := trainer.Epoch(ctx)
		if _, diverged := errors.AsType[*sphere.DivergedError](err); diverged {
			m.Diverged = true
			return m, fresh, nil
		}
		if err != nil {
			return m, false, s.keepStopped(ctx, err, trainer)
		}
		if time.Since(saved) > searchSave {
			if err := s.save(trainer); err != nil {
				return m, false, err
			}
			saved = time.Now()
		}
	}
	s.reportSearch(trainPhase, searchSteps, searchSteps)
	report, err := s.validation.Run(ctx, cfg.Judged(trainer.Model(), s.graph))
	if err != nil {
		return m, false, s.keepStopped(ctx, err, trainer)
	}
	m.MRR = report.LoggedMetrics()["valid/mrr"]
	return m, fresh, nil
}

// trainer returns a new trainer, or one that continues the saved state of its gamma.
func (s *gammaSearch) trainer(cfg *config.Config) (t *sphere.Trainer, fresh bool, err error) {
	if path := s.state(); path != "" {
		t, err := sphere.ResumeTrainer(path, s.graph, cfg.Training())
		switch {
		case err == nil && t.Model().Settings().Gamma == cfg.Settings().Gamma:
			return t, false, nil
		case err == nil:
			t.Close() // of the previous gamma
		case !errors.Is(err, fs.ErrNotExist):
			s.note("warning: the saved search cannot be read, so this value starts over: %v", err)
		}
	}
	model, err := sphere.New(cfg.Settings(), s.graph, cfg.Seed)
	if err == nil {
		t, err = sphere.NewTrainer(model, s.graph, cfg.Training())
	}
	if err != nil {
		return nil, false, cfg.Locate(err)
	}
	return t, true, nil
}

func (s *gammaSearch) reportSearch(phase string, done, total int) {
	s.say(progress.Event{Event: progress.Searching, Done: done, Total: total, Message: fmt.Sprintf("gamma %v (%d of %d), %s",
		searchGammas[s.gamma], s.gamma+1, len(searchGammas), phase)})
}

func (s *gammaSearch) note(format string, values ...any) {
	s.say(progress.Event{Event: progress.Note, Message: fmt.Sprintf(format, values...)})
}

// state is the path of the saved training, "" if nothing is kept.
func (s *gammaSearch) state() string {
	if s.dir == "" {
		return ""
	}
	return filepath.Join(s.dir, partFile)
}

// keepStopped keeps what an interrupt has stopped, and reports it.
func (s *gammaSearch) keepStopped(ctx context.Context, err error, t *sphere.Trainer) error {
	if !interrupted(ctx, err) || s.dir == "" {
		return err
	}
	if failed := s.save(t); failed != nil {
		return errors.Join(err, failed)
	}
	return &stoppedSearch{measured: s.gamma, err: err}
}

// stoppedSearch is the error of an interrupted search, whose measurements are kept.
type stoppedSearch struct {
	measured int // values
	err      error
}

func (e *stoppedSearch) Error() string {
	return fmt.Sprintf("interrupted after %d of %d values; what was measured is kept, and the same training continues from there",
		e.measured, len(searchGammas))
}

func (e *stoppedSearch) Unwrap() error { return e.err }

// save keeps the training in progress.
func (s *gammaSearch) save(t *sphere.Trainer) error {
	if s.dir == "" {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("cannot keep the search for gamma: %w", err)
	}
	return t.Save(s.state())
}

// read returns what was measured before, in the order of searchGammas.
func (s *gammaSearch) read() []measuredGamma {
	if s.dir == "" {
		return nil
	}
	var known []measuredGamma
	raw, err := os.ReadFile(filepath.Join(s.dir, measuredFile))
	if err == nil {
		err = json.Unmarshal(raw, &known)
	}
	for i, m := range known {
		if err == nil && (i >= len(searchGammas) || m.Gamma != searchGammas[i]) {
			err = errors.New("it has other values")
		}
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.note("warning: the saved search cannot be read, so it starts over: %v", err)
		}
		return nil
	}
	return known
}

// write stores what was measured, and removes the state of the training in progress.
func (s *gammaSearch) write(known []measuredGamma) error {
	if s.dir == "" {
		return nil
	}
	raw, err := json.Marshal(known)
	if err == nil {
		err = os.MkdirAll(s.dir, 0o755)
	}
	if err == nil {
		err = atomicfile.Write(filepath.Join(s.dir, measuredFile), append(raw, '\n'), 0o644)
	}
	if err == nil {
		if err = os.Remove(s.state()); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("cannot keep the search for gamma: %w", err)
	}
	return nil
}
