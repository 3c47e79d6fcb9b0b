"""Knowledge graph embeddings: the program spherelab, its runs and its answers, from Python.

The package carries the program. `python -m spherelab train` runs it, and Jupyter has its kernel for Go. The functions
call it too, so they see the same runs:

    import spherelab

    frame = spherelab.runs("params.model = 'rotate'")
    run = spherelab.load("last")
    run.tensors["entity.center"], run.entities[0]
    spherelab.ask("last", "Max Born", "advised")

    with spherelab.tracker.serve() as url:
        mlflow.set_tracking_uri(url)

DataFrames need pandas and `load` needs numpy: `pip install "spherelab[data]"`.
"""

from spherelab import tracker
from spherelab._ask import ask
from spherelab._frame import runs, sql, table
from spherelab._load import Run, load
from spherelab._program import Error, find

__all__ = ["Error", "Run", "ask", "find", "load", "runs", "sql", "table", "tracker"]
