"""A finished run as numpy arrays, names and numbers."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from spherelab._program import Error, call

if TYPE_CHECKING:
    import numpy

TYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8"}


@dataclass(frozen=True)
class Run:
    """A run with its model. The id of an entity or relation is its place in the lists and its row in the arrays."""

    id: str
    name: str
    status: str
    folder: str  #: of its files
    config: dict[str, Any]  #: the settings by the keys of `train --set`, with `train.epochs` as a number
    metrics: dict[str, float]  #: the last value of each metric
    entities: list[str]
    labels: list[str]  #: of the entities, for people
    relations: list[str]
    tensors: dict[str, numpy.ndarray] = field(repr=False)
    settings: dict[str, Any] = field(repr=False)  #: of the model, which the formulas of docs/python.md name

    @cached_property
    def entity_ids(self) -> dict[str, int]:
        """The id of each entity by its name."""
        return {name: row for row, name in enumerate(self.entities)}

    @cached_property
    def relation_ids(self) -> dict[str, int]:
        """The id of each relation by its name."""
        return {name: row for row, name in enumerate(self.relations)}


def load(run: str) -> Run:
    """Loads a run, by id, the beginning of one, name or "last"."""
    shown = json.loads(call("runs", "show", "--format=json", "--", run))
    folder = local(shown["artifact_uri"])
    model = os.path.join(folder, "model.safetensors")
    if not os.path.isfile(model):
        raise Error(f"run {shown['run_id']} ({shown['name']}) has no model.safetensors in {folder}: a stack, or a model "
                    "that counts, or the files are gone")  # fmt: skip
    tensors, about = read_tensors(model)
    entities = read_names(folder, "entities")
    return Run(
        id=shown["run_id"],
        name=shown["name"],
        status=shown["status"],
        folder=folder,
        config={key: value_of(text) for key, text in shown["params"].items()},
        metrics={key: float(value) for key, value in shown["metrics"].items()},
        entities=[row["name"] for row in entities],
        labels=[row["label"] for row in entities],
        relations=[row["name"] for row in read_names(folder, "relations")],
        tensors=tensors,
        settings=json.loads(about.get("settings", "{}")),
    )


def local(uri: str) -> str:
    """Returns the folder of a run's files on this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        raise Error(f"the files of this run are at {uri}, not on this machine; `spherelab runs export-model` fetches a model")
    return url2pathname(unquote(parts.path))


def read_names(folder: str, kind: str) -> list[dict[str, str]]:
    path = os.path.join(folder, "names", f"{kind}.tsv")
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t"))
    except FileNotFoundError:
        raise Error(f"{path} is missing: the run is of an earlier version; `spherelab runs export-model` writes its names") from None


def read_tensors(path: str) -> tuple[dict[str, numpy.ndarray], dict[str, str]]:
    """Reads a file in the format of safetensors. Nothing of it is run."""
    try:
        import numpy
    except ImportError as err:
        raise ImportError('arrays need numpy: pip install "spherelab[data]"') from err
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > os.path.getsize(path):
            raise Error(f"{path} is not a file of tensors, or is cut off")
        header = json.loads(file.read(size))
        about = header.pop("__metadata__", {})
        tensors = {}
        for name, at in header.items():
            if at["dtype"] not in TYPES:
                raise Error(f"{path}: tensor {name} has the type {at['dtype']}, which is not read here")
            start, end = at["data_offsets"]
            file.seek(8 + size + start)
            array = numpy.fromfile(file, TYPES[at["dtype"]], (end - start) // int(TYPES[at["dtype"]][-1]))
            if array.nbytes != end - start:
                raise Error(f"{path} is cut off in tensor {name}")
            tensors[name] = array.reshape(at["shape"])
    return tensors, about


def value_of(text: str) -> Any:
    """Returns a param as a number, a truth value or a list if it is written as one."""
    try:
        return json.loads(text)
    except ValueError:
        return text
