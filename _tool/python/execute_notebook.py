"""Runs a notebook with nbclient in a folder of its own and writes it with its outputs.

The kernel is the one that the notebook names. Left out is what no reader needs
and what would make the file differ by machine: the version of the language and
times of cells. What a cell prints in several pieces becomes one output, as in
JupyterLab.

usage: execute_notebook.py NOTEBOOK RESULT FOLDER [--allow-errors]
"""

import sys

import nbformat
from nbclient import NotebookClient

source, result, folder = sys.argv[1:4]
allow_errors = sys.argv[4:] == ["--allow-errors"]
notebook = nbformat.read(source, as_version=4)
NotebookClient(
    notebook,
    timeout=300,
    allow_errors=allow_errors,
    record_timing=False,
    resources={"metadata": {"path": folder}},
).execute()
notebook.metadata["language_info"].pop("version", None)
for cell in notebook.cells:
    joined = []
    for output in cell.get("outputs", []):
        last = joined[-1] if joined else None
        if last and output["output_type"] == last["output_type"] == "stream" and output["name"] == last["name"]:
            last["text"] += output["text"]
        else:
            joined.append(output)
    if "outputs" in cell:
        cell["outputs"] = joined
nbformat.validate(notebook)
nbformat.write(notebook, result)
