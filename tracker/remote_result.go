package tracker

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/internal/atomicfile"
)

// A tracking server has no tables for the results of evaluations: they are artifacts, a line of JSON each.
const (
	relationFile = "evaluation/relations.jsonl"
	resultFile   = "evaluation/results.jsonl"
)

// tagResults says that a run has the file of results, by a digest of its content.
const tagResults = "spherelab.results"

// keep adds rows to a file of them in a run's folder. A row whose key is there must be equal. It returns the content.
func keep[R any, K comparable](file string, rows []R, key func(R) K, equal func(a, b R) bool, order func(a, b R) int,
	conflict func(K) error) ([]byte, error) {
	stored, err := readRows[R](file)
	if err != nil {
		return nil, err
	}
	known := make(map[K]R, len(stored)+len(rows))
	var all []R
	for _, r := range slices.Concat(stored, rows) {
		old, ok := known[key(r)]
		if ok && !equal(old, r) {
			return nil, conflict(key(r))
		}
		if !ok {
			known[key(r)] = r
			all = append(all, r)
		}
	}
	slices.SortFunc(all, order)
	var text bytes.Buffer
	out := json.NewEncoder(&text) // which ends each with a newline
	for _, r := range all {
		if err := out.Encode(r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	return text.Bytes(), atomicfile.Write(file, text.Bytes(), 0o644)
}

// readRows reads a file of keep; one that is not there has no rows.
func readRows[R any](file string) ([]R, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []R
	for in := json.NewDecoder(bufio.NewReader(f)); ; {
		var r R
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, r)
	}
}

func (m *remote) file(run, name string) string {
	return filepath.Join(m.folder(run), filepath.FromSlash(name))
}

// keepRelations adds results per relation to the run's file of them, and sends it.
func (m *remote) keepRelations(ctx context.Context, run string, rows []RelationResult) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := keep(m.file(run, relationFile), rows, RelationResult.key,
		func(a, b RelationResult) bool { return a == b },
		func(a, b RelationResult) int {
			return cmp.Or(strings.Compare(a.Cut, b.Cut), strings.Compare(a.Relation, b.Relation),
				strings.Compare(a.Side, b.Side))
		}, relationConflict)
	if err != nil {
		return err
	}
	return m.upload(ctx, run, []string{relationFile})
}

// keepResults adds results of evaluations to the run's file of them, and sends it.
func (m *remote) keepResults(ctx context.Context, run string, rows []EvaluationResult) error {
	if len(rows) == 0 {
		return nil
	}
	content, err := keep(m.file(run, resultFile), rows, EvaluationResult.key, EvaluationResult.equal, CompareResults,
		resultConflict)
	if err != nil {
		return err
	}
	if err := m.upload(ctx, run, []string{resultFile}); err != nil {
		return err
	}
	return m.logPairs(ctx, run, nil, pairs(map[string]string{tagResults: digestOf(content)}))
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// relations is Relations for a tracking server.
func (m *remote) relations(ctx context.Context, run string) ([]RelationResult, error) {
	if err := m.fetch(ctx, run, []string{relationFile}); err != nil {
		return nil, err
	}
	return readRows[RelationResult](m.file(run, relationFile))
}

// results is Results for a tracking server.
func (m *remote) results(ctx context.Context, run string) ([]EvaluationResult, error) {
	r, err := m.c.Run(ctx, run)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, t := range r.Data.Tags {
		if t.Key == tagResults {
			return m.resultsOf(ctx, run, t.Value)
		}
	}
	return nil, nil
}

// resultsOf returns the results of a run whose file has a digest. An older file of another machine's run is replaced.
func (m *remote) resultsOf(ctx context.Context, run, digest string) ([]EvaluationResult, error) {
	file := m.file(run, resultFile)
	content, err := os.ReadFile(file)
	if err == nil && digestOf(content) != digest && !m.open(run) {
		err = os.Remove(file)
		if err == nil {
			err = fs.ErrNotExist
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = m.fetch(ctx, run, []string{resultFile})
	}
	if err != nil {
		return nil, err
	}
	return readRows[EvaluationResult](file)
}

// open reports whether this program writes a run.
func (m *remote) open(run string) bool {
	m.t.runsMu.Lock()
	defer m.t.runsMu.Unlock()
	return m.t.runs[run] != nil
}

// fill adds the latest results of runs to their metrics, some runs at a time.
func (m *remote) fill(ctx context.Context, list []RunInfo) error {
	const atOnce = 4
	errs := make([]error, len(list))
	var wait sync.WaitGroup
	turn := make(chan struct{}, atOnce)
	for i := range list {
		digest := list[i].Tags[tagResults]
		if digest == "" || list[i].folder == "" {
			continue
		}
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			rows, err := m.resultsOf(ctx, list[i].ID, digest)
			errs[i] = err
			for _, r := range rows {
				for key, v := range r.Numbers() {
					if step, there := list[i].Steps[key]; !there || step < r.Step {
						list[i].Metrics[key], list[i].Steps[key] = v, r.Step
					}
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}
