from __future__ import annotations

import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.units import UNITS, read_quantity, write_size, write_time


def test_quantities_with_units() -> None:
    times = {"5ms": 5e-3, "1.5 h": 5400.0, "2e-3s": 2e-3, " 3min": 180.0}
    sizes = {"40GB": 4e10, "1GiB": 2.0**30, "8Gbit": 1e9, "512B": 512.0}
    rates = {"10Gbit/s": 1.25e9, "10Gbps": 1.25e9, "100Mb/s": 1.25e7, "400MB/s": 4e8}
    numbers = {"7B": 7e9, "350M": 3.5e8, "124": 124.0}
    for kind, texts in zip(UNITS, (times, sizes, rates, numbers), strict=True):
        for text, value in texts.items():
            assert read_quantity("it", text, kind) == pytest.approx(value, rel=1e-15)
    assert read_quantity("it", 3, "a time") == 3
    assert read_quantity("it", "0", "a time", zero=True) == 0
    assert (write_time(0.5), write_time(7200), write_size(2.5e6)) == ("500 ms", "2 h", "2.5 MB")


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ("5", "a time", "needs a unit"),
        ("10Gbit", "a bandwidth", "per second: write 10Gbit/s"),
        ("10Gbit/s", "a size", "is a bandwidth"),
        ("40Gb", "a size", "write 40Gbit or 40GB"),
        ("5GB", "a time", "is a size"),
        ("5 parsecs", "a time", "unknown unit 'parsecs'"),
        ("-5ms", "a time", "above 0"),
        ("0s", "a time", "above 0"),
        ("fast", "a bandwidth", "'fast' was given"),
        (True, "a time", "True was given"),
        (float("inf"), "a size", "above 0"),
    ],
)
def test_a_slip_is_refused_in_a_sentence(given: object, kind: str, said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        read_quantity("it", given, kind)
