"""Commands that run without any extra, those that need one, and the packages that the core imports.

In processes in which the packages of the extras cannot be imported. docs/engines.md has the list.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from boundkit.algebra.extras import OPTIONAL
from boundkit.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = sorted([*OPTIONAL, "scikit-learn", "charset_normalizer"])
"""Packages that are blocked: also that of the digits, and one that numpy uses where it is installed."""
FIGURES = ["matplotlib", "networkx"]
LECTURE = ["jinja2", "markdown_it", "mdit_py_plugins", "latex2mathml", *FIGURES]

TWO = str(ROOT / "examples" / "two_clients.json")
LOG = str(ROOT / "examples" / "training_log.csv")
HUNDRED = str(ROOT / "examples" / "hundred_clients.json")
NETWORK = str(ROOT / "examples" / "digits_mlp.json")
RECORDS = str(ROOT / "examples" / "records")

ANSWERS = [
    "list",
    "show sgd_nonconvex",
    "find --have smooth",
    "predict sgd_nonconvex m=10 T=100,1000",
    "tune sgd_nonconvex T=100",
    "rounds sgd_nonconvex --eps 0.1",
    "rate sgd_nonconvex",
    "regimes sgd_nonconvex T eta",
    "sensitivity sgd_nonconvex",
    "compare sgd_nonconvex fedavg_nonconvex",
    "cost sgd_nonconvex",
    "graph sgd_nonconvex",
    f"objective fedavg {TWO}",
    f"simulate fedavg {TWO}",
    f"sweep fedavg {TWO} eta=0.05,0.1 --jobs 1",
    f"verify fedavg_strongly_convex_average_drift {TWO} --out exact",
    f"verify fedavg_nonconvex_partial {HUNDRED} --engine step --replicas 4 --out step",
    "export sgd_nonconvex --format javascript",
    "new-theorem mine --out mine.py",
    "check mine.py --static",
    "proof fedavg_nonconvex",
    "examples",
    "demonstrate",
    "demonstrate client_drift",
    f"diagnose {TWO} --replicas 2",
    f"forecast {LOG} --target 0.4",
    "plan --step-time 1s --replicas 2 --bandwidth 1GB/s --payload 1GB",
    "attack search sgd_strongly_convex --evaluations 1",
    "attack mutants fedavg_surrogate_optimum --evaluations 1",
]
"""Commands that need no extra."""

NEEDS_EXTRA = {
    f"verify fedavg_nonconvex_partial {HUNDRED} --plot bound.png": "figures",
    f"figure client_drift --records {RECORDS}": "figures",
    f"figure reductions --records {RECORDS}": "figures",
    f"simulate fedavg {TWO} --engine step --device cuda": "torch",
    "attack worst-case sgd_nonconvex": "pep",
    "lecture site": "lecture",
    "rounds-to-target": "data",
    f"simulate fedavg {NETWORK} --engine step": "data",
}
"""Commands that need an extra, and which."""

RUN = (*ANSWERS, *NEEDS_EXTRA)

PACKAGES = {
    "array_api_compat", "click", "mpmath", "numpy", "scipy", "shellingham", "sympy", "threadpoolctl", "typer",
}  # fmt: skip
"""Third-party packages that these commands import."""
LATER = {"joblib", "rich", "typing_extensions"}
"""Those of the core that only worker processes, terminals or other versions of these packages import."""

PROGRAM = """
import contextlib, io, json, sys
from importlib.machinery import PathFinder

words, blocked = json.load(sys.stdin)

class Core(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in blocked else super().find_spec(name, path, target)

    @classmethod
    def find_distributions(cls, context):
        return () if context.name in blocked else super().find_distributions(context)

sys.meta_path[:] = [Core if finder is PathFinder else finder for finder in sys.meta_path]
from boundkit.cli import main

ended = []
for line in words:
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(line.split())
        except SystemExit as left:
            code = left.code
    ended.append([line, code, out.getvalue(), err.getvalue()])
files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
print(json.dumps([ended, {name: file for name, file in files.items() if file}]))
"""


def test_every_command_is_run() -> None:
    first = [line.split() for line in RUN]
    assert {" ".join(words[: 2 if words[0] == "attack" else 1]) for words in first} == set(COMMANDS)


def run(words: list[str], allowed: list[str], folder: Path) -> tuple[list[Any], dict[str, str]]:
    """How each command ended, in one process without the other extras, and the files of all modules."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], input=json.dumps([words, sorted({*EXTRAS} - {*allowed})]), text=True,
        cwd=folder, capture_output=True, check=False, timeout=300,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ended, files = json.loads(done.stdout)
    return ended, files


def test_the_core_answers_without_any_extra_and_names_the_one_that_is_missing(tmp_path: Path) -> None:
    ended, files = run([*ANSWERS, *NEEDS_EXTRA], [], tmp_path)
    answered, refused = ended[: len(ANSWERS)], ended[len(ANSWERS) :]
    assert [(line, err) for line, code, _, err in answered if code not in (0, 1)] == []
    assert [line for line, _, out, _ in answered if not out.strip()] == []
    for line, code, out, err in refused:
        assert (code, out) == (2, ""), line
        said = rf" needs \w+, which is not installed: pip install 'boundkit\[{NEEDS_EXTRA[line]}\]'\."
        assert re.search(said, err), err
        assert (err.startswith("boundkit: "), err.count("\n")) == (True, 1), err
    assert {path.name for path in tmp_path.iterdir()} == {"exact", "step", "mine.py", "examples"}
    assert sorted(path.name for path in tmp_path.glob("*/*.nc")) == [
        "fedavg_nonconvex_partial.nc", "fedavg_strongly_convex_average_drift.nc",
    ]  # fmt: skip
    installed = {name.partition(".")[0] for name, file in files.items() if "site-packages" in file}
    assert {name for name in installed if not name.startswith("_")} - PACKAGES == set()
    text = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    listed = re.search(r"## Packages of the core\n(.*?)(\n## |\Z)", text, re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"`(\w+)`", listed[1])) == PACKAGES | LATER


@pytest.mark.slow
def test_figures_and_the_lecture_need_their_extra_alone(tmp_path: Path) -> None:
    shutil.copytree(RECORDS, tmp_path / "records")  # what a command computes is added to them
    words = [
        "figure terms sgd_nonconvex T=10:1000:5:log --out terms.png",
        "graph sgd_nonconvex --plot graph.png",
        "lecture site --records records --chapter ahead --jobs 1",
    ]
    ended, files = run(words, LECTURE, tmp_path)
    assert [(line, err) for line, code, _, err in ended if code] == []
    assert "matplotlib.pyplot" not in files, "which may need a display"
    assert (tmp_path / "site" / "index.html").is_file()
    assert (tmp_path / "terms.png").stat().st_size > 1000
