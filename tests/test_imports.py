"""What a scalar question may wait for: sympy and numpy, and nothing that takes a second to import."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("torch", "matplotlib", "scipy.stats", "pandas", "xarray")

VALUES = {"m": 100, "C": 0.1, "tau": 10, "T": 1000, "eta": 0.001, "eta_s": 1}
VALUES |= {"L": 1, "sigma": 1, "sigma_g": 1, "gap": 1}
LOADED = f"""
import json, sys
steps = []
def step():
    steps.append([name for name in {HEAVY} if name in sys.modules])
import boundkit as bk
step()
bk.predict("fedavg_nonconvex_partial", **{VALUES})
step()
import xarray
step()
print(json.dumps(steps))
"""
"""The heavy modules after an import, after a prediction, and after one of them was imported."""


def test_import_and_a_scalar_prediction_are_light() -> None:
    """tests/cli/test_answers.py asks the same of commands."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    ran = subprocess.run(
        [sys.executable, "-c", LOADED], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    imported, predicted, seen = json.loads(ran.stdout)
    assert (imported, predicted) == ([], [])
    assert "xarray" in seen
