"""How much memory is free, and the refusal of what would need more than may be taken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis import memory


def test_the_free_memory_of_this_machine_is_a_number() -> None:
    assert 2**20 < memory.free_bytes() < 2**50


def test_a_container_leaves_its_limit_less_what_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"memory.max": "1000\n", "memory.current": "700\n", "memory.stat": "anon 5\ninactive_file 200\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path)
    assert memory.free_bytes() == 500
    (tmp_path / "memory.max").write_text("max\n", encoding="ascii")
    assert memory.free_bytes() > 500


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of an address space is read on Linux")
def test_the_limit_of_a_process_leaves_what_is_not_reserved_yet() -> None:
    program = """
import resource
from boundkit.analysis.memory import free_bytes
before = free_bytes()
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
print(before, free_bytes())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert 2**28 < after < 2**31
    assert after <= before


def test_a_refusal_has_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**30)
    memory.refuse_larger(2**29, "a grid", "ask for fewer points")
    with pytest.raises(BoundkitError) as refused:
        memory.refuse_larger(3 * 2**29, "a grid", "ask for fewer points")
    assert str(refused.value) == (
        "a grid needs about 1.5 GiB of memory, and 512.0 MiB of the 1.0 GiB that is free may be taken; "
        "ask for fewer points."
    )


def test_little_is_never_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda: 0)
    memory.refuse_larger(memory.SMALL, "a few points", "ask for fewer")
