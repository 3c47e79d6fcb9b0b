package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/spelling"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// AnswerCutNames are the names of cuts of answers; "top-10" stands for every size, "precision-0.8" and
// "recall-0.5" for every share.
func AnswerCutNames() []string {
	names := append(eval.FittedNames(), eval.ExpectedNames()...)
	for _, c := range sphere.Criteria() {
		names = append(names, string(c))
	}
	return append(names, eval.TopMean{}.Name(), eval.Top(10).Name(), "precision-0.8", "recall-0.5")
}

// AnswerCutNames are those of the package that fit the config's model.
func (c *Config) AnswerCutNames() []string {
	return slices.DeleteFunc(AnswerCutNames(), func(name string) bool {
		return slices.Contains(sphere.Criteria(), sphere.Criterion(name)) && c.fits(eval.Criterion(name)) != nil
	})
}

// fits says why a criterion does not fit the config's model, nil where it does.
func (c *Config) fits(criterion eval.Criterion) error {
	with := *c
	with.Eval.Criterion = criterion.Name()
	return with.validateCriterion()
}

// ParseAnswerCut reads the name of a cut that answers can have: a criterion, "fitted-f1" and the other FittedNames of
// eval, "top-10" or any other size, "top-mean". Its errors offer the nearest name.
func ParseAnswerCut(name string) (eval.Cut, error) {
	c, ok := eval.ParseCut(name)
	if name == knownCut || ok && c.Kind() == eval.KindLookup {
		return nil, fmt.Errorf("cut %q needs no model: a query marks its answers as known", name)
	}
	if protocol, of := eval.ProtocolOf(c); ok && protocol != eval.ProtocolClean {
		return nil, fmt.Errorf("cut %q knows the true answers, which a query asks for; %q is the cut without them", name,
			of.Name())
	}
	all := AnswerCutNames()
	if ok && (c.Kind() != eval.KindFitted || slices.Contains(all, name)) {
		return c, nil
	}
	for _, of := range []string{"precision", "recall"} {
		if _, promised := strings.CutPrefix(name, of+"-"); promised {
			return nil, fmt.Errorf("there is no cut %q; a promised %s is written %s-0.8, with a share above 0 and below 1 of "+
				"six digits at most", name, of, of)
		}
	}
	message, there := fmt.Sprintf("there is no cut %q; ", name), "there are"
	if near := spelling.Nearest(all, name, 1); len(near) > 0 {
		message, there = message+fmt.Sprintf("did you mean %q? ", near[0]), "There are"
	}
	return nil, fmt.Errorf("%s%s: %s (or another size or share)", message, there, strings.Join(all, ", "))
}

// knownCut is what tables call the cut of lookup.
const knownCut = "known"

// thresholds are the fitted thresholds of that name: those that the run's artifacts have, or new ones, which are then
// kept there for the next time. Where artifacts cannot be written, the program that asked still has them.
func (r *TrainedRun) thresholds(ctx context.Context, name string, threads int, p Progress) (*sphere.Thresholds, error) {
	r.fitting.Lock()
	defer r.fitting.Unlock()
	if r.fitted == nil {
		r.fitted = r.keptThresholds()
	}
	if r.fitted == nil {
		if len(r.Graph.Valid) == 0 {
			return nil, r.anotherCut(r.noValidation(name))
		}
		list, err := eval.Fit(ctx, r.judge(), r.Graph, eval.FitSettings{Threads: threads, Sample: r.Config.Eval.Sample,
			Progress: r.LongProgress(p, "fitting thresholds on the validation facts; the run keeps them")})
		if err != nil {
			return nil, err
		}
		r.fitted = list
		r.keepThresholds()
	}
	i := slices.IndexFunc(r.fitted, func(t sphere.Thresholds) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s has no thresholds %q", runTitle(r.Info.ID, r.Info.Name), name)
	}
	return &r.fitted[i], nil
}

func (r *TrainedRun) noValidation(cut string) error {
	return fmt.Errorf("graph %s has no validation facts to fit cut %s on", r.Graph.Name, cut)
}

// anotherCut adds to an error the hint that another cut answers.
func (r *TrainedRun) anotherCut(err error) error {
	return hint.With(err, hint.Hint{Action: hint.UseCut, Subject: r.DefaultCut()})
}

// keptThresholds are those in the run's artifacts, nil where there are none that fit the graph.
func (r *TrainedRun) keptThresholds() []sphere.Thresholds {
	dir, err := r.Info.ArtifactDir()
	if err != nil || r.unkept {
		return nil
	}
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(thresholdsFile)))
	if err != nil {
		return nil
	}
	var list []sphere.Thresholds
	if json.Unmarshal(raw, &list) != nil || len(list) != len(eval.FittedNames()) {
		return nil
	}
	n := r.Graph.Relations.Len()
	for i, t := range list {
		if t.Name != eval.FittedNames()[i] || len(t.Head) != n || len(t.Tail) != n {
			return nil
		}
	}
	return list
}

