"""nbclient runs a notebook on the fake engine."""
import nbformat
from nbclient import NotebookClient

notebook = nbformat.v4.new_notebook()
notebook.cells = [nbformat.v4.new_code_cell(code) for code in [
    "print one\neprint two",
    "value 42",
    "show id <b>first</b>",
    "update id <b>second</b>",
    "print gone\nclear wait\nprint stays",
    "# nothing",
    "html <i>x</i>",
]]
notebook.cells[5].metadata["tags"] = ["raises-exception"]
notebook.cells[5].source = "error ValueError expected"
NotebookClient(notebook, kernel_name="fake", timeout=120, startup_timeout=120).execute()
nbformat.validate(notebook)
outputs = [cell.outputs for cell in notebook.cells]
assert [o.name + o.text for o in outputs[0]] == ["stdoutone\n", "stderrtwo\n"], outputs[0]
assert outputs[1][0].data["text/plain"] == "42" and outputs[1][0].execution_count == 2, outputs[1]
assert outputs[2][0].data["text/html"] == "<b>second</b>", outputs[2]
assert [o.text for o in outputs[4]] == ["stays\n"], outputs[4]
assert outputs[5][0].output_type == "error" and outputs[5][0].ename == "ValueError", outputs[5]
assert outputs[6][0].data["text/html"] == "<i>x</i>", outputs[6]
assert [cell.execution_count for cell in notebook.cells] == list(range(1, 8))
print("ok")
