// Package mlflow is a tracker's backend on a tracking server: this project's or MLflow's own.
package mlflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/internal/form"
	"github.com/spherelab/spherelab/tracker/rest"
)

// remote is a tracking server, which stores and returns runs by MLflow's REST API, without SQL. Artifacts are written
// to a folder of this machine and sent when they are complete.
type remote struct {
	tracker.Unsupported
	o       tracker.Options
	c       *rest.Client
	storage *bucket.Lazy

	relations *kept[tracker.RelationResult, tracker.RelationKey]
	results   *kept[tracker.EvaluationResult, tracker.ResultKey]

	mu     sync.Mutex
	names  map[string]string // of experiments, by id
	uris   map[string]string // of artifacts, by run
	unsure map[string]bool   // runs of which a request may have been stored although its answer was lost
	told   map[string]bool   // runs, and their files, about whose artifacts a notice was given
}

// Open connects to the tracking server of uri (http://... or https://...: that of this project or MLflow's own),
// and sends it what killed programs left in their spools.
func Open(ctx context.Context, uri string, o tracker.Options) (*tracker.Tracker, error) {
	o, err := o.Prepare()
	if err != nil {
		return nil, err
	}
	if err := rest.CheckAddress(uri); err != nil {
		e := tracker.Errorf(tracker.CodeInvalid, err, "the tracking server's address is refused: %v", err)
		if strings.Contains(err.Error(), "password") {
			e = e.With(hint.Hint{Action: hint.NameToken})
		}
		return nil, e
	}
	c := rest.New(uri, rest.Login(o.Login))
	m := &remote{o: o, c: c, storage: &bucket.Lazy{Login: bucket.Login(o.Bucket)}, names: map[string]string{},
		uris:   map[string]string{},
		unsure: map[string]bool{}, told: map[string]bool{}, relations: newKeptRelations(), results: newKeptResults()}
	c.Silent = func() { o.Notice("waiting for %s, which has not answered for %v", m.where(), rest.SilentAfter) }
	t := tracker.New(m, o)
	if c.Plain() && o.Login != (tracker.Login{}) {
		o.Notice("the token travels unencrypted to %s; a server with TLS has an address with https://", c.Address())
	}
	if err := m.retry(ctx, "connecting to "+m.where(), c.Ping); err != nil {
		t.Close()
		return nil, err
	}
	if _, err := t.ReplaySpools(ctx); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Identity returns which server it is.
func (m *remote) Identity() tracker.Identity {
	sum := sha256.Sum256([]byte(m.c.Address()))
	return tracker.Identity{Instance: "server:" + hex.EncodeToString(sum[:8]), Kind: "the tracking server", Where: m.where(),
		Sends: true}
}

func (m *remote) where() string { return "the tracking server " + m.c.Address() }

// Close ends all connections.
func (m *remote) Close() error {
	m.c.Close()
	return nil
}

// retry repeats f while the server cannot be reached, for at most RetryFor.
func (m *remote) retry(ctx context.Context, doing string, f func(context.Context) error) error {
	return m.o.Retry(ctx, doing, func(ctx context.Context) error { return serverFault(f(ctx)) })
}

// folder returns where this machine keeps a run's artifacts.
func (m *remote) folder(run string) string {
	return filepath.Join(m.o.DataDir, "remote", strings.TrimPrefix(m.Identity().Instance, "server:"), run, "artifacts")
}

// remoteID matches ids that are safe as a part of a path.
func isRemoteID(id string) bool {
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
}

// experiment returns the id of the experiment of that name. It creates the experiment if there is none.
func (m *remote) experiment(ctx context.Context, name string) (string, error) {
	for range 3 {
		e, err := m.c.ExperimentByName(ctx, name)
		if err == nil && e.Stage == "deleted" {
			return "", tracker.Errorf(tracker.CodeConflict, nil, "experiment %q is deleted; use another name or restore it with: "+
				"mlflow experiments restore -x %s", name, e.ID)
		}
		if !isMissing(err) {
			return e.ID, err
		}
		id, err := m.c.CreateExperiment(ctx, name)
		if refused, ok := errors.AsType[*rest.Error](err); ok && refused.Code == "RESOURCE_ALREADY_EXISTS" {
			continue // another program has just created it
		}
		return id, err
	}
	return "", tracker.Errorf(tracker.CodeInternal, nil, "experiment %q does not exist and cannot be created", name)
}

func isMissing(err error) bool {
	refused, ok := errors.AsType[*rest.Error](err)
	return ok && refused.IsMissing()
}

// isUnknown reports whether the server lacks an endpoint.
func isUnknown(err error) bool {
	refused, ok := errors.AsType[*rest.Error](err)
	return ok && refused.Unknown()
}

// logInputs logs which data a run used. Servers before MLflow 2.4 cannot store it, and the params have its digest.
func (m *remote) logInputs(ctx context.Context, run string, inputs []tracker.Dataset) error {
	if len(inputs) == 0 {
		return nil
	}
	list := make([]rest.Dataset, len(inputs))
	for i, d := range inputs {
		list[i].Tags = pairs(d.Tags)
		list[i].Data.Name, list[i].Data.Digest = d.Name, d.Digest
		list[i].Data.SourceType, list[i].Data.Source = d.SourceType, d.Source
		list[i].Data.Schema, list[i].Data.Profile = d.Schema, d.Profile
	}
	err := m.c.LogInputs(ctx, run, list)
	if isUnknown(err) {
		return nil
	}
	return err
}

func pairs(texts map[string]string) []rest.Pair {
	list := make([]rest.Pair, 0, len(texts))
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		list = append(list, rest.Pair{Key: key, Value: texts[key]})
	}
	return list
}

