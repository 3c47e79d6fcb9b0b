// Package mlflow serves MLflow's REST API 2.0 over a tracker's database, so that MLflow's clients log to it and read
// from it. It has what runs need: experiments, runs, metrics, params, tags, datasets and artifacts. Requests and
// answers have the names, limits and error codes of MLflow's own server. Where that server cuts a long text, this one
// refuses it.
//
// Package tracker/server listens and decides who may call.
package mlflow
