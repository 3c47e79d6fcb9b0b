"""Logs runs with the real MLflow client, as a training script of its users does.

usage: mlflow_log.py URI < RUNS

RUNS is a JSON list of runs as any_run_test.go describes them. Values are numbers or the words NaN, inf and -inf.
"""

import json
import sys

import mlflow


def main():
    mlflow.set_tracking_uri(sys.argv[1])
    client = mlflow.MlflowClient()
    for plan in json.load(sys.stdin):
        mlflow.set_experiment(plan["experiment"])
        with mlflow.start_run(run_name=plan["name"]) as run:
            mlflow.log_params(plan["params"])
            mlflow.set_tags(plan["tags"])
            for point in plan["points"]:
                mlflow.log_metric(point["key"], float(point["value"]), step=point["step"])
            mlflow.end_run(plan["status"])
        if plan["deleted"] == "run":
            client.delete_run(run.info.run_id)
        elif plan["deleted"] == "experiment":
            client.delete_experiment(run.info.experiment_id)


if __name__ == "__main__":
    main()
