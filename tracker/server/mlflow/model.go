package mlflow

import (
	"context"
	"net/http"
	"regexp"

	"github.com/lib/pq"
)

// MLflow 3 keeps models in its own tables, which this server does not serve. Its client searches them whenever it lists
// artifacts of a run by an address runs:/. So if there are certainly no models, the answer is an empty list.

// ofOneName matches the filter of that search.
var ofOneName = regexp.MustCompile(`^\s*name\s*=\s*'([^']*)'\s*$`)

func noModels(why string) error {
	return faultf("ENDPOINT_NOT_FOUND", "%s: this server does not serve the models of MLflow 3; ask a server of MLflow's "+
		"on the same database", why)
}

// searchModels answers with an empty list if the database has no model that the search can mean.
func (a *API) searchModels(ctx context.Context, r *http.Request) (any, error) {
	var in struct {
		Experiments []string `json:"experiment_ids"`
		Filter      string
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	ids, err := experimentIDs(in.Experiments)
	if err != nil {
		return nil, err
	}
	found := false
	err = a.db.GetContext(ctx, &found, `SELECT to_regclass('public.logged_models') IS NOT NULL`)
	if err == nil && found {
		var name *string
		if match := ofOneName.FindStringSubmatch(in.Filter); match != nil {
			name = &match[1]
		}
		err = a.db.GetContext(ctx, &found, `SELECT EXISTS (SELECT FROM public.logged_models
			WHERE experiment_id = ANY ($1) AND lifecycle_stage IS DISTINCT FROM 'deleted' AND ($2::text IS NULL OR name = $2))`,
			pq.Array(ids), name)
	}
	if err != nil {
		return nil, err
	}
	if found {
		return nil, noModels("there are models in these experiments")
	}
	return map[string]any{"models": []empty{}}, nil
}

// usedModel is a model that a run used or made.
type usedModel struct {
	ID   string  `json:"model_id" db:"model"`
	Step integer `json:"step" db:"step"` // the run's step at which it made the model
}

// runOutputs are the models that a run made.
type runOutputs struct {
	Models []usedModel `json:"model_outputs"`
}

// addModels adds the models of runs, which servers of MLflow 3 store. Older tables do not have the step.
func (a *API) addModels(ctx context.Context, index map[string]*run, ids []string) error {
	var rows []struct {
		Run  string `db:"run"`
		Made bool   `db:"made"`
		usedModel
	}
	if err := a.db.SelectContext(ctx, &rows, `SELECT i.source_id AS run, i.source_type = 'RUN_OUTPUT' AS made,
			i.destination_id AS model, coalesce((to_jsonb(i) ->> 'step')::bigint, 0) AS step
		FROM public.inputs i WHERE i.source_id = ANY ($1) AND (i.source_type = 'RUN_OUTPUT'
			AND i.destination_type = 'MODEL_OUTPUT' OR i.source_type = 'RUN_INPUT' AND i.destination_type = 'MODEL_INPUT')
		ORDER BY i.destination_id, step`, pq.Array(ids)); err != nil {
		return err
	}
	for _, row := range rows {
		to := index[row.Run]
		if row.Made {
			if to.Outputs == nil {
				to.Outputs = &runOutputs{}
			}
			to.Outputs.Models = append(to.Outputs.Models, row.usedModel)
		} else {
			to.Inputs.Models = append(to.Inputs.Models, row.usedModel)
		}
	}
	return nil
}
