"""Requests for plans: a schedule from numbers with units, and constants from numbers and ranges."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import WHOLE_TOLERANCE
from boundkit.analysis.runtime.distributions import step_time_distribution
from boundkit.analysis.runtime.schedule import ReplicaExchange, SynchronisationSchedule
from boundkit.analysis.units import read_quantity
from boundkit.studies.planning.rounds import Range


def make_schedule(
    *, step_time: object, replicas: object, bandwidth: object, payload: object, parameters: object,
    bytes_each: float, outer_bytes_each: float | None, latency: object, fragments: object, late: float,
    overlap: float, topology: str, law: Any, spread: float | None, shift: float | None, C: float,
) -> tuple[SynchronisationSchedule, list[str]]:  # fmt: skip
    """The schedule, and what was assumed for it.

    Raises BoundkitError, one sentence, for what is missing or no quantity of its kind.
    """
    for name, value, example in (
        ("the time of a step", step_time, 'step_time="1.2s"'),
        ("the bandwidth", bandwidth, 'bandwidth="10Gbit/s"'),
        ("the number of replicas", replicas, "replicas=8"),
    ):
        if value is None:
            raise BoundkitError(f"a plan needs {name}, as in {example}.")
    assumed = []
    if (payload is None) == (parameters is None):
        raise BoundkitError(
            "a plan needs the payload of an exchange: give either parameters, as in 7B, or bytes, as in 14GB."
        )
    each = _positive("the bytes of a parameter", bytes_each)
    outer_each = (
        each if outer_bytes_each is None else _positive("the outer bytes of a parameter", outer_bytes_each)
    )
    if parameters is not None:
        count = read_quantity("parameters", parameters, "a number")
        size, outer_size = each * count, outer_each * count
        if outer_bytes_each is None:
            assumed.append(f"{each:g} bytes a parameter")
    else:
        if outer_bytes_each is not None:
            raise BoundkitError("outer bytes of a parameter go with parameters, and a payload was given.")
        size = outer_size = read_quantity("payload", payload, "a size")
    if latency is None:
        assumed.append("latency 0")
    if not overlap:
        assumed.append("data-parallel training exchanges gradients after each step")
    rate = read_quantity("bandwidth", bandwidth, "a bandwidth")
    delay = 0.0 if latency is None else read_quantity("latency", latency, "a time", zero=True)
    count = _whole_number("replicas", replicas, 2)
    if not 0 < C <= 1 or abs(C * count - round(C * count)) > WHOLE_TOLERANCE * count or round(C * count) < 2:
        raise BoundkitError(
            f"with C = {C:g} of {count} replicas {C * count:g} take part in a round, which must be a whole "
            "number above 1; replicas counts all of them, and C is an argument or a column of the log."
        )
    if isinstance(late, bool) or not isinstance(late, (int, float)) or not 0 <= late < float("inf"):
        raise BoundkitError(f"late is a number of local steps from 0 on, but {late!r} was given.")
    schedule = SynchronisationSchedule(
        step_time=read_quantity("the time of a step", step_time, "a time"),
        outer=ReplicaExchange(outer_size, rate, delay, count, C, topology),
        gradients=ReplicaExchange(size, rate, delay, count, C, topology),
        fragments=_whole_number("fragments", fragments, 1),
        late=float(late),
        overlap=float(overlap),
        law=step_time_distribution(law, spread, shift),
    )
    return schedule, assumed


def _positive(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        raise BoundkitError(f"{name} must be a number above 0, such as 2, but {value!r} was given.")
    return float(value)


def _whole_number(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value) or value < least:
        raise BoundkitError(f"{name} must be a whole number, at least {least}, but {value!r} was given.")
    return int(value)


def read_constants(constants: Mapping[str, Any]) -> dict[str, Range]:
    """Each constant as a range, of equal ends where it is a number.

    Raises BoundkitError for what is neither, and for ranges in falling order.
    """
    ranges: dict[str, Range] = {}
    for name, given in constants.items():
        ends = tuple(given) if isinstance(given, (tuple, list)) else (given, given)
        numbers = all(isinstance(e, (int, float)) and not isinstance(e, bool) and isfinite(e) for e in ends)
        if len(ends) != 2 or not numbers or ends[0] > ends[1] or ends[0] < 0:
            raise BoundkitError(
                f"{name} must be a number from 0 on, or a range such as 0.5:2, but {given!r} was given."
            )
        ranges[name] = (float(ends[0]), float(ends[1]))
    return ranges


def single(name: str, ends: Range) -> float:
    """A constant that may not be a range."""
    if ends[0] != ends[1]:
        raise BoundkitError(f"{name} must be a single number, but {ends[0]:g} to {ends[1]:g} was given.")
    return ends[0]
