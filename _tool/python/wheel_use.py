"""Uses the installed package spherelab as a program would, and prints what it returns as a JSON object.

usage: wheel_use.py
"""

import json
import sys
import urllib.error
import urllib.request

import mlflow
import spherelab

runs = spherelab.runs()
found = spherelab.runs("params.model = 'sphere-2d'")
none = spherelab.runs("params.model = 'rotate'")
run = spherelab.load("007")
answers = spherelab.ask("007", "Max Born", "advised", cut="fitted-f1")
wider = spherelab.ask("007", "Max Born", "advised", cut="fitted-f1", outside=True)
hops = spherelab.ask("007", "Max Born > advised > advised")
relations = spherelab.ask("007", "Max Born", "?", "Pascual Jordan")
rows = spherelab.sql("select run_id, epoch, loss, at from epoch order by epoch")
empty = spherelab.sql("select run_id, epoch from epoch where epoch < 0")
words = spherelab.sql("select '1e5' as text, null as nothing, 9007199254740993 as large")


def error(function, *arguments):
    try:
        function(*arguments)
    except spherelab.Error as err:
        return [err.code, str(err)]
    raise SystemExit(f"{function}{arguments} has no error")


errors = [
    error(spherelab.ask, "007", "nobody", "advised"),
    error(spherelab.sql, "select 1 from nothing"),
    error(spherelab.runs, "params.model ="),
    error(spherelab.load, "none"),
    error(spherelab.tracker.serve("nowhere").__enter__),
]

with spherelab.tracker.serve(token="a-token-of-some-length") as url:
    try:
        urllib.request.urlopen(url)
    except urllib.error.HTTPError as err:
        refused = err.code
with spherelab.tracker.serve() as url:
    client = mlflow.MlflowClient(url)
    logged = client.get_run(run.id).data
try:
    urllib.request.urlopen(url, timeout=5)
    ended = False
except OSError:
    ended = True

json.dump(
    {
        "runs": runs[["run_id", "name"]].values.tolist(),
        "types": {name: str(kind) for name, kind in runs.dtypes.items()},
        "start": runs["start"][0].isoformat(),
        "found": [len(found), len(none), list(none.columns) == list(runs.columns)],
        "run": [run.id, run.name, run.status, run.config["train.epochs"], run.config["model"], run.metrics["loss"]],
        "shapes": {name: [*array.shape, str(array.dtype), bool(array.flags.writeable)] for name, array in run.tensors.items()},
        "names": [len(run.entities), len(run.labels), len(run.relations), run.entity_ids["Max Born"]],
        "born": run.entities.index("Max Born"),
        "center": float(run.tensors["entity.center"][run.entity_ids["Max Born"], 0, 0]),
        "gamma": run.settings["Gamma"],
        "answers": answers["entity"].tolist(),
        "marks": sorted(set(answers["mark"])),
        "wider": [len(wider), int(wider["in_set"].sum())],
        "hops": hops["entity"].tolist(),
        "relations": relations["relation"].tolist(),
        "rows": [len(rows), str(rows["at"].dtype), str(rows["epoch"].dtype), str(rows["loss"].dtype)],
        "empty": [len(empty), *empty.columns],
        "words": [words["text"][0], words["nothing"][0] is None, int(words["large"][0])],
        "errors": errors,
        "mlflow": [logged.params["model"], logged.metrics["loss"]],
        "refused": refused,
        "ended": ended,
    },
    sys.stdout,
)
