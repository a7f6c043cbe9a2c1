"""The reference against runs of published code. The files say which code, at which commit."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.simulation.reference import replay

FILES = sorted((Path(__file__).parents[1] / "recorded").glob("*.json"))


def recorded(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def test_there_are_eighteen_recordings() -> None:
    assert len(FILES) == 18
    assert all("repo" in recorded(path)["recorded_from"] for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_published_code_is_replayed(path: Path) -> None:
    data = recorded(path)
    expected = np.array(data["x"])
    x = replay(data["algorithm"], data["run"])
    np.testing.assert_allclose(
        x[: len(expected)], expected, rtol=0, atol=data["tolerance"] * np.abs(expected).max()
    )
