"""Imports go down only: the floors of the house, read from the source with ast."""

from pathlib import Path

import pytest

from tests.imports import Import, imports_of

ROOT = Path(__file__).resolve().parents[1]
LINKS = ("theorems", "verify", "figures")

BELOW: dict[str, frozenset[str]] = {
    "algebra": frozenset(),
    "analysis": frozenset({"algebra"}),
    "theorems": frozenset({"algebra"}),
    "verify": frozenset({"algebra", "analysis"}),  # a theorem comes to it as a value
    "attack": frozenset({"algebra", "analysis", "theorems", "verify"}),
    "figures": frozenset({"algebra", "analysis", "theorems", "verify", "attack"}),
}
QUOTING = {
    "boundkit/verify/selection_bias.py": "boundkit.theorems",  # what the skew of a run makes of the bounds
    "boundkit/verify/demonstrations/clipping.py": "boundkit.theorems",  # the lower bound beside the rounds
}
"""Files that quote a theorem beside their numbers; what verify holds to account comes to it as a value."""
UNBOUND = ("", "cli")  # boundkit/__init__.py and its neighbours, and the command line, may refer to all

ONLY_UNDER = {"torch": {"verify", "attack"}, "matplotlib": {"figures"}, "typer": {"cli"}, "rich": {"cli"}}


def floor_of(file: Path, root: Path) -> str:
    """The room under boundkit/ that a file stands in; "" for the files of boundkit/ itself."""
    inside = file.relative_to(root / "boundkit").parts
    return inside[0] if len(inside) > 1 else ""


def objection(found: Import, floor: str) -> str | None:
    top, *rest = found.target.split(".")
    if top in LINKS:
        return f"imports {found.target} through a link; say boundkit.{found.target}"
    if top == "boundkit" and floor not in UNBOUND:
        room = rest[0] if rest else ""
        if room != floor and room not in BELOW[floor]:
            return f"imports {found.target}, which is not below {floor}"
    if top in ONLY_UNDER and floor not in ONLY_UNDER[top]:
        progress_helper = top == "rich" and floor == "verify" and found.inside_function
        if not progress_helper:
            return f"imports {top}, which belongs under {' and '.join(sorted(ONLY_UNDER[top]))}"
    return None


def objections(root: Path) -> list[str]:
    said = []
    for file in sorted((root / "boundkit").rglob("*.py")):
        floor = floor_of(file, root)
        where = file.relative_to(root)
        if floor not in BELOW and floor not in UNBOUND:
            said.append(f"{where}: {floor} is a new floor; say in BELOW what it stands on")
            continue
        for found in imports_of(file, root):
            quoted = QUOTING.get(where.as_posix())
            if quoted is not None and found.target.startswith(quoted):
                continue
            if complaint := objection(found, floor):
                said.append(f"{where}:{found.line} {complaint}")
    return said


def test_imports_go_down_only() -> None:
    assert (ROOT / "boundkit" / "algebra" / "__init__.py").exists()
    assert objections(ROOT) == []


def test_nothing_else_goes_through_the_links() -> None:
    files = [
        file
        for folder in ("tests", "benchmarks", "examples", "docs")
        for file in (ROOT / folder).rglob("*.py")
    ]
    assert Path(__file__) in files
    through = [
        found for file in files for found in imports_of(file, ROOT) if found.target.split(".")[0] in LINKS
    ]
    assert through == []


@pytest.mark.parametrize("link", LINKS)
def test_the_link_leads_to_the_room(link: str) -> None:
    assert (ROOT / link).is_symlink()
    assert (ROOT / link).readlink() == Path("boundkit") / link
    assert (ROOT / link / "__init__.py").is_file()


@pytest.mark.parametrize(
    ("file", "source", "expected"),
    [
        (
            "algebra/term.py",
            "from boundkit.analysis import predict",
            "boundkit.analysis.predict, which is not below",
        ),
        (
            "algebra/term.py",
            "from ..verify.engines import step",
            "boundkit.verify.engines.step, which is not below",
        ),
        ("algebra/__init__.py", "from .. import cli", "boundkit.cli, which is not below"),
        ("algebra/term.py", "from boundkit import predict", "boundkit.predict, which is not below"),
        ("algebra/term.py", "import boundkit", "imports boundkit, which is not below"),
        (
            "analysis/tune.py",
            "def f():\n    import boundkit.theorems.catalogue",
            "which is not below analysis",
        ),
        ("theorems/x.py", "class A:\n    from boundkit.analysis import tune", "which is not below theorems"),
        (
            "verify/a/b.py",
            "from ...theorems import catalogue",
            "boundkit.theorems.catalogue, which is not below",
        ),
        ("verify/a.py", "import_module('boundkit.theorems')", "boundkit.theorems, which is not below verify"),
        (
            "verify/a.py",
            "importlib.import_module(f'boundkit.figures.{x}')",
            "boundkit.figures, which is not below",
        ),
        ("attack/a.py", "from boundkit.figures import style", "which is not below attack"),
        ("figures/a.py", "from boundkit.cli import main", "which is not below figures"),
        ("analysis/a.py", "from verify import engines", "through a link"),
        ("__init__.py", "import theorems.catalogue", "through a link"),
        ("algebra/a.py", "def f():\n    import torch", "belongs under attack and verify"),
        ("__init__.py", "from torch import nn", "belongs under attack and verify"),
        ("verify/a.py", "from matplotlib import pyplot", "belongs under figures"),
        ("analysis/a.py", "import typer", "belongs under cli"),
        ("verify/a.py", "from rich.progress import track", "belongs under cli"),
        ("attic/a.py", "import numpy", "new floor"),
    ],
)
def test_a_planted_violation_is_seen(tmp_path: Path, file: str, source: str, expected: str) -> None:
    planted = tmp_path / "boundkit" / file
    planted.parent.mkdir(parents=True)
    planted.write_text(source, encoding="utf-8")
    (said,) = objections(tmp_path)
    assert said.startswith(f"boundkit/{file}:")
    assert expected in said


@pytest.mark.parametrize(
    ("file", "source"),
    [
        (
            "algebra/a.py",
            "import sympy\nfrom boundkit.algebra import term\nfrom . import term\nfrom .term import Term",
        ),
        ("verify/a/b.py", "import torch\nfrom ...algebra.notation import tau\nfrom boundkit import analysis"),
        ("verify/a.py", "def f():\n    from rich.progress import track"),
        ("figures/a.py", "import matplotlib.pyplot as plt\nfrom boundkit.verify import record"),
        ("cli/a.py", "import typer, rich\nimport boundkit as bk\nfrom boundkit.figures import style"),
        ("theorems/a.py", "import_module(f'{__package__}.{name}')\nimport_module(f'.{name}', __package__)"),
        ("__init__.py", "from boundkit.analysis import predict\nfrom .theorems import theorem"),
    ],
)
def test_what_goes_down_is_left_in_peace(tmp_path: Path, file: str, source: str) -> None:
    planted = tmp_path / "boundkit" / file
    planted.parent.mkdir(parents=True)
    planted.write_text(source, encoding="utf-8")
    assert objections(tmp_path) == []
