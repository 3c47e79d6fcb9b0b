package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker/rest"
)

// remote is a tracking server, which takes and gives runs by MLflow's REST API, and no SQL. Artifacts are written to a
// folder of this machine and sent when they are complete.
type remote struct {
	t *Tracker
	c *rest.Client

	relations *kept[RelationResult, relationKey]
	results   *kept[EvaluationResult, resultKey]

	mu     sync.Mutex
	names  map[string]string // of experiments, by id
	uris   map[string]string // of artifacts, by run
	unsure map[string]bool   // runs of which a request may have been stored although its answer was lost
	told   map[string]bool   // runs, and their files, about whose artifacts a notice was given
}

// isServer reports whether an address is that of a tracking server and not of a database.
func isServer(uri string) bool {
	scheme, _, _ := strings.Cut(uri, "://")
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// openServer connects to a tracking server.
func (t *Tracker) openServer(ctx context.Context) error {
	if err := rest.CheckAddress(t.uri); err != nil {
		e := errorf(CodeInvalid, err, "the tracking server's address is refused: %v", err)
		if strings.Contains(err.Error(), "password") {
			e = e.with(hint.Hint{Action: hint.NameToken})
		}
		return e
	}
	c := rest.New(t.uri, t.o.Login)
	c.Silent = t.saySilent
	t.remote = &remote{t: t, c: c, names: map[string]string{}, uris: map[string]string{}, unsure: map[string]bool{},
		told: map[string]bool{}, relations: newKeptRelations(), results: newKeptResults()}
	t.db = openDB(&connector{refuse: t.NeedSQL})
	sum := sha256.Sum256([]byte(c.Address()))
	t.instance = "server:" + hex.EncodeToString(sum[:8])
	if c.Plain() && t.o.Login != (rest.Login{}) {
		t.say("the token travels unencrypted to %s; a server with TLS has an address with https://", c.Address())
	}
	if err := t.retry(ctx, "connecting to "+t.where(), c.Ping); err != nil {
		return err
	}
	_, err := t.ReplaySpools(ctx)
	return err
}

// Remote reports whether runs are logged to a tracking server, which has no SQL.
func (t *Tracker) Remote() bool { return t.remote != nil }

// NeedSQL is an Error with CodeUnsupported if the tracker is a tracking server.
func (t *Tracker) NeedSQL() error {
	if t.remote == nil {
		return nil
	}
	return errorf(CodeUnsupported, nil, "%s takes and gives runs, but this needs its database", t.where()).
		with(hint.Hint{Action: hint.NameTracker})
}

// folder is where this machine keeps a run's artifacts.
func (m *remote) folder(run string) string {
	return filepath.Join(m.t.o.DataDir, "remote", strings.TrimPrefix(m.t.instance, "server:"), run, "artifacts")
}

// remoteID matches what may be a part of a path.
func isRemoteID(id string) bool {
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
}

// experiment returns the id of the experiment of that name and creates it if there is none.
func (m *remote) experiment(ctx context.Context, name string) (string, error) {
	for range 3 {
		e, err := m.c.ExperimentByName(ctx, name)
		if err == nil && e.Stage == "deleted" {
			return "", errorf(CodeConflict, nil, "experiment %q is deleted; use another name or restore it with: "+
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
	return "", errorf(CodeInternal, nil, "experiment %q is neither there nor can it be created", name)
}

func isMissing(err error) bool {
	refused, ok := errors.AsType[*rest.Error](err)
	return ok && refused.Missing()
}

// isUnknown reports whether the server lacks an endpoint.
func isUnknown(err error) bool {
	refused, ok := errors.AsType[*rest.Error](err)
	return ok && refused.Unknown()
}

// logInputs logs which data a run used. Servers before MLflow 2.4 cannot, and the params have its digest.
func (m *remote) logInputs(ctx context.Context, run string, inputs []Dataset) error {
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
	for _, key := range sortedKeys(texts) {
		list = append(list, rest.Pair{Key: key, Value: texts[key]})
	}
	return list
}

// logPairs logs params and tags, in as many requests as their number and length need.
func (m *remote) logPairs(ctx context.Context, run string, params, tags []rest.Pair) error {
	const most, longest = 100, 400_000 // of the 1,000,000 bytes that a request may have; escaped it is longer
	send := func(list []rest.Pair, send func([]rest.Pair) error) error {
		first, bytes := 0, 0
		for i, p := range list {
			size := len(p.Key) + len(p.Value)
			if i > first && (i-first == most || bytes+size > longest) {
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

// write stores a batch. The protocol has no transactions: what is sent twice must change nothing. MLflow's databases
// store a point once; its folders of files store it as often as it is sent. So if a point may be there already, what is
// stored is read first.
func (m *remote) write(ctx context.Context, run string, b batch) error {
	err := m.send(ctx, run, b)
	if e, ok := errors.AsType[*rest.Error](err); ok && e.Code == "" {
		e.Again = true // a proxy's answer, or none of the API: it is no verdict on the records
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.unsure[run] = true
	} else {
		delete(m.unsure, run)
	}
	return err
}

// forget drops what is kept of a run while this program writes it.
func (m *remote) forget(run string) {
	m.relations.forget(run)
	m.results.forget(run)
}

// doubt says that points of a run may be stored already.
func (m *remote) doubt(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unsure[run] = true
}

func (m *remote) send(ctx context.Context, run string, b batch) error {
	m.mu.Lock()
	unsure := m.unsure[run]
	m.mu.Unlock()
	rows := b.metrics
	if unsure {
		var err error
		if rows, err = m.fresh(ctx, run, rows); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(rows, rowsPerStatement) {
		metrics := make([]rest.Metric, len(chunk))
		for i, row := range chunk {
			metrics[i] = rest.Metric{Key: row.key, Value: rest.Float(row.value), Time: rest.Int(row.timestamp),
				Step: rest.Int(row.step)}
			if row.isNaN {
				metrics[i].Value = rest.Float(fromMLflow(0, true))
			}
		}
		if err := m.c.LogBatch(ctx, run, metrics, nil, nil); err != nil {
			return err
		}
	}
	if err := m.logPairs(ctx, run, pairs(b.params), pairs(b.tags)); err != nil {
		return err
	}
	if err := m.logInputs(ctx, run, b.inputs); err != nil {
		return err
	}
	if err := m.relations.store(ctx, m, run, b.relations); err != nil {
		return err
	}
	if err := m.results.store(ctx, m, run, b.results); err != nil {
		return err
	}
	if err := m.upload(ctx, run, b.files); err != nil {
		return err
	}
	if b.status == "" {
		return nil
	}
	m.forget(run)
	return m.c.UpdateRun(ctx, run, string(b.status), b.end)
}

// fresh leaves out the points that are stored. This program gives each its time once, so key, step and time tell.
func (m *remote) fresh(ctx context.Context, run string, rows []metricRow) ([]metricRow, error) {
	type place struct {
		key        string
		step, time int64
	}
	keys := map[string]bool{}
	for _, row := range rows {
		keys[row.key] = true
	}
	stored, err := m.histories(ctx, run, sortedKeys(keys))
	if err != nil {
		return nil, err
	}
	known := map[place]bool{}
	for _, p := range stored {
		known[place{p.Key, int64(p.Step), int64(p.Time)}] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row metricRow) bool {
		return known[place{row.key, row.step, row.timestamp}]
	}), nil
}

// histories returns all values of metrics, a few requests at a time.
func (m *remote) histories(ctx context.Context, run string, keys []string) ([]rest.Metric, error) {
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
	for _, err := range errs { // the first that is not of our own stop
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return slices.Concat(lists...), errors.Join(errs...)
}

// state is a run's name and status; sql.ErrNoRows says that it is not there.
func (m *remote) state(ctx context.Context, run string) (name string, status Status, err error) {
	stored, err := m.c.Run(ctx, run)
	if isMissing(err) {
		return "", "", errNoRows
	}
	return stored.Info.Name, Status(stored.Info.Status), err
}

// wrapServer is wrap for errors of a tracking server; ok is false for others.
func wrapServer(err error, doing string) (*Error, bool) {
	e, ok := errors.AsType[*rest.Error](err)
	if !ok {
		return nil, false
	}
	text := redact(strings.Join(strings.Fields(e.Message), " "))
	switch {
	case e.Denied():
		return errorf(CodeUnavailable, err, "%s: the tracking server refuses: %s", doing, text).
			with(hint.Hint{Action: hint.NameToken}), true
	case e.Transient():
		return errorf(CodeUnavailable, err, "%s: %s: %s", doing, trouble(err), text), true
	case e.Missing():
		return errorf(CodeNotFound, err, "%s: %s", doing, text), true
	case e.Status == 0 || e.Code == "": // it is no tracking server, or cannot be talked to
		return errorf(CodeUnavailable, err, "%s: %s", doing, text), true
	case e.Status == http.StatusBadRequest:
		return errorf(CodeInvalid, err, "%s: the tracking server refuses: %s", doing, text), true
	}
	return errorf(CodeInternal, err, "%s: %s", doing, text), true
}
