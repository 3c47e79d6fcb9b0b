"""Starts a worker on every node of a Ray cluster, which end when the queue is empty.

usage: ray_workers.py PROGRAM [CORES]    after `spherelab sweep SWEEP.yaml --enqueue-only`

PROGRAM is the path of spherelab on the nodes. Workers get the variables below from this process.
"""

import os
import subprocess
import sys

import ray

KEPT = ("DATABASE_URL", "SPHERELAB_HOME", "SPHERELAB_ARTIFACTS", "AWS_", "MLFLOW_S3_ENDPOINT_URL")


@ray.remote(max_retries=5, scheduling_strategy="SPREAD")
def work(program, cores, env):
    env = {**os.environ, **env, "GOMAXPROCS": str(cores)}
    return subprocess.run([program, "worker", "--drain"], env=env, check=True).returncode


if __name__ == "__main__":
    program, cores = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
    ray.init()
    env = {k: v for k, v in os.environ.items() if k.startswith(KEPT)}
    workers = max(1, int(ray.cluster_resources()["CPU"]) // cores)
    ray.get([work.options(num_cpus=cores).remote(program, cores, env) for _ in range(workers)])
