"""Imports go down only: the layers of the package, read from the source with ast."""

import re
from pathlib import Path

import pytest

from tests.imports import Import, imports_of

ROOT = Path(__file__).resolve().parents[1]
LINKS = {"theorems": "theorems", "verify": "verification", "figures": "figures"}

BELOW: dict[str, frozenset[str]] = {  # and report, which every layer may import
    "report": frozenset(),
    "algebra": frozenset(),
    "analysis": frozenset({"algebra"}),
    "theorems": frozenset({"algebra"}),
    "simulation": frozenset({"algebra", "analysis"}),
    "integrations": frozenset({"algebra", "simulation"}),
    "verification": frozenset({"algebra", "analysis", "simulation"}),  # theorems are passed to it as values
    "proofs": frozenset({"algebra", "analysis", "theorems", "simulation", "verification"}),
    "attack": frozenset({"algebra", "analysis", "theorems", "simulation", "verification", "proofs"}),
    "studies": frozenset({"algebra", "analysis", "simulation", "verification"}),
    "figures": frozenset(
        {"algebra", "analysis", "theorems", "simulation", "verification", "proofs", "attack", "studies"}
    ),
    "lecture": frozenset(
        {"algebra", "analysis", "theorems", "simulation", "verification", "attack", "studies", "figures"}
    ),
}
QUOTING = {
    "boundkit/verification/selection_skew.py": "boundkit.theorems",  # the bounds at the skews of a run
    "boundkit/studies/demonstrations/clipping.py": "boundkit.theorems",  # the lower bound beside the rounds
}
"""Files that evaluate a theorem of the catalogue beside their own numbers."""
UNBOUND = ("", "cli")  # boundkit/__init__.py and its neighbours, and the command line, may refer to all

ONLY_UNDER = {
    "torch": {"simulation", "integrations", "verification", "attack", "proofs", "studies"},
    "matplotlib": {"figures"},
    "typer": {"cli"},
    "rich": {"cli"},
}


_LINK = rf"(?<![.\w])(?:{'|'.join(LINKS)})\b"
MAY_USE_A_LINK = re.compile(rf"^.*\bimport.*{_LINK}|^\s*from {_LINK}", re.MULTILINE)
"""A line with an import and the name of a link; a file without one need not be parsed."""


def layer_of(file: Path, root: Path) -> str:
    """The subpackage of boundkit that holds a file; "" for the files of boundkit/ itself."""
    inside = file.relative_to(root / "boundkit").parts
    return inside[0] if len(inside) > 1 else ""


def objection(found: Import, layer: str) -> str | None:
    top, *rest = found.target.split(".")
    if top in LINKS:
        return f"imports {found.target} through a link; say boundkit.{found.target}"
    if top == "boundkit" and layer not in UNBOUND:
        imported = rest[0] if rest else ""
        if imported not in {layer, "report", *BELOW[layer]}:
            return f"imports {found.target}, which is not below {layer}"
    if top in ONLY_UNDER and layer not in ONLY_UNDER[top]:
        progress_helper = top == "rich" and layer == "simulation" and found.inside_function
        if not progress_helper:
            return f"imports {top}, which belongs under {' and '.join(sorted(ONLY_UNDER[top]))}"
    return None


def objections(root: Path) -> list[str]:
    said = []
    for file in sorted((root / "boundkit").rglob("*.py")):
        layer = layer_of(file, root)
        where = file.relative_to(root)
        if layer == "examples":  # scripts that are copied, never imported
            continue
        if layer not in BELOW and layer not in UNBOUND:
            said.append(f"{where}: {layer} is a new layer; list in BELOW what it may import")
            continue
        for found in imports_of(file, root):
            quoted = QUOTING.get(where.as_posix())
            if quoted is not None and found.target.startswith(quoted):
                continue
            if complaint := objection(found, layer):
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
    suspects = [file for file in files if MAY_USE_A_LINK.search(file.read_text(encoding="utf-8"))]
    assert suspects  # "from boundkit import figures" is one, too
    through = [
        found for file in suspects for found in imports_of(file, ROOT) if found.target.split(".")[0] in LINKS
    ]
    assert through == []
    for line in ("import verify", "from figures.plot import plot", "importlib.import_module('theorems.x')"):
        assert MAY_USE_A_LINK.search(f"x = 1\n{line}\n"), line


