"""The notebook `examples/eight_schools.ipynb`: its cells run, by Jupyter where it is installed and otherwise one after the other, and its three evidences
are one number."""

import ast
import importlib.util
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import bayes  # noqa: F401

NOTEBOOK = Path(__file__).parents[1] / "examples" / "eight_schools.ipynb"


#: What is asked of the names that the cells leave.
LAST = "import json\njson.dumps([[float(x) for pair in estimates.values() for x in pair], bool(evidence.agree)])"


def by_jupyter(nbclient, nbformat) -> str:
    """The value of the last expression, after the cells of the notebook; one of them shows a table as HTML."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(LAST))
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("text/html" in output.get("data", {}) for output in outputs)
    return ast.literal_eval(outputs[-1].data["text/plain"])


def by_python() -> str:
    """The value of the last expression, after the cells one after the other."""
    names: dict = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(NOTEBOOK), "exec"), names)
    cells, expression = LAST.split("\n")
    exec(cells, names)
    return eval(expression, names)


@pytest.mark.filterwarnings("default::bayes.BayesWarning")
def test_the_cells_run_and_the_evidences_agree():
    pytest.importorskip("schools")
    needed = ["nbclient", "nbformat", "ipykernel"]
    is_jupyter = all(map(importlib.util.find_spec, needed))
    text = by_jupyter(*map(importlib.import_module, needed[:2])) if is_jupyter else by_python()
    numbers, agree = json.loads(text)
    for (one, one_se), (other, other_se) in combinations(zip(numbers[::2], numbers[1::2]), 2):
        assert abs(one - other) < 4 * np.hypot(one_se, other_se)
    assert len(numbers) == 6 and agree
