"""Times search_runs of MLflow's Python client on a database.

usage: search_runs.py URI MAX_RESULTS ROUNDS

Prints the seconds of each round, after one that does not count. Called by BenchmarkPage.
"""

import sys
import time

from mlflow.tracking import MlflowClient

client = MlflowClient(sys.argv[1])
want, rounds = int(sys.argv[2]), int(sys.argv[3])
for i in range(rounds + 1):
    start = time.perf_counter()
    found = len(client.search_runs(["0"], max_results=want))
    if found != want:
        sys.exit(f"search_runs finds {found} runs, not {want}")
    if i > 0:
        print(time.perf_counter() - start)
