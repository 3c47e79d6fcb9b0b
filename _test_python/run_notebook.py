"""Runs a notebook with nbclient and prints its outputs as JSON, a list for each
code cell.

usage: run_notebook.py NOTEBOOK KERNEL_NAME
"""

import json
import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, kernel_name=sys.argv[2], timeout=120).execute()
json.dump([cell.outputs for cell in notebook.cells if cell.cell_type == "code"], sys.stdout)
