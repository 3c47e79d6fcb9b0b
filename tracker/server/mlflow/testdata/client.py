"""Logs to a server, and reads from it, with the real MLflow client.

usage: client.py URI OUR_RUN

OUR_RUN is a run that the Go program logged. Prints one JSON object. Called by TestMLflowClient.
"""

import json
import math
import os
import sys
import tempfile
import time

import mlflow
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, RunTag, ViewType
from mlflow.exceptions import MlflowException
from mlflow.tracking import MlflowClient


def number(value):
    """JSON has no NaN; the test reads the word."""
    return "NaN" if math.isnan(value) else value


def code_of(call):
    try:
        call()
    except MlflowException as error:
        return error.error_code
    return "none"


def experiments(client):
    first = client.create_experiment("from-rest", tags={"purpose": "test"})
    client.set_experiment_tag(first, "colour", "blue")
    other = client.create_experiment("other")
    client.rename_experiment(other, "renamed")
    client.delete_experiment(other)
    deleted = [e.name for e in client.search_experiments(view_type=ViewType.DELETED_ONLY)]
    client.restore_experiment(other)
    found = client.search_experiments(filter_string="name LIKE 'from%' AND tags.purpose = 'test'")
    own = client.create_experiment("own", artifact_location="mlflow-artifacts:/mine")
    kept = client.create_run(own).info
    client.log_text(kept.run_id, "hello", "note.txt")
    led = [
        code_of(lambda: client.create_experiment("evil", artifact_location=location))
        for location in ("https://evil.example/x", "mlflow-artifacts://evil.example/x", "s3://evil/x")
    ]
    client.delete_experiment(own)
    pages = []
    token = None
    while True:
        page = client.search_experiments(max_results=1, page_token=token, order_by=["name DESC"])
        pages += [e.name for e in page]
        token = page.token
        if not token:
            break
    return first, {
        "tags": client.get_experiment(first).tags,
        "by_name": client.get_experiment_by_name("from-rest").experiment_id == first,
        "no_name": client.get_experiment_by_name("nothing") is None,
        "deleted": deleted,
        "found": [e.name for e in found],
        "pages": pages,
        "own": [kept.artifact_uri == f"mlflow-artifacts:/mine/{kept.run_id}/artifacts"]
        + [f.path for f in client.list_artifacts(kept.run_id)],
        "led": led,
        "again": code_of(lambda: client.create_experiment("from-rest")),
        "missing": code_of(lambda: client.get_experiment("4711")),
    }


def one_run(client, experiment):
    run_id = client.create_run(experiment, run_name="python-run", tags={"a": "1"}).info.run_id
    client.log_param(run_id, "model", "python-model")
    client.set_tag(run_id, "colour", "blue")
    client.set_tag(run_id, "gone", "soon")
    client.delete_tag(run_id, "gone")
    for step in range(1, 6):
        client.log_metric(run_id, "loss", 1.0 / step, timestamp=1_700_000_000_000 + step, step=step)
    client.log_metric(run_id, "odd/nan", float("nan"), step=1)
    client.log_metric(run_id, "odd/up", float("inf"), step=1)
    now = int(time.time() * 1000)
    client.log_batch(
        run_id,
        metrics=[Metric("many", float(i), now, i) for i in range(1000 - 2)],
        params=[Param("batched", "yes")],
        tags=[RunTag("batched", "too")],
    )
    client.log_inputs(
        run_id,
        datasets=[
            DatasetInput(
                Dataset("umls", "abc", "local", '{"path": "x"}', '{"columns": 3}', '{"rows": 5}'),
                [InputTag("mlflow.data.context", "training")],
            )
        ],
    )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a b.txt")
        with open(path, "w") as f:
            f.write("hello")
        client.log_artifact(run_id, path, "some/folder")
        client.log_artifact(run_id, path)
    with tempfile.TemporaryDirectory() as folder:
        with open(client.download_artifacts(run_id, "some/folder/a b.txt", folder)) as f:
            artifact = f.read()
    conflict = code_of(lambda: client.log_param(run_id, "model", "another"))
    client.log_metric(run_id, "größe/损失 ½", 2.0)
    client.log_param(run_id, "größe", "л")
    client.set_tag(run_id, "größe", "ф")
    named = [
        code_of(lambda: client.set_tag(run_id, name, "1"))
        for name in ("a\u0301", "हिन्दी", "a,b", "a\u00a0b", "a|b", "€")
    ]
    client.set_terminated(run_id, "FINISHED")
    run = client.get_run(run_id)
    return run_id, {
        "name": run.info.run_name,
        "status": run.info.status,
        "ended": run.info.end_time is not None,
        "params": run.data.params,
        "tags": {k: v for k, v in run.data.tags.items() if not k.startswith("mlflow.")},
        "metrics": {k: number(v) for k, v in run.data.metrics.items()},
        "loss": [[m.step, m.value, m.timestamp] for m in client.get_metric_history(run_id, "loss")],
        "many": len(client.get_metric_history(run_id, "many")),
        "dataset": [
            [i.dataset.name, i.dataset.digest, i.dataset.profile, [[t.key, t.value] for t in i.tags]]
            for i in run.inputs.dataset_inputs
        ],
        "artifacts": [[f.path, f.is_dir] for f in client.list_artifacts(run_id)],
        "inside": [[f.path, f.file_size] for f in client.list_artifacts(run_id, "some/folder")],
        "artifact": artifact,
        "conflict": conflict,
        "named": named,
        "uri": run.info.artifact_uri.split("/")[0],
    }