// logPairs logs params and tags, in as many requests as their number and length require.
func (m *remote) logPairs(ctx context.Context, run string, params, tags []rest.Pair) error {
	const maximum, longest = 100, 400_000 // of the 1,000,000 bytes that a request may have; escaped it is longer
	send := func(list []rest.Pair, send func([]rest.Pair) error) error {
		first, bytes := 0, 0
		for i, p := range list {
			size := len(p.Key) + len(p.Value)
			if i > first && (i-first == maximum || bytes+size > longest) {
				if err := send(list[first:i]); err != nil {
					return err
				}
				first, bytes = i, 0
			}
			bytes += size
		}
		if first == len(list) {
			return nil
		}
		return send(list[first:])
	}
	err := send(params, func(part []rest.Pair) error { return m.c.LogBatch(ctx, run, nil, part, nil) })
	if err != nil {
		return err
	}
	return send(tags, func(part []rest.Pair) error { return m.c.LogBatch(ctx, run, nil, nil, part) })
}

// Write stores a batch. The protocol has no transactions, so sending something twice must change nothing. MLflow's
// databases store a point once; its folders of files store it as often as it is sent. So if a point may have been
// stored already, Write first reads what is stored.
func (m *remote) Write(ctx context.Context, run string, _ tracker.Claim, b tracker.Batch) error {
	if b.Again {
		m.doubt(run)
	}
	err := m.send(ctx, run, b)
	if e, ok := errors.AsType[*rest.Error](err); ok && e.Code == "" {
		e.Again = true // the answer of a proxy or of another program: the server has not refused the records
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.unsure[run] = true
	} else {
		delete(m.unsure, run)
	}
	return serverFault(err)
}

// forget drops what is kept of a run while this program writes it.
func (m *remote) forget(run string) {
	m.relations.forget(run)
	m.results.forget(run)
}

// doubt records that points of a run may already be stored.
func (m *remote) doubt(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unsure[run] = true
}

func (m *remote) send(ctx context.Context, run string, b tracker.Batch) error {
	m.mu.Lock()
	unsure := m.unsure[run]
	m.mu.Unlock()
	rows := b.Metrics
	if unsure {
		var err error
		if rows, err = m.fresh(ctx, run, rows); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(rows, tracker.MaxRows) {
		metrics := make([]rest.Metric, len(chunk))
		for i, row := range chunk {
			metrics[i] = rest.Metric{Key: row.Key, Value: rest.Float(row.Value), Time: rest.Int(row.Timestamp),
				Step: rest.Int(row.Step)}
			if row.IsNaN {
				metrics[i].Value = rest.Float(form.FromMLflow(0, true))
			}
		}
		if err := m.c.LogBatch(ctx, run, metrics, nil, nil); err != nil {
			return err
		}
	}
	if err := m.logPairs(ctx, run, pairs(b.Params), pairs(b.Tags)); err != nil {
		return err
	}
	if err := m.logInputs(ctx, run, b.Inputs); err != nil {
		return err
	}
	if err := m.relations.store(ctx, m, run, b.Relations); err != nil {
		return err
	}
	if err := m.results.store(ctx, m, run, b.Results); err != nil {
		return err
	}
	if err := m.upload(ctx, run, b.Files); err != nil {
		return err
	}
	if b.Status == "" {
		return nil
	}
	m.forget(run)
	return m.c.UpdateRun(ctx, run, string(b.Status), b.End)
}

// fresh leaves out the points that are stored. Each point gets its time only once, so key, step and time identify it.
func (m *remote) fresh(ctx context.Context, run string, rows []tracker.MetricRow) ([]tracker.MetricRow, error) {
	type place struct {
		key        string
		step, time int64
	}
	keys := map[string]bool{}
	for _, row := range rows {
		keys[row.Key] = true
	}
	stored, err := m.readHistories(ctx, run, slices.Sorted(maps.Keys(keys)))
	if err != nil {
		return nil, err
	}
	known := map[place]bool{}
	for _, p := range stored {
		known[place{p.Key, int64(p.Step), int64(p.Time)}] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row tracker.MetricRow) bool {
		return known[place{row.Key, row.Step, row.Timestamp}]
	}), nil
}

// readHistories returns all values of metrics, a few requests at a time.
func (m *remote) readHistories(ctx context.Context, run string, keys []string) ([]rest.Metric, error) {
	const atOnce = 4
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lists := make([][]rest.Metric, len(keys))
	errs := make([]error, len(keys))
	var wait sync.WaitGroup
	turn := make(chan struct{}, atOnce)
	for i, key := range keys {
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			if lists[i], errs[i] = m.c.History(ctx, run, key); errs[i] != nil {
				stop()
			}
		})
	}
	wait.Wait()
	for _, err := range errs { // the first error that our own stop did not cause
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return slices.Concat(lists...), errors.Join(errs...)
}

// State returns a run's name and status. A missing run may come back: the server's address may lead to another database
// for a while.
func (m *remote) State(ctx context.Context, run string) (tracker.State, error) {
	stored, err := m.c.Run(ctx, run)
	if isMissing(err) {
		return tracker.State{Missing: true}, nil
	}
	return tracker.State{Name: stored.Info.Name, Status: tracker.Status(stored.Info.Status)}, serverFault(err)
}

// Stale sends a notice that the server has no heartbeats.
func (m *remote) Stale(context.Context, []string) ([]string, error) {
	m.o.Notice("%s keeps no signs of life: only runs of this machine are checked", m.where())
	return nil, nil
}
