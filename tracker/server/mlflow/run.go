package mlflow

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/filter"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// run is a run in the form of MLflow's answers.
type run struct {
	Info   runInfo   `json:"info"`
	Data   runData   `json:"data"`
	Inputs runInputs `json:"inputs"`
	// Outputs is nil for a run that made no model.
	Outputs *runOutputs `json:"outputs,omitempty"`
}

type runInfo struct {
	ID         string   `json:"run_id" db:"run_uuid"`
	UUID       string   `json:"run_uuid" db:"-"`
	Name       string   `json:"run_name" db:"name"`
	Experiment string   `json:"experiment_id" db:"experiment_id"`
	User       string   `json:"user_id" db:"user_id"`
	Status     string   `json:"status" db:"status"`
	Start      *integer `json:"start_time,omitempty" db:"start_time"`
	End        *integer `json:"end_time,omitempty" db:"end_time"`
	URI        string   `json:"artifact_uri" db:"artifact_uri"`
	Stage      string   `json:"lifecycle_stage" db:"stage"`
}

type runData struct {
	Metrics []metricValue `json:"metrics"`
	Params  []pair        `json:"params"`
	Tags    []pair        `json:"tags"`
}

// metricValue is a value of a metric.
type metricValue struct {
	Key   string  `json:"key" db:"key"`
	Value float   `json:"value" db:"value"`
	Time  integer `json:"timestamp" db:"timestamp"`
	Step  integer `json:"step" db:"step"`
}

const selectRunInfo = `SELECT r.run_uuid, coalesce(r.name, '') AS name, r.experiment_id::text AS experiment_id,
	coalesce(r.user_id, '') AS user_id, coalesce(r.status, '') AS status, r.start_time, r.end_time,
	coalesce(r.artifact_uri, '') AS artifact_uri, coalesce(r.lifecycle_stage, 'active') AS stage FROM public.runs r`

// valueOf returns SQL for a metric's value: NaN where MLflow stores 0 with is_nan.
const valueOf = `CASE WHEN is_nan THEN 'NaN'::float8 ELSE value END AS value`

// runsPart is the number of runs, with everything that was logged to them, that are in memory at once.
const runsPart = 100

// complete adds params, tags and metrics to runs.
func (a *API) complete(ctx context.Context, infos []runInfo) ([]run, error) {
	ctx, cancel := context.WithTimeout(ctx, apiTime)
	defer cancel()
	list, index, ids := make([]run, len(infos)), map[string]*run{}, make([]string, len(infos))
	for i, info := range infos {
		ids[i] = info.ID
	}
	writers, err := a.writers(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, info := range infos {
		info.UUID, info.URI = info.ID, a.addressOf(info.ID, info.URI, writers[info.ID])
		list[i] = run{Info: info, Data: runData{Metrics: []metricValue{}, Params: []pair{}, Tags: []pair{}},
			Inputs: runInputs{Datasets: []datasetInput{}}}
		index[info.ID] = &list[i]
	}
	var metrics []struct {
		Run string `db:"run_uuid"`
		metricValue
	}
	if err := a.db.SelectContext(ctx, &metrics, `SELECT run_uuid, key, `+valueOf+`,
		coalesce(timestamp, 0) AS timestamp, step FROM public.latest_metrics
		WHERE run_uuid = ANY ($1) ORDER BY key COLLATE "C"`, pq.Array(ids)); err != nil {
		return nil, err
	}
	for _, m := range metrics {
		data := &index[m.Run].Data
		data.Metrics = append(data.Metrics, m.metricValue)
	}
	for _, table := range []string{"params", "tags"} {
		var texts []struct {
			Run string `db:"run_uuid"`
			pair
		}
		if err := a.db.SelectContext(ctx, &texts, `SELECT run_uuid, key, coalesce(value, '') AS value FROM public.`+table+`
			WHERE run_uuid = ANY ($1) ORDER BY key COLLATE "C"`, pq.Array(ids)); err != nil {
			return nil, err
		}
		for _, x := range texts {
			data := &index[x.Run].Data
			if table == "params" {
				data.Params = append(data.Params, x.pair)
			} else {
				data.Tags = append(data.Tags, x.pair)
			}
		}
	}
	if err := a.addEvaluations(ctx, index, ids, tracker.TagResults, "evaluation_result"); err != nil {
		return nil, err
	}
	if err := a.addModels(ctx, index, ids); err != nil {
		return nil, err
	}
	return list, a.addInputs(ctx, index, ids)
}

func (a *API) oneRun(ctx context.Context, id string) (run, error) {
	var infos []runInfo
	if err := a.db.SelectContext(ctx, &infos, selectRunInfo+` WHERE r.run_uuid = $1`, id); err != nil {
		return run{}, err
	}
	if len(infos) == 0 {
		return run{}, missing("there is no run %.100q", id)
	}
	list, err := a.complete(ctx, infos)
	if err != nil {
		return run{}, err
	}
	return list[0], a.addEvaluations(ctx, map[string]*run{id: &list[0]}, []string{id}, tracker.TagRelations,
		"relation_result")
}

// runRef is the id of a run in a request. Old clients write run_uuid.
type runRef struct {
	ID   string `json:"run_id"`
	UUID string `json:"run_uuid"`
}

func (r runRef) id() (string, error) {
	id := r.ID
	if id == "" {
		id = r.UUID
	}
	if id == "" {
		return "", invalid("the request lacks run_id")
	}
	return id, nil
}

// readRun reads a request that names a run, and returns the run's id.
func readRun(r *http.Request, into interface{ id() (string, error) }) (string, error) {
	if err := read(r, into); err != nil {
		return "", err
	}
	return into.id()
}

func (a *API) getRun(ctx context.Context, r *http.Request) (any, error) {
	var in runRef
	id, err := readRun(r, &in)
	if err != nil {
		return nil, err
	}
	found, err := a.oneRun(ctx, id)
	return map[string]any{"run": found}, err
}

func (a *API) createRun(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		Experiment string   `json:"experiment_id"`
		User       string   `json:"user_id"`
		Name       string   `json:"run_name"`
		Start      *integer `json:"start_time"`
		Tags       []pair
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	experiment, err := experimentID(in.Experiment)
	if err != nil {
		return nil, err
	}
	tags, err := pairs("tag", in.Tags)
	if err != nil {
		return nil, err
	}
	if named := tags[tagRunName]; named != "" && in.Name != "" && named != in.Name {
		return nil, invalid("run_name is %.100q and tag %s is %.100q", in.Name, tagRunName, named)
	}
	start := time.Now().UnixMilli()
	if in.Start != nil {
		start = int64(*in.Start)
	}
	id, err := a.t.CreateRun(ctx, experiment, postgres.ClientRun{Name: in.Name, User: in.User, Start: start,
		Tags: tags})
	if err != nil {
		return nil, err
	}
	created, err := a.oneRun(ctx, id)
	return map[string]any{"run": created}, err
}

// runStates are the states of runs in MLflow, which clients write as names or as protobuf's numbers.
var runStates = []string{"RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"}

func runState(raw json.RawMessage) (*string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var name string
	if json.Unmarshal(raw, &name) == nil && slices.Contains(runStates, name) {
		return &name, nil
	}
	var number int
	if json.Unmarshal(raw, &number) == nil && number >= 1 && number <= len(runStates) {
		return &runStates[number-1], nil
	}
	return nil, invalid("the status %.40q is not one of %v", raw, runStates)
}

func (a *API) updateRun(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		runRef
		Status json.RawMessage
		End    *integer `json:"end_time"`
		Name   *string  `json:"run_name"`
	}
	id, err := readRun(r, &in)
	if err != nil {
		return nil, err
	}
	status, err := runState(in.Status)
	if err != nil {
		return nil, err
	}
	tags := map[string]string{}
	if in.Name != nil && *in.Name != "" {
		tags[tagRunName] = *in.Name
	}
	if err := a.t.Store(ctx, id, tracker.Records{Tags: tags}); err != nil { // also refuses a deleted run
		return nil, err
	}
	var end *int64
	if in.End != nil {
		ms := int64(*in.End)
		end = &ms
	}
	if _, err := a.db.ExecContext(ctx, `UPDATE public.runs SET status = coalesce($2, status),
		end_time = coalesce($3, end_time) WHERE run_uuid = $1`, id, status, end); err != nil {
		return nil, err
	}
	updated, err := a.oneRun(ctx, id)
	return map[string]any{"run_info": updated.Info}, err
}