def search(client, experiment, run_id):
    for i in range(5):
        run = client.create_run(experiment, run_name=f"r{i}", start_time=1_700_000_000_000 + i)
        client.log_metric(run.info.run_id, "x", i if i != 3 else float("nan"))
        client.log_param(run.info.run_id, "even", str(i % 2 == 0))
    client.delete_run(client.search_runs([experiment], "attributes.run_name = 'r4'")[0].info.run_id)
    filters = {
        "metrics.x >= 1": None,
        "metrics.x != 1": None,
        "params.even = 'True'": None,
        "params.even ILIKE 'fal%' and metrics.x < 2": None,
        "tags.colour = 'blue'": None,
        "tags.`mlflow.runName` LIKE 'r%'": None,
        "run_name IN ('r1')": None,
        "attributes.start_time > 1700000000001 AND status = 'RUNNING'": None,
        "datasets.name = 'umls' and dataset.context IN ('training', 'x')": None,
        f"run_id IN ('{run_id}')": None,
        "metrics.\"odd/up\" > 1e300": None,
        "metrics.`größe/损失 ½` > 1 and params.größe = 'л' and tags.größe = 'ф'": None,
    }
    for text in filters:
        try:
            filters[text] = sorted(r.info.run_name for r in client.search_runs([experiment], text))
        except MlflowException as error:
            filters[text] = [error.error_code]
    pages, token = [], None
    while True:
        page = client.search_runs([experiment], max_results=2, page_token=token, order_by=["metrics.x DESC"])
        pages.append([r.info.run_name for r in page])
        token = page.token
        if not token:
            break
    everything = client.search_runs([experiment], run_view_type=ViewType.ALL, order_by=["attribute.run_name"])
    return {"filters": filters, "pages": pages, "all": [r.info.run_name for r in everything]}


def fluent(experiment):
    mlflow.set_experiment(experiment_id=experiment)
    with mlflow.start_run(run_name="fluent") as parent:
        mlflow.log_params({"p": 1})
        mlflow.log_metrics({"m": 2.0}, step=3)
        mlflow.log_text("text", "note.txt")
        mlflow.log_dict({"a": 1}, "d/x.json")
        with mlflow.start_run(run_name="child", nested=True):
            pass
    return mlflow.artifacts.load_text(parent.info.artifact_uri + "/note.txt")


def ours(client, run_id):
    run = client.get_run(run_id)
    with tempfile.TemporaryDirectory() as folder:
        with open(client.download_artifacts(run_id, "note.txt", folder)) as f:
            note = f.read()
    return {
        "name": run.info.run_name,
        "params": run.data.params,
        "metrics": {k: number(v) for k, v in run.data.metrics.items()},
        "artifacts": [f.path for f in client.list_artifacts(run_id)],
        "note": note,
    }


def main():
    uri, our_run = sys.argv[1:]
    mlflow.set_tracking_uri(uri)
    client = MlflowClient()
    experiment, result = experiments(client)
    run_id, of_run = one_run(client, experiment)
    json.dump(
        {
            "version": mlflow.__version__,
            "run_id": run_id,
            "experiments": result,
            "run": of_run,
            "search": search(client, experiment, run_id),
            "fluent": fluent(experiment),
            "ours": ours(client, our_run),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
