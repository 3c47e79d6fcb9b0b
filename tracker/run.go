package tracker

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"
)

// Status is a run's state, in MLflow's words.
type Status string

// The states. Only the last three are ends.
const (
	Running  Status = "RUNNING"
	Finished Status = "FINISHED"
	Failed   Status = "FAILED"
	Killed   Status = "KILLED"
)

// RunSpec describes a new run.
type RunSpec struct {
	Experiment string // created if there is none of this name; "": "Default"
	Name       string // "": made from the id
	Params     map[string]string
	Tags       map[string]string
	Lease      *Lease    // of the job that this run does; nil without one
	Inputs     []Dataset // the data that it uses
}

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
	relations map[relationKey]RelationResult
	results   map[resultKey]EvaluationResult
	checked   map[string]bool // names of metrics that are in order
	finished  bool

	flushMu sync.Mutex // one writer to the database at a time
	flushed int64      // spool offset up to which the database has everything; guarded by flushMu

	failMu sync.Mutex
	failed error // permanent: the database refuses this run's records

	stop context.CancelFunc // ends the background writer
	done chan struct{}      // closed when it has ended
}

// StartRun creates a run and marks it RUNNING. If the database cannot be reached, it waits for Options.RetryFor.
func (t *Tracker) StartRun(ctx context.Context, spec RunSpec) (*Run, error) {
	spec.Experiment = cmp.Or(spec.Experiment, "Default")
	id := randomHex(16)
	spec.Name = cmp.Or(spec.Name, "run-"+ShortID(id))
	if err := checkText("the name of experiment", spec.Experiment, spec.Experiment, maxExperiment); err != nil {
		return nil, err
	}
	if err := checkText("the name of run", spec.Name, spec.Name, maxRunName); err != nil {
		return nil, err
	}
	tags := map[string]string{tagRunName: spec.Name, "mlflow.user": t.user, "mlflow.source.type": "LOCAL",
		"mlflow.source.name": filepath.Base(os.Args[0])}
	maps.Copy(tags, spec.Tags)
	tags[tagRunName] = spec.Name
	if err := errors.Join(checkParams(spec.Params), checkTags(tags)); err != nil {
		return nil, err
	}
	if t.remote != nil {
		return t.remote.start(ctx, spec, tags)
	}
	if err := t.bucketWritable(ctx); err != nil {
		return nil, err
	}
	s, err := createSpool(t.o.DataDir, t.instance, id, spec.Lease.claim())
	if err != nil {
		return nil, errorf(CodeInternal, err, "creating the run's spool file in %s: %v",
			filepath.Join(t.o.DataDir, "spool"), err)
	}
	var uri, dir string
	err = t.retry(ctx, "starting a run", func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error {
			experiment, err := t.experimentID(ctx, tx, spec.Experiment)
			if err != nil {
				return err
			}
			if uri, dir, err = t.newArtifacts(experiment, id); err != nil {
				return err
			}
			if err := t.insertRun(ctx, tx, id, spec, tags, experiment, uri); err != nil {
				return err
			}
			return spec.Lease.claim().attach(ctx, tx, id)
		})
	})
	if err == nil {
		if err2 := os.MkdirAll(dir, 0o755); err2 != nil {
			err = errorf(CodeInternal, err2, "creating the run's artifact folder: %v", err2)
			t.markFailed(ctx, id)
		}
	}
	if err != nil {
		_ = s.remove() // it holds nothing
		return nil, err
	}
	r := t.newRun(id, spec.Name, dir, s)
	r.inBucket = t.inBucket
	maps.Copy(r.params, spec.Params)
	r.begin()
	return r, nil
}

func (t *Tracker) insertRun(ctx context.Context, tx *sqlx.Tx, id string, spec RunSpec, tags map[string]string,
	experiment int, uri string) error {
	row := newRunRow{id: id, name: spec.Name, source: filepath.Base(os.Args[0]), user: t.user, status: Running,
		start: time.Now().UnixMilli(), uri: uri, experiment: experiment,
		entry: tags["mlflow.project.entryPoint"], commit: tags["mlflow.source.git.commit"]}
	// The id is unique to this call: if it is taken, an earlier try was committed and only its answer was lost.
	if fresh, err := row.insert(ctx, tx); err != nil || !fresh {
		return err
	}
	if err := insertParams(ctx, tx, id, spec.Params); err != nil {
		return err
	}
	if err := upsertTags(ctx, tx, id, tags); err != nil {
		return err
	}
	if err := insertInputs(ctx, tx, id, spec.Inputs); err != nil {
		return err
	}
	return recordHeartbeat(ctx, tx, id)
}

// newRunRow is a new row of MLflow's table runs.
type newRunRow struct {
	id, name, source, user string
	status                 Status
	start                  int64  // Unix milliseconds
	end                    *int64 // nil while the run is RUNNING
	uri                    string // of its artifacts
	entry, commit          string // what started it and of which version; "" if unknown
	experiment             int
}

// fits is a text for a column of 50 characters, else "": the tag has all of it.
func fits(text string) string {
	if utf8.RuneCountInString(text) > 50 {
		return ""
	}
	return text
}

