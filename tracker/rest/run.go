package rest

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// Int is an integer that servers write as a number or, as protobuf's JSON does, as a text.
type Int int64

// UnmarshalJSON reads both forms.
func (n *Int) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	if text == "null" || text == "" {
		return nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f, err2 := strconv.ParseFloat(text, 64)
		if err2 != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
			return err
		}
		v = int64(f)
	}
	*n = Int(v)
	return nil
}

// Float is a metric's value: a number, or "NaN", "Infinity", "-Infinity".
type Float float64

// MarshalJSON writes what JSON has no number for as a text.
func (x Float) MarshalJSON() ([]byte, error) {
	switch v := float64(x); {
	case math.IsNaN(v):
		return []byte(`"NaN"`), nil
	case math.IsInf(v, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Infinity"`), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON reads both forms.
func (x *Float) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return err
	}
	*x = Float(v)
	return nil
}

// Pair is a param or a tag.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Metric is one value of a metric.
type Metric struct {
	Key   string `json:"key"`
	Value Float  `json:"value"`
	Time  Int    `json:"timestamp"` // Unix milliseconds
	Step  Int    `json:"step"`
}

// Run is a run as a server has it.
type Run struct {
	Info struct {
		ID         string `json:"run_id"`
		Name       string `json:"run_name"`
		Experiment string `json:"experiment_id"`
		User       string `json:"user_id"`
		Status     string `json:"status"`
		Start      *Int   `json:"start_time"`
		End        *Int   `json:"end_time"`
		URI        string `json:"artifact_uri"`
		Stage      string `json:"lifecycle_stage"`
	} `json:"info"`
	Data struct {
		Metrics []Metric `json:"metrics"` // the latest value of each
		Params  []Pair   `json:"params"`
		Tags    []Pair   `json:"tags"`
	} `json:"data"`
}

// Experiment is an experiment as a server has it.
type Experiment struct {
	ID    string `json:"experiment_id"`
	Name  string `json:"name"`
	Stage string `json:"lifecycle_stage"`
}

// ExperimentByName finds an experiment, also a deleted one. The error is Missing if there is none.
func (c *Client) ExperimentByName(ctx context.Context, name string) (Experiment, error) {
	var out struct{ Experiment Experiment }
	err := c.get(ctx, "mlflow/experiments/get-by-name", url.Values{"experiment_name": {name}}, &out)
	return out.Experiment, err
}

// CreateExperiment returns the new experiment's id.
func (c *Client) CreateExperiment(ctx context.Context, name string) (id string, err error) {
	var out struct {
		ID string `json:"experiment_id"`
	}
	err = c.post(ctx, "mlflow/experiments/create", map[string]string{"name": name}, &out)
	return out.ID, err
}

// Experiments lists all experiments, also deleted ones.
func (c *Client) Experiments(ctx context.Context) (all []Experiment, err error) {
	for token := ""; ; {
		var out struct {
			Experiments []Experiment
			Next        string `json:"next_page_token"`
		}
		body := map[string]any{"max_results": 1000, "view_type": "ALL", "page_token": token}
		if err := c.post(ctx, "mlflow/experiments/search", body, &out); err != nil {
			return nil, err
		}
		all = append(all, out.Experiments...)
		if token = out.Next; token == "" {
			return all, nil
		}
	}
}

// Ping asks for one experiment, which needs the server, its database and the right to read.
func (c *Client) Ping(ctx context.Context) error {
	var out struct{ Experiments []Experiment }
	return c.post(ctx, "mlflow/experiments/search", map[string]any{"max_results": 1}, &out)
}

// NewRun describes a run to create.
type NewRun struct {
	Experiment string `json:"experiment_id"`
	Name       string `json:"run_name"`
	User       string `json:"user_id"`
	Start      int64  `json:"start_time"` // Unix milliseconds
	Tags       []Pair `json:"tags"`
}

// CreateRun creates a run and returns it.
func (c *Client) CreateRun(ctx context.Context, run NewRun) (Run, error) {
	var out struct{ Run Run }
	err := c.post(ctx, "mlflow/runs/create", run, &out)
	return out.Run, err
}

// Run returns a run with everything but histories. The error is Missing if there is none.
func (c *Client) Run(ctx context.Context, id string) (Run, error) {
	var out struct{ Run Run }
	err := c.get(ctx, "mlflow/runs/get", url.Values{"run_id": {id}}, &out)
	return out.Run, err
}

// UpdateRun changes a run's status and, if end is not 0, its end in Unix milliseconds.
func (c *Client) UpdateRun(ctx context.Context, id, status string, end int64) error {
	body := map[string]any{"run_id": id, "status": status}
	if end != 0 {
		body["end_time"] = end
	}
	return c.post(ctx, "mlflow/runs/update", body, nil)
}

// SetTag sets a tag of a run. The tag of its name renames it.
func (c *Client) SetTag(ctx context.Context, id string, tag Pair) error {
	return c.post(ctx, "mlflow/runs/set-tag", map[string]string{"run_id": id, "key": tag.Key, "value": tag.Value}, nil)
}

// DeleteTag deletes a tag of a run.
func (c *Client) DeleteTag(ctx context.Context, id, key string) error {
	return c.post(ctx, "mlflow/runs/delete-tag", map[string]string{"run_id": id, "key": key}, nil)
}

// DeleteRun marks a run as deleted, RestoreRun undoes that.
func (c *Client) DeleteRun(ctx context.Context, id string) error {
	return c.post(ctx, "mlflow/runs/delete", map[string]string{"run_id": id}, nil)
}

// RestoreRun undoes DeleteRun.
func (c *Client) RestoreRun(ctx context.Context, id string) error {
	return c.post(ctx, "mlflow/runs/restore", map[string]string{"run_id": id}, nil)
}

// Search asks for runs, newest first.
type Search struct {
	Experiments []string // ids
	Filter      string   // in MLflow's language
	Deleted     bool     // deleted runs instead of the others
	Page        int      // how many are asked for at once; 0: 200
}

// SearchRuns calls each for every run that is found, until it returns false.
func (c *Client) SearchRuns(ctx context.Context, s Search, each func(Run) bool) error {
	const maximum = 200
	view := "ACTIVE_ONLY"
	if s.Deleted {
		view = "DELETED_ONLY"
	}
	size := maximum
	if s.Page > 0 {
		size = min(maximum, s.Page)
	}
	for token := ""; ; {
		var out struct {
			Runs []Run
			Next string `json:"next_page_token"`
		}
		body := map[string]any{"experiment_ids": s.Experiments, "filter": s.Filter, "run_view_type": view,
			"max_results": size, "order_by": []string{"attributes.start_time DESC"}, "page_token": token}
		if err := c.post(ctx, "mlflow/runs/search", body, &out); err != nil {
			return err
		}
		for _, r := range out.Runs {
			if !each(r) {
				return nil
			}
		}
		if token = out.Next; token == "" {
			return nil
		}
	}
}

// LogBatch logs metrics, params and tags. MLflow takes at most 1,000 metrics, 100 params, 100 tags, 1,000 of all and a
// million bytes.
func (c *Client) LogBatch(ctx context.Context, run string, metrics []Metric, params, tags []Pair) error {
	body := map[string]any{"run_id": run}
	if len(metrics) > 0 {
		body["metrics"] = metrics
	}
	if len(params) > 0 {
		body["params"] = params
	}
	if len(tags) > 0 {
		body["tags"] = tags
	}
	return c.post(ctx, "mlflow/runs/log-batch", body, nil)
}

// History returns all values of a metric.
func (c *Client) History(ctx context.Context, run, key string) (all []Metric, err error) {
	for token := ""; ; {
		var out struct {
			Metrics []Metric
			Next    string `json:"next_page_token"`
		}
		query := url.Values{"run_id": {run}, "metric_key": {key}}
		if token != "" {
			query.Set("page_token", token)
		}
		if err := c.get(ctx, "mlflow/metrics/get-history", query, &out); err != nil {
			return nil, err
		}
		all = append(all, out.Metrics...)
		if token = out.Next; token == "" {
			return all, nil
		}
	}
}

// Dataset is data that a run used, with tags such as mlflow.data.context.
type Dataset struct {
	Tags []Pair `json:"tags"`
	Data struct {
		Name       string `json:"name"`
		Digest     string `json:"digest"`
		SourceType string `json:"source_type"`
		Source     string `json:"source"`
		Schema     string `json:"schema,omitempty"`
		Profile    string `json:"profile,omitempty"`
	} `json:"dataset"`
}

// LogInputs logs which data a run used. Servers before MLflow 2.4 lack it: the error is Unknown.
func (c *Client) LogInputs(ctx context.Context, run string, inputs []Dataset) error {
	return c.post(ctx, "mlflow/runs/log-inputs", map[string]any{"run_id": run, "datasets": inputs}, nil)
}
