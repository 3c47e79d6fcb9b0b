package mlflow

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker/filter"
)

// experiment is an experiment in answers.
type experiment struct {
	ID       int     `json:"-" db:"experiment_id"`
	Text     string  `json:"experiment_id" db:"-"`
	Name     string  `json:"name" db:"name"`
	Location string  `json:"artifact_location" db:"location"`
	Stage    string  `json:"lifecycle_stage" db:"stage"`
	Created  integer `json:"creation_time" db:"creation_time"`
	Updated  integer `json:"last_update_time" db:"last_update_time"`
	Tags     []pair  `json:"tags" db:"-"`
}

const selectExperiments = `SELECT e.experiment_id, e.name, coalesce(e.artifact_location, '') AS location,
	coalesce(e.lifecycle_stage, 'active') AS stage, coalesce(e.creation_time, 0) AS creation_time,
	coalesce(e.last_update_time, 0) AS last_update_time FROM public.experiments e`

// Limits of experiments in MLflow's tables, in characters.
const (
	longestExperiment = 256
	longestTagKey     = 250
	longestTagValue   = 5000
)

// experimentID reads an id, which clients write as a text.
func experimentID(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, invalid("the experiment id %.40q is not a number", text)
	}
	return int(n), nil
}

// experimentIDs reads a list of ids.
func experimentIDs(texts []string) ([]int64, error) {
	ids := make([]int64, len(texts))
	for i, text := range texts {
		id, err := experimentID(text)
		if err != nil {
			return nil, err
		}
		ids[i] = int64(id)
	}
	return ids, nil
}

// findExperiments completes a SELECT of experiments and adds their tags.
func (a *API) findExperiments(ctx context.Context, rest string, args ...any) ([]experiment, error) {
	list := []experiment{}
	if err := a.db.SelectContext(ctx, &list, selectExperiments+rest, args...); err != nil {
		return nil, err
	}
	index, ids := map[int]*experiment{}, make([]int64, len(list))
	for i := range list {
		e := &list[i]
		e.Text, e.Location, e.Tags = strconv.Itoa(e.ID), a.servedURI(e.Location), []pair{}
		index[e.ID], ids[i] = e, int64(e.ID)
	}
	var tags []struct {
		ID int `db:"experiment_id"`
		pair
	}
	err := a.db.SelectContext(ctx, &tags, `SELECT experiment_id, key, coalesce(value, '') AS value
		FROM public.experiment_tags WHERE experiment_id = ANY ($1) ORDER BY key COLLATE "C"`, pq.Array(ids))
	for _, t := range tags {
		index[t.ID].Tags = append(index[t.ID].Tags, t.pair)
	}
	return list, err
}

// servedURI returns the address under which clients reach artifacts: those in this server's folder through the server.
func (a *API) servedURI(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return uri
	}
	inside, err := filepath.Rel(a.t.ArtifactRoot(), filepath.FromSlash(u.Path))
	if err != nil || !filepath.IsLocal(inside) {
		return uri
	}
	return "mlflow-artifacts:" + (&url.URL{Path: "/" + filepath.ToSlash(inside)}).EscapedPath()
}

func (a *API) oneExperiment(ctx context.Context, what, rest string, args ...any) (any, error) {
	list, err := a.findExperiments(ctx, rest, args...)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, missing("there is no experiment %.200s", what)
	}
	return map[string]any{"experiment": list[0]}, nil
}

func (a *API) getExperiment(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		ID string `json:"experiment_id"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	id, err := experimentID(in.ID)
	if err != nil {
		return nil, err
	}
	return a.oneExperiment(ctx, strconv.Itoa(id), ` WHERE e.experiment_id = $1`, id)
}

// ofWorkspace leaves out the experiments of other workspaces of MLflow 3.10 and newer; older tables lack the column.
const ofWorkspace = ` AND coalesce(to_jsonb(e) ->> 'workspace', 'default') = 'default'`

func (a *API) getExperimentByName(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		Name string `json:"experiment_name"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	return a.oneExperiment(ctx, strconv.Quote(in.Name), ` WHERE e.name = $1`+ofWorkspace, in.Name)
}

