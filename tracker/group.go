package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/tracker/rest"
)

// The tags of groups. A group is a run that stands for others, which have its id as TagParent: MLflow's pages nest them
// below it. TagGroup of a group is its kind. It has no training of its own, and lists of runs leave it out.
const (
	TagGroup  = "spherelab.group"
	TagParent = "mlflow.parentRunId"
)

// notGroup is the condition that a run r is none.
const notGroup = `NOT EXISTS (SELECT FROM public.tags g WHERE g.run_uuid = r.run_uuid AND g.key = '` + TagGroup + `')`

// GroupSpec describes a group. There is one of its kind and name in an experiment.
type GroupSpec struct {
	Experiment, Kind, Name string
	Tags                   map[string]string
	Files                  map[string][]byte // artifacts by name
}

// GroupState is what becomes of a group.
type GroupState struct {
	Status  Status // "": as before
	Tags    map[string]string
	Metrics map[string]float64
}

// OpenGroup returns the id of a group, which is RUNNING then. A group that is not there is created, one that was
// deleted is restored, unless Purge has begun to remove its files: that is an Error with CodeConflict. On a database
// programs that open a group at once get the same one.
func (t *Tracker) OpenGroup(ctx context.Context, g GroupSpec) (id string, err error) {
	tags := map[string]string{tagRunName: g.Name, TagGroup: g.Kind, "mlflow.user": t.user, "mlflow.source.type": "LOCAL",
		"mlflow.source.name": filepath.Base(os.Args[0])}
	maps.Copy(tags, g.Tags)
	if err := errors.Join(checkText("the name of experiment", g.Experiment, g.Experiment, maxExperiment),
		checkText("the name of run", g.Name, g.Name, maxRunName), checkTags(tags)); err != nil {
		return "", err
	}
	if t.remote != nil {
		return t.remote.openGroup(ctx, g, tags)
	}
	var own, dir string
	err = t.retry(ctx, "opening the group "+g.Name, func(ctx context.Context) error {
		return t.inTx(ctx, func(tx *sqlx.Tx) error {
			experiment, err := t.experimentID(ctx, tx, g.Experiment)
			if err != nil {
				return err
			}
			sum := sha256.Sum256([]byte(fmt.Sprintf("%s %d %q %q", t.instance, experiment, g.Kind, g.Name)))
			id = hex.EncodeToString(sum[:16])
			if own, dir, err = t.newArtifacts(experiment, id); err != nil {
				return err
			}
			row := newRunRow{id: id, name: g.Name, source: filepath.Base(os.Args[0]), user: t.user, status: Running,
				start: time.Now().UnixMilli(), uri: own, experiment: experiment, entry: g.Kind}
			if _, err := row.insert(ctx, tx); err != nil {
				return err
			}
			var uri string
			if err := tx.GetContext(ctx, &uri, `UPDATE public.runs SET lifecycle_stage = 'active', deleted_time = NULL,
				status = 'RUNNING', end_time = NULL WHERE run_uuid = $1 RETURNING coalesce(artifact_uri, '')`, id); err != nil {
				return err
			}
			if uri != own {
				dir = "" // of another machine
			}
			if err := refusePurged(ctx, tx, id); err != nil {
				return err
			}
			return upsertTags(ctx, tx, id, tags)
		})
	})
	if err != nil || dir == "" {
		return id, err
	}
	if err := writeFiles(dir, g.Files); err != nil || !t.inBucket {
		return id, err
	}
	return id, t.retry(ctx, "opening the group "+g.Name, func(ctx context.Context) error {
		at, err := t.ownPlace(own)
		if err != nil {
			return err
		}
		return t.put(ctx, at, dir, sortedKeys(g.Files))
	})
}

func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return errorf(CodeInternal, err, "creating a run's artifact folder: %v", err)
	}
	for _, name := range sortedKeys(files) {
		if err := atomicfile.Write(filepath.Join(dir, name), files[name], 0o644); err != nil {
			return errorf(CodeInternal, err, "writing a run's artifact: %v", err)
		}
	}
	return nil
}

// SetGroup changes a group.
func (t *Tracker) SetGroup(ctx context.Context, id string, s GroupState) error {
	if err := checkTags(s.Tags); err != nil {
		return err
	}
	now := time.Now().UnixMilli()
	b := batch{tags: s.Tags, status: s.Status, end: now}
	for _, key := range sortedKeys(s.Metrics) {
		if err := checkKey("metric", key); err != nil {
			return err
		}
		v, isNaN := toMLflow(s.Metrics[key])
		b.metrics = append(b.metrics, metricRow{key: key, value: v, isNaN: isNaN, timestamp: now})
	}
	return t.retry(ctx, "writing run "+id, func(ctx context.Context) error { return t.write(ctx, id, claim{}, b) })
}

// SetParent puts a run into a group. A run that is in one that is not deleted stays there.
func (t *Tracker) SetParent(ctx context.Context, run RunInfo, group string) error {
	if has := run.Tags[TagParent]; has != "" {
		there, err := t.Runs(ctx, Filter{IDs: []string{has}})
		if err != nil || len(there) > 0 {
			return err
		}
	}
	b := batch{tags: map[string]string{TagParent: group}}
	return t.retry(ctx, "writing run "+run.ID, func(ctx context.Context) error {
		return t.write(ctx, run.ID, claim{}, b)
	})
}

// openGroup is OpenGroup for a tracking server. It gives runs their ids, so programs that create the group at the same
// moment may create two.
func (m *remote) openGroup(ctx context.Context, g GroupSpec, tags map[string]string) (id string, err error) {
	f := Filter{Experiment: g.Experiment, Name: g.Name, Tags: map[string]string{TagGroup: g.Kind}, Groups: true}
	err = m.t.retry(ctx, "opening the group "+g.Name, func(ctx context.Context) error {
		id = ""
		err := m.each(ctx, f, func(r RunInfo) bool { // the oldest is the last
			id = r.ID
			return true
		})
		if err != nil {
			return err
		}
		if id == "" {
			experiment, err := m.experiment(ctx, g.Experiment)
			if err != nil {
				return err
			}
			made, err := m.c.CreateRun(ctx, rest.NewRun{Experiment: experiment, Name: g.Name, User: m.t.user,
				Start: time.Now().UnixMilli(), Tags: pairs(tags)})
			if err != nil {
				return err
			}
			id = made.Info.ID
		}
		if !isRemoteID(id) {
			return errorf(CodeInternal, nil, "%s gave the group the id %.70q, which is none", m.t.where(), id)
		}
		if err := m.c.UpdateRun(ctx, id, string(Running), 0); err != nil {
			return err
		}
		if err := m.logPairs(ctx, id, nil, pairs(tags)); err != nil {
			return err
		}
		if err := writeFiles(m.folder(id), g.Files); err != nil {
			return err
		}
		return m.upload(ctx, id, sortedKeys(g.Files))
	})
	return id, err
}
