"""The notebook `examples/eight_schools.ipynb`: its cells run, by nbclient where it is installed and otherwise one after the other, and its three evidences
are one number."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import bayes  # noqa: F401

NOTEBOOK = Path(__file__).parents[1] / "examples" / "eight_schools.ipynb"


def sources() -> list[str]:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.filterwarnings("default::bayes.BayesWarning")
def test_the_cells_run_and_the_evidences_agree():
    pytest.importorskip("schools")
    names: dict = {}
    for source in sources():
        exec(compile(source, str(NOTEBOOK), "exec"), names)
    for (one, one_se), (other, other_se) in combinations(names["estimates"].values(), 2):
        assert abs(one - other) < 4 * np.hypot(one_se, other_se)
    assert names["evidence"].agree


def test_jupyter_runs_it():
    pytest.importorskip("schools")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("text/html" in output.get("data", {}) for output in outputs)
