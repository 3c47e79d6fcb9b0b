package mlflow

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
)

// runInputs are the datasets and models that a run used.
type runInputs struct {
	Datasets []datasetInput `json:"dataset_inputs"`
	Models   []usedModel    `json:"model_inputs,omitempty"`
}

type datasetInput struct {
	Tags    []pair      `json:"tags"`
	Dataset usedDataset `json:"dataset"`
}

type usedDataset struct {
	Name       string `json:"name" db:"name"`
	Digest     string `json:"digest" db:"digest"`
	SourceType string `json:"source_type" db:"dataset_source_type"`
	Source     string `json:"source" db:"dataset_source"`
	Schema     string `json:"schema,omitempty" db:"dataset_schema"`
	Profile    string `json:"profile,omitempty" db:"dataset_profile"`
}

// addInputs adds the datasets of runs.
func (a *API) addInputs(ctx context.Context, index map[string]*run, ids []string) error {
	var rows []struct {
		Run   string `db:"run"`
		Input string `db:"input_uuid"`
		usedDataset
	}
	err := a.db.SelectContext(ctx, &rows, `SELECT i.destination_id AS run, i.input_uuid, d.name, d.digest,
			d.dataset_source_type, d.dataset_source, coalesce(d.dataset_schema, '') AS dataset_schema,
			coalesce(d.dataset_profile, '') AS dataset_profile
		FROM public.inputs i JOIN public.datasets d ON d.dataset_uuid = i.source_id
		WHERE i.destination_type = 'RUN' AND i.source_type = 'DATASET' AND i.destination_id = ANY ($1)
		ORDER BY d.name, d.digest, i.input_uuid`, pq.Array(ids))
	if err != nil || len(rows) == 0 {
		return err
	}
	inputs := make([]string, len(rows))
	for i, row := range rows {
		inputs[i] = row.Input
	}
	var tags []struct {
		Input string `db:"input_uuid"`
		pair
	}
	if err := a.db.SelectContext(ctx, &tags, `SELECT input_uuid, name AS key, value FROM public.input_tags
		WHERE input_uuid = ANY ($1) ORDER BY name`, pq.Array(inputs)); err != nil {
		return err
	}
	of := map[string][]pair{}
	for _, t := range tags {
		of[t.Input] = append(of[t.Input], t.pair)
	}
	for _, row := range rows {
		in := &index[row.Run].Inputs
		in.Datasets = append(in.Datasets, datasetInput{Tags: append([]pair{}, of[row.Input]...),
			Dataset: row.usedDataset})
	}
	return nil
}

// Limits of datasets in MLflow's tables, in characters.
const (
	longestDataset  = 500
	longestDigest   = 36
	longestSource   = 65535
	longestSchema   = 1048575
	longestProfile  = 16777215
	longestInputTag = 255
	longestInputVal = 500
	maxDatasets     = 1000
)

func (d datasetInput) check() error {
	if d.Dataset.Name == "" || d.Dataset.Digest == "" || d.Dataset.SourceType == "" {
		return invalid("a dataset needs its name, its digest and its source_type")
	}
	errs := []error{checkLength("the name of a dataset", d.Dataset.Name, longestDataset),
		checkLength("the digest of a dataset", d.Dataset.Digest, longestDigest),
		checkLength("the source_type of a dataset", d.Dataset.SourceType, longestDigest),
		checkLength("the source of a dataset", d.Dataset.Source, longestSource),
		checkLength("the schema of a dataset", d.Dataset.Schema, longestSchema),
		checkLength("the profile of a dataset", d.Dataset.Profile, longestProfile)}
	for _, t := range d.Tags {
		errs = append(errs, checkLength("the name of a dataset's tag", t.Key, longestInputTag),
			checkLength("a dataset's tag", t.Value, longestInputVal))
	}
	return errors.Join(errs...)
}

func (a *API) logInputs(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		runRef
		Datasets []datasetInput    `json:"datasets"`
		Models   []json.RawMessage `json:"models"`
	}
	if err := decode(r, longestInputs, &in); err != nil {
		return nil, err
	}
	id, err := in.id()
	if err != nil {
		return nil, err
	}
	if len(in.Models) > 0 {
		return nil, noModels("the models that a run used cannot be stored")
	}
	if len(in.Datasets) > maxDatasets {
		return nil, invalid("the request has %d datasets; at most %d fit", len(in.Datasets), maxDatasets)
	}
	for _, d := range in.Datasets {
		if err := d.check(); err != nil {
			return nil, err
		}
	}
	inputs := make([]tracker.Dataset, len(in.Datasets))
	for i, d := range in.Datasets {
		inputs[i] = tracker.Dataset{Name: d.Dataset.Name, Digest: d.Dataset.Digest, SourceType: d.Dataset.SourceType,
			Source: d.Dataset.Source, Schema: d.Dataset.Schema, Profile: d.Dataset.Profile, Tags: map[string]string{}}
		for _, t := range d.Tags {
			inputs[i].Tags[t.Key] = t.Value
		}
	}
	return empty{}, a.t.LogInputs(ctx, id, inputs)
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return hex.EncodeToString(b[:])
}
