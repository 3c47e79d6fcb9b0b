package mlflow

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/jsonlines"
)

// kept is one kind of results of evaluations, for the runs that this program writes.
type kept[R any, K comparable] struct {
	name, tag string // names of the artifact, and of the tag with its digest
	key       func(R) K
	equal     func(a, b R) bool
	order     func(a, b R) int
	conflict  func(K) error

	mu   sync.Mutex
	runs map[string][]R
}

func newKeptRelations() *kept[tracker.RelationResult, tracker.RelationKey] {
	return &kept[tracker.RelationResult, tracker.RelationKey]{name: tracker.RelationArtifact,
		tag: tracker.TagRelations, key: tracker.RelationResult.Key,
		equal: func(a, b tracker.RelationResult) bool { return a == b },
		order: func(a, b tracker.RelationResult) int {
			return cmp.Or(strings.Compare(a.Cut, b.Cut), strings.Compare(a.Relation, b.Relation),
				strings.Compare(a.Side, b.Side))
		}, conflict: tracker.RelationConflict, runs: map[string][]tracker.RelationResult{}}
}

func newKeptResults() *kept[tracker.EvaluationResult, tracker.ResultKey] {
	return &kept[tracker.EvaluationResult, tracker.ResultKey]{name: tracker.ResultArtifact, tag: tracker.TagResults,
		key:   tracker.EvaluationResult.Key,
		equal: tracker.EvaluationResult.Equal, order: tracker.CompareResults, conflict: tracker.ResultConflict,
		runs: map[string][]tracker.EvaluationResult{}}
}

// forget drops what is kept of a run when its writing ends.
func (k *kept[R, K]) forget(run string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.runs, run)
}

// join merges lists. Rows with the same key must be equal, and the first stays.
func (k *kept[R, K]) join(lists ...[]R) ([]R, error) {
	known := map[K]R{}
	var all []R
	for _, r := range slices.Concat(lists...) {
		old, ok := known[k.key(r)]
		if ok && !k.equal(old, r) {
			return nil, k.conflict(k.key(r))
		}
		if !ok {
			known[k.key(r)] = r
			all = append(all, r)
		}
	}
	slices.SortFunc(all, k.order)
	return all, nil
}

// store adds rows of a run that this program writes to the run's file, sends it and tags the run with its digest.
func (k *kept[R, K]) store(ctx context.Context, m *remote, run string, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	k.mu.Lock()
	before, ok := k.runs[run]
	k.mu.Unlock()
	if !ok {
		var err error
		if before, err = k.readStored(ctx, m, run); err != nil {
			return err
		}
	}
	all, err := k.join(before, rows)
	if err != nil {
		return err
	}
	text, err := jsonlines.Encode(all)
	if err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	file := m.file(run, k.name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := atomicfile.Write(file, text, 0o644); err != nil {
		return err
	}
	k.mu.Lock()
	k.runs[run] = all
	k.mu.Unlock()
	if err := m.upload(ctx, run, []string{k.name}); err != nil {
		return err
	}
	return m.logPairs(ctx, run, nil, pairs(map[string]string{k.tag: digestOf(text)}))
}

// readStored returns the rows that earlier programs have stored of a run that this one writes, here and on the server.
// Another machine may have resumed the run.
func (k *kept[R, K]) readStored(ctx context.Context, m *remote, run string) ([]R, error) {
	here, err := readRows[R](m.file(run, k.name))
	if err != nil {
		return nil, err
	}
	there, err := k.read(ctx, m, run)
	if err != nil && tracker.ErrorCode(err) != tracker.CodeNotFound { // must not stop other records
		return nil, err
	}
	return k.join(here, there)
}

// read returns the rows of a run.
func (k *kept[R, K]) read(ctx context.Context, m *remote, run string) ([]R, error) {
	r, err := m.c.Run(ctx, run)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, t := range r.Data.Tags {
		if t.Key == k.tag {
			return k.readAs(ctx, m, run, t.Value)
		}
	}
	return nil, nil
}

// readAs returns the rows of a run whose file has a digest, or another mark by which a server distinguishes versions.
// The run's own folder belongs to the program that writes the run, which may be another one on this machine. What that
// folder lacks is downloaded to another folder, under a name with the mark.
func (k *kept[R, K]) readAs(ctx context.Context, m *remote, run, mark string) ([]R, error) {
	own := m.file(run, k.name)
	content, err := os.ReadFile(own)
	if err == nil && digestOf(content) == mark {
		return jsonlines.Decode[R](own, bytes.NewReader(content))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ending := filepath.Ext(k.name)
	fetched := filepath.Join(filepath.Dir(m.folder(run)), "fetched",
		filepath.FromSlash(strings.TrimSuffix(k.name, ending)+"-"+digestOf([]byte(mark))+ending))
	if list, err := readRows[R](fetched); err != nil || list != nil {
		return list, err
	}
	found, err := m.fetchFile(ctx, run, k.name, fetched)
	if err != nil {
		return nil, err
	}
	if found {
		return readRows[R](fetched)
	}
	list, err := readRows[R](own)
	if err == nil && list == nil {
		err = tracker.Errorf(tracker.CodeNotFound, nil, "%s of run %s is not on %s; it is on the machine that logged the run", k.name,
			tracker.ShortID(run), m.where())
	}
	return list, err
}

// readRows reads a file of rows. A missing file has no rows.
func readRows[R any](file string) ([]R, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return jsonlines.Decode[R](file, bufio.NewReader(f))
}

func (m *remote) file(run, name string) string {
	return filepath.Join(m.folder(run), filepath.FromSlash(name))
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// fill adds the latest results of runs to their metrics, a few runs at a time.
func (m *remote) fill(ctx context.Context, list []tracker.RunInfo) error {
	const atOnce = 4
	errs := make([]error, len(list))
	var wait sync.WaitGroup
	turn := make(chan struct{}, atOnce)
	for i := range list {
		digest := list[i].Tags[tracker.TagResults]
		if digest == "" || list[i].Folder() == "" {
			continue
		}
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			rows, err := m.results.readAs(ctx, m, list[i].ID, digest)
			if tracker.ErrorCode(err) != tracker.CodeNotFound { // otherwise a list has only the metrics
				errs[i] = err
			}
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
