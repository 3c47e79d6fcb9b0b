package tracker

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spherelab/spherelab/tracker/internal/unique"
)

// Run is an open run: this program writes it, and no other program can.
type Run struct {
	t           *Tracker
	id, name    string
	artifactDir string
	inBucket    bool // artifactDir is this machine's copy
	spool       *spool

	mu       sync.Mutex
	params   map[string]string                // known params, to refuse changes at once
	previous map[string]map[int64]metricValue // stored before this program resumed the run; by key and step
	// known results, per relation and of evaluations, to refuse changes at once
	relations  map[RelationKey]RelationResult
	results    map[ResultKey]EvaluationResult
	checked    map[string]bool // names of metrics that are in order
	isFinished bool

	flushMu sync.Mutex // one writer to the database at a time
	flushed int64      // spool offset up to which the database has everything; guarded by flushMu

	failMu sync.Mutex
	failed error // permanent: the database refuses this run's records

	stopping chan struct{} // closed when the program is asked to end

	stop context.CancelFunc // ends the background writer
	done chan struct{}      // closed when it has ended
}

// StartRun creates a run and marks it RUNNING. If the store cannot be reached, it waits for Options.RetryFor.
func (t *Tracker) StartRun(ctx context.Context, spec RunSpec) (*Run, error) {
	spec.Experiment = cmp.Or(spec.Experiment, "Default")
	if err := CheckText("the name of experiment", spec.Experiment, spec.Experiment, MaxExperiment); err != nil {
		return nil, err
	}
	id := unique.RandomHex(16)
	spec.Name = cmp.Or(spec.Name, "run-"+ShortID(id))
	if err := CheckText("the name of run", spec.Name, spec.Name, MaxRunName); err != nil {
		return nil, err
	}
	tags := map[string]string{TagRunName: spec.Name, "mlflow.user": t.user, "mlflow.source.type": "LOCAL",
		"mlflow.source.name": filepath.Base(os.Args[0])}
	maps.Copy(tags, spec.Tags)
	tags[TagRunName] = spec.Name
	if err := errors.Join(CheckParams(spec.Params), CheckTags(tags)); err != nil {
		return nil, err
	}
	spec.Tags = tags
	var s *spool
	place, err := t.backend.Create(ctx, NewRun{RunSpec: spec, ID: id, User: t.user}, func(id string) (err error) {
		s, err = createSpool(t.o.DataDir, t.identity().Instance, id, spec.Claim)
		return err
	})
	if err != nil {
		if s != nil {
			_ = s.remove() // it holds nothing
		}
		return nil, err
	}
	r := t.newRun(place.ID, spec.Name, place.Dir, s)
	r.inBucket = place.InBucket
	if place.Bare {
		if err := r.startBare(ctx, spec); err != nil {
			return nil, err
		}
		return r, nil
	}
	maps.Copy(r.params, spec.Params)
	r.begin()
	return r, nil
}

// startBare logs the params and inputs of a new run, of which the store has nothing yet.
func (r *Run) startBare(ctx context.Context, spec RunSpec) error {
	err := r.LogParams(spec.Params)
	if err == nil && len(spec.Inputs) > 0 {
		err = r.record(entry{Kind: "inputs", Inputs: spec.Inputs})
	}
	r.begin()
	if err == nil {
		if err = r.flush(ctx); Transient(err) && ctx.Err() == nil {
			err = nil // the server has been lost since; the background writer waits for it
		}
	}
	if err != nil {
		return errors.Join(Wrap(err, "starting a run"), r.Finish(context.WithoutCancel(ctx), Failed))
	}
	return nil
}

func (t *Tracker) newRun(id, name, dir string, s *spool) *Run {
	return &Run{t: t, id: id, name: name, artifactDir: dir, spool: s, flushed: s.head, params: map[string]string{},
		relations: map[RelationKey]RelationResult{}, results: map[ResultKey]EvaluationResult{},
		checked: map[string]bool{}, done: make(chan struct{}), stopping: make(chan struct{})}
}

// begin registers the run and starts its background writer.
func (r *Run) begin() {
	r.t.runsMu.Lock()
	r.t.runs[r.id] = r
	r.t.runsMu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go r.flushInBackground(ctx)
}

// ID is the run's id, 32 hexadecimal digits.
func (r *Run) ID() string { return r.id }

// Name is the run's name.
func (r *Run) Name() string { return r.name }

// ArtifactDir is the local folder for the run's artifacts. It exists.
func (r *Run) ArtifactDir() string { return r.artifactDir }

