"""docs/networks.md says what the code has."""

import json
import re
from pathlib import Path

from boundkit.simulation.networks import ARCHITECTURES
from boundkit.simulation.problems import Network
from boundkit.simulation.run_file import run_from_spec

TEXT = (Path(__file__).parents[3] / "docs" / "networks.md").read_text(encoding="utf-8")


def test_every_field_and_every_model_is_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|.*\|$", TEXT, flags=re.MULTILINE)
    assert [name for name, _ in rows] == [
        *Network.fields[0][:1],
        "partition",
        "model",
        *Network.fields[1][1:],
    ]
    models = dict(rows)["model"]
    for kind, family in ARCHITECTURES.items():
        assert f'"{kind}"' in models
        assert all(f"`{field}`" in models for field in (*family.fields[0], *family.fields[1]))


def test_the_run_file_is_valid() -> None:
    spec = json.loads(TEXT.split("```json\n")[1].split("```")[0])
    run = run_from_spec("fednova", spec)
    assert (run.problem.m, run.problem.d) == (20, 9610)
    assert run.tau == 10
