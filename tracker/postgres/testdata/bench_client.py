"""Times MLflow's client for benchmarks. Every command prints seconds, without Python's start, and a count.

bench_client.py log URI POINTS         log_batch of 1,000 metrics at a time, of 40 keys
bench_client.py search URI FILTER ORDER ROWS
bench_client.py history URI RUN KEY
"""
import sys
import time

from mlflow.entities import Metric
from mlflow.tracking import MlflowClient


def log(client, points):
    run = client.create_run("0").info.run_id
    metrics = [Metric(f"valid/metric_{i % 40}", i / 3, 1_700_000_000_000 + i // 40, i // 40) for i in range(points)]
    start = time.perf_counter()
    for i in range(0, points, 1000):
        client.log_batch(run, metrics=metrics[i : i + 1000])
    return time.perf_counter() - start, points


def search(client, condition, order, rows):
    experiments = [e.experiment_id for e in client.search_experiments()]
    start = time.perf_counter()
    runs = client.search_runs(experiments, condition, order_by=[order], max_results=rows)
    return time.perf_counter() - start, len(runs)


def history(client, run, key):
    start = time.perf_counter()
    points = client.get_metric_history(run, key)
    return time.perf_counter() - start, len(points)


def main():
    command, uri, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    client = MlflowClient(uri)
    client.get_experiment("0")  # connects
    if command == "log":
        result = log(client, int(rest[0]))
    elif command == "search":
        result = search(client, rest[0], rest[1], int(rest[2]))
    else:
        result = history(client, rest[0], rest[1])
    print(*result)


main()