// LogMetrics records values at a step. It returns when the record is in the spool file and does not wait for the
// database. In a resumed run a (key, step) that is stored already is skipped if the value is the same, and an Error
// With CodeConflict if it is not; under system/ the stored value stays, because times and speeds differ from run to
// run.
func (r *Run) LogMetrics(step int64, values map[string]float64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.checkMetrics(values); err != nil {
		return err
	}
	if len(r.previous) > 0 {
		var err error
		if values, err = r.freshMetrics(step, values); err != nil {
			return err
		}
	}
	if len(values) == 0 {
		return r.checkOpen()
	}
	return r.record(entry{Kind: "metric", Step: step, logged: values})
}

// LogParams adds params. A param that the run has already must have the same value.
func (r *Run) LogParams(params map[string]string) error {
	if err := CheckParams(params); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(params)) {
		old, ok := r.params[key]
		if ok && old != params[key] {
			return ParamConflict(key, old, params[key])
		}
		if !ok {
			fresh[key] = params[key]
		}
	}
	if len(fresh) == 0 {
		return r.checkOpen()
	}
	if err := r.record(entry{Kind: "param", Texts: fresh}); err != nil {
		return err
	}
	maps.Copy(r.params, fresh)
	return nil
}

// SetTags sets or replaces tags.
func (r *Run) SetTags(tags map[string]string) error {
	if err := CheckTags(tags); err != nil {
		return err
	}
	if len(tags) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record(entry{Kind: "tag", Texts: tags})
}

// checkOpen is an error if nothing can be logged any more. r.mu is held.
func (r *Run) checkOpen() error {
	if r.isFinished {
		return Errorf(CodeInvalid, nil, "run %s is finished; nothing can be logged to it", r.id)
	}
	return nil
}

// record spools an entry with the present time. r.mu is held.
func (r *Run) record(e entry) error {
	if err := r.checkOpen(); err != nil {
		return err
	}
	e.Time = time.Now().UnixMilli()
	if err := r.spool.append(e); err != nil {
		return Errorf(CodeInternal, err, "run %s: writing to its spool file: %v", r.id, err)
	}
	return nil
}

// Flush forces the spool to the disk and writes its records to the database. An Error with CodeSpooled means that the
// database cannot be reached and the records wait in the spool.
func (r *Run) Flush(ctx context.Context) error {
	if err := r.flush(ctx); err != nil {
		return r.spooled(err)
	}
	return nil
}

func (r *Run) spooled(err error) error {
	if !Transient(err) {
		return Wrap(err, "writing run "+r.id)
	}
	return Errorf(CodeSpooled, err, "run %s: %s (%s); its records are safe in %s, and the next start writes them",
		r.id, trouble(err), Plain(err), r.spool.path)
}

// Finish ends the run with FINISHED, FAILED or KILLED and writes everything to the database. If the database cannot
// be reached for Options.RetryFor, or ctx ends, the error has CodeSpooled: the next Open stores the records.
func (r *Run) Finish(ctx context.Context, status Status) error {
	if status != Finished && status != Failed && status != Killed {
		return Errorf(CodeInvalid, nil, "a run ends as FINISHED, FAILED or KILLED, not %q", status)
	}
	r.mu.Lock()
	err := r.record(entry{Kind: "finish", Status: status})
	if err == nil {
		r.isFinished = true
	}
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return r.release(ctx)
}

// release ends the background writer, stores the rest and closes the spool. It removes a spool that is all stored.
func (r *Run) release(ctx context.Context) error {
	r.stop()
	<-r.done
	deadline := time.Now().Add(r.t.o.RetryFor)
	err := r.flush(ctx)
	tries, pause := 0, 50*time.Millisecond
	for err != nil && Transient(err) && ctx.Err() == nil && time.Now().Add(pause).Before(deadline) {
		if tries++; tries == 2 {
			r.t.say("run %s: %s; its end waits up to %v for that. Its records are in %s, so nothing is lost where the "+
				"program is ended sooner", r.name, trouble(err), r.t.o.RetryFor, r.spool.path)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, time.Second)
		err = r.flush(ctx)
	}
	r.mu.Lock()
	finished := r.isFinished
	r.isFinished = true // nothing more can be logged through this handle
	r.mu.Unlock()
	r.t.runsMu.Lock()
	if r.t.runs[r.id] == r { // a later handle of the run may have taken the place
		delete(r.t.runs, r.id)
	}
	r.t.runsMu.Unlock()
	if ErrorCode(err) == CodeFenced { // another worker has logged the same, or will
		return errors.Join(err, r.spool.remove())
	}
	if err != nil {
		return errors.Join(r.spooled(err), r.spool.close())
	}
	if !finished { // the empty spool tells the next Open that the program ended before the run
		return r.spool.close()
	}
	return r.spool.remove()
}

type metricValue struct {
	value float64
	isNaN bool
}