// insert reports whether the id was free.
func (r newRunRow) insert(ctx context.Context, tx *sqlx.Tx) (fresh bool, err error) {
	res, err := tx.ExecContext(ctx, `INSERT INTO public.runs (run_uuid, name, source_type, source_name, entry_point_name,
			user_id, status, start_time, end_time, source_version, lifecycle_stage, artifact_uri, experiment_id, deleted_time)
		VALUES ($1, $2, 'LOCAL', $3, $10, $4, $5, $6, $7, $11, 'active', $8, $9, NULL) ON CONFLICT DO NOTHING`,
		r.id, r.name, r.source, r.user, string(r.status), r.start, r.end, r.uri, r.experiment,
		fits(r.entry), fits(r.commit))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// experimentID returns the id of the experiment of that name and creates it if there is none. Since MLflow 3.10 names
// are unique within a workspace, a column that older tables lack; an insert without it goes to the workspace default.
func (t *Tracker) experimentID(ctx context.Context, tx *sqlx.Tx, name string) (int, error) {
	for {
		var e struct {
			ID    int    `db:"experiment_id"`
			Stage string `db:"lifecycle_stage"`
		}
		err := tx.GetContext(ctx, &e, `SELECT experiment_id, coalesce(lifecycle_stage, 'active') AS lifecycle_stage
			FROM public.experiments e WHERE name = $1 AND coalesce(to_jsonb(e) ->> 'workspace', 'default') = 'default'`, name)
		if err == nil && e.Stage != "active" {
			return 0, errorf(CodeConflict, nil, "experiment %q is deleted; use another name or restore it with: "+
				"mlflow experiments restore -x %d", name, e.ID)
		}
		if !isNoRows(err) {
			return e.ID, err
		}
		now := time.Now().UnixMilli()
		err = tx.GetContext(ctx, &e.ID, `INSERT INTO public.experiments
			(name, lifecycle_stage, creation_time, last_update_time)
			VALUES ($1, 'active', $2, $2) ON CONFLICT DO NOTHING RETURNING experiment_id`, name, now)
		if isNoRows(err) {
			continue // another program has just created it
		}
		if err != nil {
			return 0, err
		}
		location := t.experimentURI(e.ID)
		if err := checkText("the artifact folder of experiment", name, location, maxExperiment); err != nil {
			return 0, err
		}
		_, err = tx.ExecContext(ctx, `UPDATE public.experiments SET artifact_location = $2 WHERE experiment_id = $1`,
			e.ID, location)
		return e.ID, err
	}
}

func (t *Tracker) newRun(id, name, dir string, s *spool) *Run {
	return &Run{t: t, id: id, name: name, artifactDir: dir, spool: s, flushed: s.head, params: map[string]string{},
		relations: map[relationKey]RelationResult{}, results: map[resultKey]EvaluationResult{},
		checked: map[string]bool{}, done: make(chan struct{})}
}

// begin registers the run and starts its background writer.
func (r *Run) begin() {
	r.t.runsMu.Lock()
	r.t.runs[r.id] = r
	r.t.runsMu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go r.background(ctx)
}

// ID is the run's id, 32 hexadecimal digits.
func (r *Run) ID() string { return r.id }

// Name is the run's name.
func (r *Run) Name() string { return r.name }

// ArtifactDir is the local folder for the run's artifacts. It exists.
func (r *Run) ArtifactDir() string { return r.artifactDir }

// LogMetrics records values at a step. It returns when the record is in the spool file and does not wait for the
// database. In a resumed run a (key, step) that is stored already is skipped if the value is the same, and an Error
// with CodeConflict if it is not; under system/ the stored value stays, because times and speeds differ from run to
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
	if err := checkParams(params); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := map[string]string{}
	for _, key := range sortedKeys(params) {
		old, ok := r.params[key]
		if ok && old != params[key] {
			return paramConflict(key, old, params[key])
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
	if err := checkTags(tags); err != nil {
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
	if r.finished {
		return errorf(CodeInvalid, nil, "run %s is finished; nothing can be logged to it", r.id)
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
		return errorf(CodeInternal, err, "run %s: writing to its spool file: %v", r.id, err)
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
	if !transient(err) {
		return wrap(err, "writing run "+r.id)
	}
	return errorf(CodeSpooled, err, "run %s: %s (%s); its records are safe in %s, and the next start writes them",
		r.id, trouble(err), plain(err), r.spool.path)
}

// Finish ends the run with FINISHED, FAILED or KILLED and writes everything to the database. If the database cannot
// be reached for Options.RetryFor, or ctx ends, the error has CodeSpooled: the next Open stores the records.
func (r *Run) Finish(ctx context.Context, status Status) error {
	if status != Finished && status != Failed && status != Killed {
		return errorf(CodeInvalid, nil, "a run ends as FINISHED, FAILED or KILLED, not %q", status)
	}
	r.mu.Lock()
	err := r.record(entry{Kind: "finish", Status: status})
	if err == nil {
		r.finished = true
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
	for err != nil && transient(err) && ctx.Err() == nil && time.Now().Add(pause).Before(deadline) {
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
	finished := r.finished
	r.finished = true // nothing more can be logged through this handle
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