func checkLength(what, text string, limit int) error {
	if n := utf8.RuneCountInString(text); n > limit {
		return invalid("%s has %d characters; at most %d fit", what, n, limit)
	}
	return nil
}

func (a *API) createExperiment(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		Name     string
		Location string `json:"artifact_location"`
		Tags     []pair
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Name) == "" {
		return nil, invalid("an experiment needs a name")
	}
	if err := errors.Join(checkLength("the name of the experiment", in.Name, longestExperiment),
		checkLength("the artifact location", in.Location, longestExperiment)); err != nil {
		return nil, err
	}
	if in.Location != "" {
		own, err := a.t.OwnLocation(in.Location)
		if err != nil {
			return nil, err
		}
		in.Location = own
	}
	var id int
	err := a.t.InTx(ctx, func(tx *sqlx.Tx) error {
		err := tx.GetContext(ctx, &id, `INSERT INTO public.experiments
			(name, artifact_location, lifecycle_stage, creation_time, last_update_time) VALUES ($1, $2, 'active', $3, $3)
			ON CONFLICT DO NOTHING RETURNING experiment_id`, in.Name, in.Location, time.Now().UnixMilli())
		if errors.Is(err, sql.ErrNoRows) {
			return faultf("RESOURCE_ALREADY_EXISTS",
				"there is an experiment %.200q; it may be deleted, and can be restored", in.Name)
		}
		if err == nil && in.Location == "" {
			path := filepath.ToSlash(filepath.Join(a.t.ArtifactRoot(), strconv.Itoa(id)))
			_, err = tx.ExecContext(ctx, `UPDATE public.experiments SET artifact_location = $2 WHERE experiment_id = $1`,
				id, (&url.URL{Scheme: "file", Path: path}).String())
		}
		for _, t := range in.Tags {
			if err == nil {
				err = putExperimentTag(ctx, tx, id, t)
			}
		}
		return err
	})
	return map[string]string{"experiment_id": strconv.Itoa(id)}, err
}

type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func putExperimentTag(ctx context.Context, db executor, id int, t pair) error {
	if t.Key == "" {
		return invalid("a tag has an empty name")
	}
	if err := errors.Join(checkLength("the name of a tag", t.Key, longestTagKey),
		checkLength(fmt.Sprintf("tag %.100q", t.Key), t.Value, longestTagValue)); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, `INSERT INTO public.experiment_tags (experiment_id, key, value) VALUES ($1, $2, $3)
		ON CONFLICT (key, experiment_id) DO UPDATE SET value = excluded.value`, id, t.Key, t.Value)
	return err
}

// onExperiment runs a statement on an experiment with a stage, given as $1 and $2.
func (a *API) onExperiment(ctx context.Context, id, stage, statement string, args ...any) (any, error) {
	n, err := experimentID(id)
	if err != nil {
		return nil, err
	}
	res, err := a.db.ExecContext(ctx, statement, append([]any{n, stage}, args...)...)
	if refused, ok := errors.AsType[*pq.Error](err); ok && refused.Code == "23505" {
		return nil, faultf("RESOURCE_ALREADY_EXISTS", "there is another experiment of this name")
	}
	if err != nil {
		return nil, err
	}
	if rows, err := res.RowsAffected(); err != nil || rows == 0 {
		return nil, errors.Join(err, missing("there is no %s experiment %d", stage, n))
	}
	return empty{}, nil
}

