"""Each question loads no more than it needs: nobody waits a second for torch, or for figures not drawn."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"torch", "matplotlib", "scipy", "pandas", "xarray"}
AT = "m=100, C=0.1, tau=10, T=1000, eta=0.001, eta_s=1, L=1, sigma=1, sigma_g=1, gap=1"
STEPS = {
    "import boundkit as bk": HEAVY | {"sympy", "numpy", "typer"},
    "from boundkit.theorems import about; assert about('mifa')": HEAVY
    | {f"boundkit.theorems.{name}" for name in ("fedavg_nonconvex_unequal_steps", "scaffold_convex_partial")},
    f"p = bk.predict('fedavg_nonconvex_partial', {AT}); repr(p); p.to_dict()": HEAVY,
    "answer('list'); answer('predict', 'fedavg_nonconvex', 'eta=1e-3')": HEAVY
    | {"rich", "networkx", "markdown_it", "jinja2", "boundkit.cli.verify"},
    "from boundkit.lecture.chapters import chapters; chapters()": HEAVY - {"scipy"} | {"scipy.optimize"},
    "import boundkit.verification.verifier, boundkit.verification.record, boundkit.simulation.run_file": HEAVY
    - {"scipy"},
    "bk.predict('sgd_nonconvex', m=[1, 2]).to_text()": {"torch", "matplotlib", "pandas"},
}
"""What is done, one after the other in one process, and the modules that are not loaded after it."""
PROGRAM = """
import contextlib, io, json, sys

def answer(*words):
    from boundkit.cli import main
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(words)

loaded = []
for step in json.load(sys.stdin):
    exec(step)
    loaded.append(sorted(sys.modules))
print(json.dumps(loaded))
"""


def test_each_question_loads_only_what_it_needs() -> None:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], input=json.dumps([*STEPS, "import xarray"]), text=True, timeout=120,
        env=os.environ | {"PYTHONPATH": path}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *loaded, last = map(set, json.loads(done.stdout))
    for modules, (step, absent) in zip(loaded, STEPS.items(), strict=True):
        assert not absent & modules, step
    assert "boundkit.theorems.mifa_nonconvex" in loaded[1]
    assert {"xarray", "sympy"} <= last
