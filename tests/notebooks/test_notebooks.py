import importlib.util
import os
from collections.abc import Iterator
from numbers import Number
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.notebooks.cells import SCRIPTS, Cell, cells_of, run

EVERY = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
NEEDED = ("jupytext", "nbclient", "nbformat", "ipykernel", "matplotlib_inline")


@pytest.fixture(autouse=True)
def _no_figures_left() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


@EVERY
def test_what_a_notebook_claims_is_true_and_its_values_show_themselves(script: Path) -> None:
    shown = run(script)
    assert len(shown) >= 5
    assert plt.get_fignums()
    for value in shown:
        if hasattr(value, "_repr_html_"):
            ElementTree.fromstring(f"<div>{value._repr_html_()}</div>")
        else:
            plain = isinstance(value, (str, Number, tuple, dict, np.ndarray))
            assert plain or hasattr(value, "_repr_latex_")


def test_a_claim_that_is_false_stops_a_notebook(tmp_path: Path) -> None:
    false = tmp_path / "false.py"
    false.write_text("# %% [markdown]\n# # Why?\n\n# %%\nassert 1 + 1 == 3\n", encoding="utf-8")
    assert cells_of(false)[1] == Cell("\nassert 1 + 1 == 3\n", prose=False)
    with pytest.raises(AssertionError):
        run(false)


@pytest.mark.slow
def test_one_of_them_runs_in_a_kernel_as_a_notebook() -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: not installed")
    import jupytext  # type: ignore[import-untyped,unused-ignore]
    from nbclient import NotebookClient

    script = SCRIPTS[2]  # a formula, tables, a picture of ours, and after it one of its own
    notebook = jupytext.read(script)
    assert len(notebook.cells) == len(cells_of(script))
    # The kernel chooses the backend that a notebook shows.
    own = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(env=own)
    shown = [output for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    kinds = [output.data.keys() for output in shown]
    assert any("text/latex" in kind for kind in kinds)
    assert any("text/html" in kind for kind in kinds)
    assert sum("image/png" in kind for kind in kinds) == 2
