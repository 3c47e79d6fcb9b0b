package tracker

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spherelab/spherelab/tracker/internal/form"
)

// The tags of groups. A group is a run that stands for others, which have its id in TagParent; MLflow's pages nest them
// below it. Its tag TagGroup is its kind. A group has no training of its own, and lists of runs leave it out.
const (
	TagGroup  = "spherelab.group"
	TagParent = "mlflow.parentRunId"
)

// OpenGroup marks a group RUNNING and returns its id. It creates a missing group and restores a deleted one. If Purge
// has begun to remove the group's files, it returns an Error with CodeConflict. On a database, programs that open a
// group at the same time get the same one.
func (t *Tracker) OpenGroup(ctx context.Context, g GroupSpec) (id string, err error) {
	tags := map[string]string{TagRunName: g.Name, TagGroup: g.Kind, "mlflow.user": t.user, "mlflow.source.type": "LOCAL",
		"mlflow.source.name": filepath.Base(os.Args[0])}
	maps.Copy(tags, g.Tags)
	if err := errors.Join(CheckText("the name of experiment", g.Experiment, g.Experiment, MaxExperiment),
		CheckText("the name of run", g.Name, g.Name, MaxRunName), CheckTags(tags)); err != nil {
		return "", err
	}
	return t.backend.OpenGroup(ctx, g, tags)
}

// SetGroup changes a group.
func (t *Tracker) SetGroup(ctx context.Context, id string, s GroupState) error {
	if err := CheckTags(s.Tags); err != nil {
		return err
	}
	now := time.Now().UnixMilli()
	b := Batch{Tags: s.Tags, Status: s.Status, End: now}
	for _, key := range slices.Sorted(maps.Keys(s.Metrics)) {
		if err := CheckKey("metric", key); err != nil {
			return err
		}
		v, isNaN := form.ToMLflow(s.Metrics[key])
		b.Metrics = append(b.Metrics, MetricRow{Key: key, Value: v, IsNaN: isNaN, Timestamp: now})
	}
	return t.retry(ctx, "writing run "+id, func(ctx context.Context) error { return t.backend.Write(ctx, id, Claim{}, b) })
}

// SetParent puts a run into a group. A run that is already in a group stays there, unless that group is deleted.
func (t *Tracker) SetParent(ctx context.Context, run RunInfo, group string) error {
	if has := run.Tags[TagParent]; has != "" {
		there, err := t.Runs(ctx, Filter{IDs: []string{has}})
		if err != nil || len(there) > 0 {
			return err
		}
	}
	b := Batch{Tags: map[string]string{TagParent: group}}
	return t.retry(ctx, "writing run "+run.ID, func(ctx context.Context) error {
		return t.backend.Write(ctx, run.ID, Claim{}, b)
	})
}
