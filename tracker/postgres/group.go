package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/storage"
)

// OpenGroup returns the id of a group. It follows from the group's kind and name, so programs that open it at once get
// the same id.
func (d database) OpenGroup(ctx context.Context, g tracker.GroupSpec, tags map[string]string) (id string, err error) {
	t := d.t
	var own, dir string
	err = t.retry(ctx, "opening the group "+g.Name, func(ctx context.Context) error {
		return t.InTx(ctx, func(tx *sqlx.Tx) error {
			experiment, err := t.experimentID(ctx, tx, g.Experiment)
			if err != nil {
				return err
			}
			sum := sha256.Sum256([]byte(fmt.Sprintf("%s %d %q %q", t.instance, experiment, g.Kind, g.Name)))
			id = hex.EncodeToString(sum[:16])
			if own, dir, err = t.newArtifacts(experiment, id); err != nil {
				return err
			}
			row := newRunRow{id: id, name: g.Name, source: filepath.Base(os.Args[0]), user: tags["mlflow.user"], status: tracker.Running,
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
	if err := storage.WriteFiles(dir, g.Files); err != nil || !t.inBucket {
		return id, err
	}
	return id, t.retry(ctx, "opening the group "+g.Name, func(ctx context.Context) error {
		at, err := t.ownPlace(own)
		if err != nil {
			return err
		}
		return t.storage.Send(ctx, at, dir, slices.Sorted(maps.Keys(g.Files)), t.say)
	})
}
