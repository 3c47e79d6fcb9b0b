package answer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/spelling"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// CutNamesFor returns the eval.CutNames that fit the config's model.
func CutNamesFor(c *config.Config) []string {
	return slices.DeleteFunc(eval.CutNames(), func(name string) bool {
		return slices.Contains(sphere.Criteria(), sphere.Criterion(name)) && c.Fits(eval.Criterion(name)) != nil
	})
}

// ParseCut reads the name of a cut that answers can have: a criterion, "fitted-f1" and the other FittedNames of
// eval, "top-10" or any other size, "top-mean". Its errors offer the nearest name.
func ParseCut(name string) (eval.Cut, error) {
	c, ok := eval.ParseCut(name)
	if name == knownCut || ok && c.Kind() == eval.KindLookup {
		return nil, fmt.Errorf("cut %q needs no model: a query marks its answers as known", name)
	}
	if protocol, of := eval.ProtocolOf(c); ok && protocol != eval.ProtocolClean {
		return nil, fmt.Errorf("cut %q knows the true answers, which a query asks for; %q is the cut without them", name,
			of.Name())
	}
	all := eval.CutNames()
	if ok && (c.Kind() != eval.KindFitted || slices.Contains(all, name)) {
		return c, nil
	}
	for _, of := range []string{"precision", "recall", "coverage"} {
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

// knownCut is the name of lookup's cut in tables.
const knownCut = "known"

// thresholds returns the fitted thresholds of that name: those in the run's artifacts, or new ones, which are then kept
// there. If artifacts cannot be written, the caller still gets them.
func (r *Run) thresholds(ctx context.Context, name string, threads int, p progress.Listener) (*sphere.Thresholds,
	error) {
	r.fitting.Lock()
	defer r.fitting.Unlock()
	if r.fitted == nil {
		r.fitted = r.keptThresholds()
	}
	if r.fitted == nil {
		if len(r.fittedOn().Valid) == 0 {
			return nil, r.anotherCut(r.noValidation(name))
		}
		list, err := r.fit(ctx, name, threads, p)
		if err != nil {
			return nil, err
		}
		r.fitted = list
		r.keepThresholds()
	}
	i := slices.IndexFunc(r.fitted, func(t sphere.Thresholds) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s has no thresholds %q", RunTitle(r.Info.ID, r.Info.Name), name)
	}
	return &r.fitted[i], nil
}

// fit fits thresholds, or returns those of the measured run, of which name is one.
func (r *Run) fit(ctx context.Context, name string, threads int, p progress.Listener) ([]sphere.Thresholds, error) {
	if r.measured != nil {
		of, err := r.measured(ctx)
		if err == nil {
			_, err = of.thresholds(ctx, name, threads, p)
		}
		if err != nil {
			return nil, err
		}
		return of.fitted, nil
	}
	return eval.Fit(ctx, r.judge(), r.Graph, eval.FitSettings{Threads: threads, Sample: r.Config.Eval.Sample,
		Progress: r.LongProgress(p, "fitting thresholds on the validation facts; the run keeps them")})
}

func (r *Run) noValidation(cut string) error {
	return fmt.Errorf("graph %s has no validation facts to fit cut %s on", r.Graph.Name, cut)
}

// anotherCut adds a hint to an error that another cut can answer.
func (r *Run) anotherCut(err error) error {
	return hint.With(err, hint.Hint{Action: hint.UseCut, Subject: r.UsualCut()})
}

// keptThresholds returns those in the run's artifacts, nil if there are none that fit the graph.
func (r *Run) keptThresholds() []sphere.Thresholds {
	n, names := r.Graph.Relations.Len(), eval.FittedNames()
	list := kept(r, ThresholdsFile, func(list *[]sphere.Thresholds) bool {
		return slices.EqualFunc(*list, names, func(t sphere.Thresholds, name string) bool {
			return t.Name == name && len(t.Head) == n && len(t.Tail) == n
		})
	})
	if list == nil {
		return nil
	}
	return *list
}

// kept returns the content of a file of the run's artifacts, nil if there is none or it does not fit.
func kept[T any](r *Run, file string, fits func(*T) bool) *T {
	dir, err := r.Info.ArtifactDir()
	if err != nil || r.isUnkept {
		return nil
	}
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return nil
	}
	held := new(T)
	if json.Unmarshal(raw, held) != nil || !fits(held) {
		return nil
	}
	return held
}

// keepThresholds writes the thresholds next to the model.
func (r *Run) keepThresholds() { r.keep(ThresholdsFile, r.fitted) }

// keep writes an artifact next to the model. A failure only costs time later.
func (r *Run) keep(name string, content any) {
	dir, err := r.Info.ArtifactDir()
	if err != nil || r.isUnkept {
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

// LongProgress shows the progress of a long task on the run's queries, after a note. p receives the events; with nil
// there are none.
func (r *Run) LongProgress(p progress.Listener, note string) func(done, total int) {
	if p == nil {
		return nil
	}
	event := func(kind progress.Kind, done, total int, message string) {
		p.Event(progress.Event{Event: kind, Time: time.Now(), RunID: r.Info.ID, RunName: r.Info.Name, Done: done,
			Total:   total,
			Message: message})
	}
	return progress.WhereSlow(func(first bool, done, total int) {
		if first {
			event(progress.Note, 0, 0, note)
		}
		event(progress.Evaluating, done, total, "queries")
	})
}

// A cut that retrieves less than fewNovel of the validation facts, which training does not hold, returns sets that add
// almost nothing to lookup. It is judged by the given number of validation facts.
const (
	fewNovel    = .05
	novelSample = 200
)

// NovelNote is a note if the sets of r contain almost no inferred answer, nil if not. It is judged by validation
// facts, which the model has not seen: what share of them the cut retrieves. The note names a cut that retrieves more,
// if there is one. Without validation facts there is no note. For a promised precision or recall it says instead what
// validation facts say of the promise.
func (r *Run) NovelNote(
	ctx context.Context, by *retrieve.Retriever, threads int, p progress.Listener,
) (*hint.Note, error) {
	o := by.Options()
	if o.Slack != 0 || o.Among != nil {
		return r.novelNote(ctx, by, threads, p)
	}
	r.noting.Lock()
	defer r.noting.Unlock()
	if note, ok := r.notes[by.CutName()]; ok {
		return note, nil
	}
	note, err := r.novelNote(ctx, by, threads, p)
	if err != nil {
		return nil, err
	}
	if r.notes == nil {
		r.notes = map[string]*hint.Note{}
	}
	r.notes[by.CutName()] = note
	return note, nil
}

func (r *Run) novelNote(
	ctx context.Context, by *retrieve.Retriever, threads int, p progress.Listener,
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
	note := &hint.Note{Text: fmt.Sprintf("cut %s retrieves %.1f%% of the validation facts, which the model has not seen: "+
		"its sets have almost no inferred answer", by.CutName(), 100*rate)}
	others := []string{defaultFitted, eval.TopMean{}.Name(), eval.Top(10).Name()}
	if usual := r.UsualCut(); r.DefaultCut(kg.HeadSide) != usual || r.DefaultCut(kg.TailSide) != usual {
		others = append([]string{usual}, others...) // it was left for answers that add to a lookup
	}
	for _, name := range others {
		if name == by.CutName() {
			continue
		}
		other, err := r.Retriever(ctx, Cut{Name: name}, retrieve.Options{Threads: threads}, p)
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
