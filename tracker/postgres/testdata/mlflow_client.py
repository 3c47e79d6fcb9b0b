"""Reads our runs and writes one of its own with the real MLflow client.

usage: mlflow_client.py read URI RUN
       mlflow_client.py write URI

Prints one JSON object. Called by TestMLflowClient.
"""

import json
import math
import sys

from mlflow.tracking import MlflowClient


def number(value):
    """JSON has no NaN; the test reads the word."""
    return "NaN" if math.isnan(value) else value


def read(client, run_id):
    run = client.get_run(run_id)
    found = client.search_runs(
        [run.info.experiment_id],
        filter_string="metrics.loss < 1 and params.model = 'sphere-2d' and tags.purpose = 'python'",
    )
    experiment = client.get_experiment(run.info.experiment_id)
    return {
        "id": run.info.run_id,
        "name": run.info.run_name,
        "status": run.info.status,
        "user": run.info.user_id,
        "start": run.info.start_time,
        "end": run.info.end_time,
        "artifact_uri": run.info.artifact_uri,
        "experiment": experiment.name,
        "experiments": sorted(e.name for e in client.search_experiments()),
        "params": run.data.params,
        "tags": run.data.tags,
        "metrics": {k: number(v) for k, v in run.data.metrics.items()},
        "loss": [[m.step, m.value, m.timestamp] for m in client.get_metric_history(run_id, "loss")],
        "odd": [[m.step, number(m.value)] for m in client.get_metric_history(run_id, "odd/nan")],
        "artifacts": [f.path for f in client.list_artifacts(run_id)],
        "found": [r.info.run_id for r in found],
    }


def write(client):
    experiment = client.create_experiment("from-python")
    run = client.create_run(experiment, run_name="python-run")
    run_id = run.info.run_id
    client.log_param(run_id, "model", "python-model")
    client.set_tag(run_id, "colour", "blue")
    for step in range(1, 6):
        client.log_metric(run_id, "loss", 1.0 / step, timestamp=1_700_000_000_000 + step, step=step)
    client.log_metric(run_id, "odd/nan", float("nan"), step=1)
    client.log_metric(run_id, "odd/up", float("inf"), step=1)
    client.set_terminated(run_id)
    return {"id": run_id}


def main():
    command, uri = sys.argv[1], sys.argv[2]
    client = MlflowClient(tracking_uri=uri)
    result = read(client, sys.argv[3]) if command == "read" else write(client)
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
