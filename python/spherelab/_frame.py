"""Tables of the program as pandas DataFrames."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

from spherelab._program import call

if TYPE_CHECKING:
    import pandas

# Columns that hold text whatever it looks like: a run may be named 007, an entity 1994 or NA.
TEXT = ["run_id", "name", "experiment", "status", "model", "variant", "cut", "entity", "label", "splits", "mark", "note",
        "query", "head", "relation", "tail", "side", "bindings", "graph", "split", "category", "metric", "key"]  # fmt: skip

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def need_pandas() -> Any:
    """Imports pandas when a function needs it: the program and the kernel do not."""
    try:
        import pandas
    except ImportError as err:
        raise ImportError('DataFrames need pandas: pip install "spherelab[data]"') from err
    return pandas


def runs(filter: str = "", *, experiment: str = "", limit: int = 0) -> pandas.DataFrame:
    """Returns logged runs, newest first, with a row for each.

    `filter` is in MLflow's language, as in "metrics.loss < 0.5 and params.model = 'rotate'", or words that a run has in
    its name, graph or model. `start` is a time with a zone, `seconds` and all metrics are floats. `sql` reads the rest:
    `sql("select * from run_wide")` has the params.
    """
    pd = need_pandas()
    command = ["runs", "ls"]
    for flag, value in (("--filter", filter), ("--experiment", experiment), ("--limit", str(limit or ""))):
        command += [f"{flag}={value}"] if value else []
    frame = table(*command)
    frame["start"] = pd.to_datetime(frame["start"], utc=True, format="ISO8601")
    frame["seed"] = frame["seed"].astype("Int64")
    for name in frame.columns.difference([*TEXT, "start", "seed"]):
        frame[name] = frame[name].astype("float64")
    return frame


def table(*command: str) -> pandas.DataFrame:
    """Returns what a command prints with `--format csv`, for example `table("table", "umls")`."""
    return read(call(*command, "--format", "csv"))


def read(text: str) -> pandas.DataFrame:
    """Reads CSV of the program. In columns of text no value is a number or missing."""
    pd = need_pandas()
    header = pd.read_csv(io.StringIO(text), nrows=0).columns
    missing = {name: ["", "NaN"] for name in header if name not in TEXT}
    types = {name: str for name in header if name in TEXT}
    frame: pandas.DataFrame = pd.read_csv(
        io.StringIO(text), dtype=types, na_values=missing, keep_default_na=False
    )
    return frame


def sql(query: str) -> pandas.DataFrame:
    """Returns the result of a SQL query, which can only read. Times become datetimes with a zone."""
    pd = need_pandas()
    rows = json.loads(call("tracker", "sql", "--format", "json", "--", query))
    if not rows:  # only CSV has the names of the columns then
        return read(call("tracker", "sql", "--format", "csv", "--", query))
    frame: pandas.DataFrame = pd.DataFrame.from_records(rows)
    for name in frame.columns:
        values = [row[name] for row in rows if row[name] is not None]
        if values and all(isinstance(value, str) and TIME.fullmatch(value) for value in values):
            frame[name] = pd.to_datetime(frame[name], utc=True, format="ISO8601")
    return frame
