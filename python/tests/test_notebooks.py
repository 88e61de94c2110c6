"""The notebooks run from beginning to end; how long they may take is for CTest to say."""

import importlib.util

import nbformat
import pytest
from nbclient import NotebookClient


@pytest.mark.parametrize("name", ["first-steps", "own-simulator", "another-learner"])
def test_runs(name, source, tmp_path):
    if name == "another-learner" and importlib.util.find_spec("sb3_contrib") is None:
        pytest.skip("Stable-Baselines3 is not installed: `make test-python-learners` installs it")
    notebook = nbformat.read(source / "examples" / "notebooks" / f"{name}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=None, kernel_name="python3",
                   resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert shown
    if name != "another-learner":
        assert any("text/html" in output.get("data", {}) for output in shown)
