"""What a scalar question may wait for: sympy and numpy, and nothing that takes a second to import."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.representatives import aside

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("torch", "matplotlib", "scipy.stats", "pandas", "xarray")

VALUES = {"m": 100, "C": 0.1, "tau": 10, "T": 1000, "eta": 0.001, "eta_s": 1}
VALUES |= {"L": 1, "sigma": 1, "sigma_g": 1, "gap": 1}


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    ran = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    return ran


def loaded_by(code: str) -> set[str]:
    """The heavy modules in sys.modules once `code` has run in a fresh interpreter."""
    modules = json.loads(
        python("-c", f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))").stdout
    )
    return set(HEAVY) & set(modules)


def timed_in(stderr: str) -> set[str]:
    """The heavy modules that `python -X importtime` reports; a line is 'import time: self | total | name'."""
    lines = [line for line in stderr.splitlines() if line.startswith("import time:")]
    return set(HEAVY) & {line.rsplit("|", 1)[1].strip() for line in lines}


def test_import_boundkit_is_light() -> None:
    assert loaded_by("import boundkit") == set()


def test_a_scalar_prediction_is_light() -> None:
    code = f"import boundkit as bk\nbk.predict('fedavg_nonconvex_partial', **{VALUES!r})"
    assert loaded_by(code) == set()


def test_a_scalar_prediction_on_the_command_line_is_light() -> None:
    words = [f"{name}={value}" for name, value in VALUES.items()]
    ran = python(
        "-X", "importtime", "-m", "boundkit", "predict", "fedavg_nonconvex_partial", *words, "--json"
    )
    assert json.loads(ran.stdout)["theorem"] == "fedavg_nonconvex_partial"
    assert timed_in(ran.stderr) == set()


@pytest.mark.parametrize("module", aside(["matplotlib", "scipy.stats", "xarray"], "scipy.stats", "xarray"))
def test_what_is_heavy_is_seen(module: str) -> None:
    code = f"import {module}"
    assert module in loaded_by(code)
    assert module in timed_in(python("-X", "importtime", "-c", code).stderr)