// keepThresholds writes the thresholds beside the model.
func (r *TrainedRun) keepThresholds() { r.keep(thresholdsFile, r.fitted) }

// keep writes an artifact beside the model. A failure costs only time later.
func (r *TrainedRun) keep(name string, content any) {
	dir, err := r.Info.ArtifactDir()
	if err != nil || r.unkept {
		return
	}
	if !modelHere(r.Info) {
		return // the run was deleted meanwhile, or has no folder
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = atomicfile.Write(path, raw, 0o644)
	}
}

// soon is after which time a longer work is shown, and how often.
const soon = time.Second

// LongProgress shows work on the run's queries where it takes long, with a note before: p gets the events, nil none.
func (r *TrainedRun) LongProgress(p Progress, note string) func(done, total int) {
	if p == nil {
		return nil
	}
	event := func(kind EventKind, done, total int, message string) {
		p.Event(Event{Event: kind, Time: time.Now(), RunID: r.Info.ID, RunName: r.Info.Name, Done: done, Total: total,
			Message: message})
	}
	return whereSlow(func(first bool, done, total int) {
		if first {
			event(Note, 0, 0, note)
		}
		event(Evaluating, done, total, "queries")
	})
}

// whereSlow is the progress of a work that begins now: show is called where that takes long, and not too often.
func whereSlow(show func(first bool, done, total int)) func(done, total int) {
	last, shown := time.Now(), false
	return func(done, total int) {
		if time.Since(last) < soon && !(shown && done == total) || !shown && done == total {
			return
		}
		last = time.Now()
		show(!shown, done, total)
		shown = true
	}
}

// Few inferred answers: a cut that retrieves less than fewNovel of validation facts, which training does not hold,
// gives sets that add almost nothing to lookup. So many validation facts are tried.
const (
	fewNovel    = .05
	novelSample = 200
)

// NovelNote is a note if the sets of r contain almost no inferred answer, nil if not. It is judged by validation
// facts, which the model has not seen: what share of them the cut retrieves. The note names a cut that retrieves more,
// if there is one. Without validation facts there is no note. For a promised precision or recall it says instead what
// validation facts say of the promise.
func (r *TrainedRun) NovelNote(
	ctx context.Context, by *retrieve.Retriever, threads int, p Progress,
) (*hint.Note, error) {
	o := by.Options()
	if o.Slack != 0 {
		return r.novelNote(ctx, by, threads, p)
	}
	r.noting.Lock()
	defer r.noting.Unlock()
	if note, ok := r.notes[o.Cut]; ok {
		return note, nil
	}
	note, err := r.novelNote(ctx, by, threads, p)
	if err != nil {
		return nil, err
	}
	if r.notes == nil {
		r.notes = map[string]*hint.Note{}
	}
	r.notes[o.Cut] = note
	return note, nil
}

func (r *TrainedRun) novelNote(
	ctx context.Context, by *retrieve.Retriever, threads int, p Progress,
) (*hint.Note, error) {
	if note, err := r.promiseNote(ctx, by.Options().Cut, threads, p); note != nil || err != nil {
		return note, err
	}
	facts := r.Graph.Valid
	if len(facts) == 0 {
		return nil, nil
	}
	step := max(1, len(facts)/novelSample)
	sample := facts[:0:0]
	for i := 0; i < len(facts); i += step {
		sample = append(sample, facts[i])
	}
	rate, err := by.RetrieveRate(ctx, sample)
	if err != nil || rate >= fewNovel {
		return nil, err
	}
	o := by.Options()
	note := &hint.Note{Text: fmt.Sprintf("cut %s retrieves %.1f%% of the validation facts, which the model has not seen: "+
		"its sets have almost no inferred answer", o.Cut, 100*rate)}
	for _, name := range []string{defaultFitted, eval.TopMean{}.Name(), eval.Top(10).Name()} {
		if name == o.Cut {
			continue
		}
		other, err := r.Retriever(ctx, AnswerCut{Name: name}, retrieve.Options{Threads: threads}, p)
		if err != nil {
			return nil, err
		}
		more, err := other.RetrieveRate(ctx, sample)
		if err != nil {
			return nil, err
		}
		if more >= fewNovel {
			note.Text += fmt.Sprintf("; cut %s retrieves %.1f%%", name, 100*more)
			note.List = []hint.Hint{{Action: hint.UseCut, Subject: name}}
			break
		}
	}
	return note, nil
}