func (a *API) deleteRun(ctx context.Context, r *http.Request) (any, error) {
	return a.changeRun(ctx, r, a.t.Delete)
}

func (a *API) restoreRun(ctx context.Context, r *http.Request) (any, error) {
	return a.changeRun(ctx, r, a.t.Restore)
}

func (a *API) changeRun(ctx context.Context, r *http.Request, change func(context.Context, string) error) (any, error) {
	var in runRef
	id, err := readRun(r, &in)
	if err != nil {
		return nil, err
	}
	return empty{}, change(ctx, id)
}

func (a *API) searchRuns(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		search
		Experiments []string        `json:"experiment_ids"`
		View        json.RawMessage `json:"run_view_type"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if err := in.parse(in.View, filter.Runs); err != nil {
		return nil, err
	}
	ids, err := experimentIDs(in.Experiments)
	if err != nil {
		return nil, err
	}
	q := &filter.Query{}
	joins, by, err := q.OrderRuns(in.orders)
	if err != nil {
		return nil, err
	}
	q.Add("r.experiment_id = ANY (%s)", q.Arg(pq.Array(ids)))
	q.Add("coalesce(r.lifecycle_stage, 'active') = ANY (%s)", q.Arg(pq.Array(in.stages)))
	for _, c := range in.conditions {
		q.OfRun(c)
	}
	var infos []runInfo
	if err := a.db.SelectContext(ctx, &infos, fmt.Sprintf("%s%s WHERE %s ORDER BY %s LIMIT %d OFFSET %d", selectRunInfo,
		joins, q.Conditions(), by, in.limit+1, in.offset), q.Args...); err != nil {
		return nil, err
	}
	token := ""
	if len(infos) > in.limit {
		infos, token = infos[:in.limit], pageToken(in.offset+in.limit)
	}
	return stream(func(ctx context.Context, w *bufio.Writer) error {
		_, _ = w.WriteString(`{"runs":[`) // the next write returns the error again
		isFirst := true
		for part := range slices.Chunk(infos, runsPart) {
			list, err := a.complete(ctx, part)
			if err == nil {
				err = writeList(w, list, isFirst)
			}
			if err != nil {
				return err
			}
			isFirst = false
		}
		return writeEnd(w, token)
	}), nil
}