def test_a_link_leads_to_its_subpackage() -> None:
    for link, subpackage in LINKS.items():
        assert (ROOT / link).readlink() == Path("boundkit") / subpackage
        assert (ROOT / link / "__init__.py").is_file(), link


def test_the_link_to_the_examples_leads_to_files_that_are_shipped() -> None:
    assert (ROOT / "examples").readlink() == Path("boundkit") / "examples"
    assert not (ROOT / "examples" / "__init__.py").exists(), "examples are copied, never imported"


@pytest.mark.parametrize(
    ("file", "source", "expected"),
    [
        ("algebra/term.py", "from boundkit.analysis import predict",
         "boundkit.analysis.predict, which is not below"),
        ("algebra/term.py", "from ..simulation.engines import step",
         "boundkit.simulation.engines.step, which is not below"),
        ("algebra/__init__.py", "from .. import cli", "boundkit.cli, which is not below"),
        ("algebra/term.py", "from boundkit import predict", "boundkit.predict, which is not below"),
        ("algebra/term.py", "import boundkit", "imports boundkit, which is not below"),
        ("analysis/tune.py", "def f():\n    import boundkit.theorems.catalogue",
         "which is not below analysis"),
        ("theorems/x.py", "class A:\n    from boundkit.analysis import tune", "which is not below theorems"),
        ("verification/a/b.py", "from ...theorems import catalogue",
         "boundkit.theorems.catalogue, which is not below"),
        ("verification/a.py", "import_module('boundkit.theorems')",
         "boundkit.theorems, which is not below verification"),
        ("verification/a.py", "importlib.import_module(f'boundkit.figures.{x}')",
         "boundkit.figures, which is not below"),
        ("attack/a.py", "from boundkit.figures import style", "which is not below attack"),
        ("figures/a.py", "from boundkit.cli import main", "which is not below figures"),
        ("analysis/a.py", "from verify import engines", "through a link"),
        ("__init__.py", "import theorems.catalogue", "through a link"),
        ("algebra/a.py", "def f():\n    import torch",
         "belongs under attack and integrations and proofs and simulation and studies and verification"),
        ("__init__.py", "from torch import nn",
         "belongs under attack and integrations and proofs and simulation and studies and verification"),
        ("verification/a.py", "from matplotlib import pyplot", "belongs under figures"),
        ("analysis/a.py", "import typer", "belongs under cli"),
        ("verification/a.py", "from rich.progress import track", "belongs under cli"),
        ("report/a.py", "from boundkit.algebra import Theorem", "which is not below report"),
        ("attic/a.py", "import numpy", "new layer"),
    ],
)  # fmt: skip
def test_a_planted_violation_is_seen(tmp_path: Path, file: str, source: str, expected: str) -> None:
    planted = tmp_path / "boundkit" / file
    planted.parent.mkdir(parents=True)
    planted.write_text(source, encoding="utf-8")
    (said,) = objections(tmp_path)
    assert said.startswith(f"boundkit/{file}:")
    assert expected in said


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other in a circle, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(imports[module]):
            if other not in index:
                visit(other)
            if other in stack:
                low[module] = min(low[module], low[other])
        if low[module] == index[module]:
            group = [stack.pop()]
            while group[-1] != module:
                group.append(stack.pop())
            groups.append(sorted(group))

    for module in imports:
        if module not in index:
            visit(module)
    return [group for group in groups if len(group) > 1]


def import_graph(root: Path) -> dict[str, set[str]]:
    """The modules that each module imports, also inside functions; not those for type checkers only."""
    files = {
        ".".join(f.relative_to(root).with_suffix("").parts): f for f in (root / "boundkit").rglob("*.py")
    }
    modules = {name.removesuffix(".__init__"): file for name, file in files.items()}
    graph: dict[str, set[str]] = {}
    for name, file in modules.items():
        targets = (found.target for found in imports_of(file, root) if not found.for_types)
        homes = (t if t in modules else t.rpartition(".")[0] for t in targets)
        graph[name] = {home for home in homes if home in modules and home != name}
    return graph


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(import_graph(ROOT)) == []


def test_a_planted_circle_is_seen(tmp_path: Path) -> None:
    (tmp_path / "boundkit").mkdir()
    (tmp_path / "boundkit" / "a.py").write_text("from boundkit.b import f", encoding="utf-8")
    (tmp_path / "boundkit" / "b.py").write_text("def f():\n    from boundkit import a", encoding="utf-8")
    assert circles(import_graph(tmp_path)) == [["boundkit.a", "boundkit.b"]]