func (a *API) updateExperiment(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		ID   string `json:"experiment_id"`
		Name string `json:"new_name"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Name) == "" {
		return nil, invalid("an experiment needs a name")
	}
	if err := checkLength("the name of the experiment", in.Name, longestExperiment); err != nil {
		return nil, err
	}
	return a.onExperiment(ctx, in.ID, "active", `UPDATE public.experiments SET name = $3, last_update_time = $4
		WHERE experiment_id = $1 AND lifecycle_stage = $2`, in.Name, time.Now().UnixMilli())
}

// deleteExperiment marks an experiment and its runs as deleted, as MLflow does.
func (a *API) deleteExperiment(ctx context.Context, r *http.Request) (any, error) {
	return a.moveExperiment(ctx, r, "active", "deleted", time.Now().UnixMilli())
}

func (a *API) restoreExperiment(ctx context.Context, r *http.Request) (any, error) {
	return a.moveExperiment(ctx, r, "deleted", "active", nil)
}

func (a *API) moveExperiment(ctx context.Context, r *http.Request, from, to string, deleted any) (any, error) {
	var in struct {
		ID string `json:"experiment_id"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	return a.onExperiment(ctx, in.ID, from, `WITH moved AS (UPDATE public.experiments
			SET lifecycle_stage = $3, last_update_time = $5 WHERE experiment_id = $1 AND lifecycle_stage = $2
			RETURNING experiment_id),
		runs AS (UPDATE public.runs SET lifecycle_stage = $3, deleted_time = $4::bigint
			WHERE experiment_id IN (SELECT experiment_id FROM moved) AND lifecycle_stage = $2
				AND run_uuid NOT IN (SELECT run_uuid FROM public.tags WHERE key = 'spherelab.purging'))
		SELECT FROM moved`, to, deleted, time.Now().UnixMilli())
}

// activeExperiment reads the id of an experiment, which must exist and not be deleted.
func (a *API) activeExperiment(ctx context.Context, text string) (id int, err error) {
	if id, err = experimentID(text); err != nil {
		return 0, err
	}
	var stage string
	err = a.db.GetContext(ctx, &stage, `SELECT coalesce(lifecycle_stage, 'active') FROM public.experiments
		WHERE experiment_id = $1`, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, missing("there is no experiment %d", id)
	case err != nil:
		return 0, err
	case stage != "active":
		return 0, invalid("experiment %d is deleted; restore it first", id)
	}
	return id, nil
}

func (a *API) setExperimentTag(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		ID string `json:"experiment_id"`
		pair
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	id, err := a.activeExperiment(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return empty{}, putExperimentTag(ctx, a.db, id, in.pair)
}

func (a *API) deleteExperimentTag(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		ID  string `json:"experiment_id"`
		Key string
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	id, err := a.activeExperiment(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	res, err := a.db.ExecContext(ctx, `DELETE FROM public.experiment_tags WHERE experiment_id = $1 AND key = $2`, id,
		in.Key)
	if err != nil {
		return nil, err
	}
	if rows, err := res.RowsAffected(); err != nil || rows == 0 {
		return nil, errors.Join(err, missing("experiment %d has no tag %.100q", id, in.Key))
	}
	return empty{}, nil
}

func (a *API) searchExperiments(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		search
		View json.RawMessage `json:"view_type"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if err := in.parse(in.View, filter.Experiments); err != nil {
		return nil, err
	}
	q := &filter.Query{}
	q.Add("e.lifecycle_stage = ANY (%s)", q.Arg(pq.Array(in.stages)))
	for _, c := range in.conditions {
		q.OfExperiment(c)
	}
	by, err := filter.OrderExperiments(in.orders)
	if err != nil {
		return nil, err
	}
	list, err := a.findExperiments(ctx, fmt.Sprintf(" WHERE %s%s ORDER BY %s LIMIT %d OFFSET %d", q.Conditions(),
		ofWorkspace, by, in.limit+1, in.offset), q.Args...)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	if len(list) > in.limit {
		list, out["next_page_token"] = list[:in.limit], pageToken(in.offset+in.limit)
	}
	out["experiments"] = list
	return out, nil
}
