"""Runs a notebook with nbclient and prints a JSON object on stdout: its metadata,
where the kernel's description is added, and its outputs, a list for each code
cell.

usage: run_notebook.py NOTEBOOK KERNEL_NAME
"""

import json
import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, kernel_name=sys.argv[2], timeout=120).execute()
outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
json.dump({"metadata": notebook.metadata, "outputs": outputs}, sys.stdout)
