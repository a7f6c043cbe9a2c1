"""RUN.json files: valid ones of every problem, participation and algorithm, and changed ones."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.values import FLOATS, json_value, number

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_PLACEHOLDER = "\ue000"


@cache
def problems() -> dict[str, str]:
    """The ``problem`` field of every family in every corner, as JSON."""
    from tests.simulation.problems.families import FAMILIES

    return {name: json.dumps(make().to_json()) for name, make in FAMILIES.items()}


@cache
def examples() -> dict[str, str]:
    """The runs of examples/, with fewer rounds."""
    texts = {}
    for file in sorted(EXAMPLES.glob("*.json")):
        spec = json.loads(file.read_text(encoding="utf-8"))
        texts[file.name] = json.dumps(spec | {"rounds": min(spec["rounds"], 4)})
    return texts


def valid_run(rng: Random, algorithm: str, kind: str = "") -> dict[str, Any]:
    """A run that most algorithms take, on a problem whose kind begins so."""
    if rng.random() < 0.2:
        spec: dict[str, Any] = json.loads(rng.choice(list(examples().values())))
        return spec
    problem = json.loads(rng.choice([text for name, text in problems().items() if name.startswith(kind)]))
    m, d = sizes(problem)
    spec = {
        "problem": problem,
        "x0": [round(rng.uniform(-2, 2), 3) for _ in range(d)] if d else {"seed": rng.randint(0, 9)},
        "rounds": rng.randint(1, 6),
        "eta": rng.choice((0.01, 0.05, 0.1, 0.1, 0.3, {"first": 0.1, "offset": 5.0})),
        "local_steps": rng.choice((1, 2, 5, [rng.randint(1, 4) for _ in range(m)])),
    }
    optional: dict[str, Any] = {
        "eta_s": rng.choice((1.0, 0.5)),
        "participation": participation(rng, m),
        "schedule": [rng.sample(range(m), rng.randint(0, m)) for _ in range(rng.randint(1, 3))],
        "noise": rng.choice((0.0, 0.3, {"bound": 0.2})),
        "seed": rng.randint(0, 9),
        "options": options(rng, algorithm),
        "every": rng.randint(1, 3),
    }
    return spec | {name: value for name, value in optional.items() if rng.random() < 0.3}


def sizes(problem: dict[str, Any]) -> tuple[int, int | None]:
    """The numbers of clients and of parameters; None for a network's, which has its own ``x0``."""
    from boundkit.simulation.problems import problem_from_spec

    made = problem_from_spec(problem)
    return made.m, None if problem["kind"] == "network" else made.d


def participation(rng: Random, m: int) -> Any:
    """One of the kinds: its fields with plain values, its further ones now and then, with their defaults."""
    from boundkit.simulation.participation import KINDS

    kind = rng.choice(list(KINDS))
    more = {name: value for name, value in KINDS[kind].optional.items() if value is not None}
    plain = {
        "C": rng.randint(1, m) / m,
        "count": rng.randint(1, m),
        "probabilities": rng.choice((0.5, 1, [0.5] * m)),
    }
    values = {name: plain.get(name, rng.choice((1, 1, 2, 0.5))) for name in KINDS[kind].fields}
    return {"kind": kind, **values} | {name: value for name, value in more.items() if rng.random() < 0.3}


def options(rng: Random, algorithm: str) -> dict[str, Any]:
    """Some options of the algorithm: their defaults, plain numbers or extremes."""
    from boundkit.simulation.algorithms import ALGORITHMS

    known = ALGORITHMS[algorithm].options if algorithm in ALGORITHMS else {"momentum": 0.0}
    chosen = [name for name in known if rng.random() < 0.5]
    return {
        name: rng.choice((known[name], 0.5, 1, number(rng)))
        if isinstance(known[name], float)
        else known[name]
        for name in chosen
        if known[name] is not None
    }


def run_file(rng: Random, algorithm: str, kind: str = "") -> bytes:
    """The bytes of a RUN.json: valid, with other numbers, with other values, or no RUN.json at all."""
    spec: Any = valid_run(rng, algorithm, kind)
    draw = rng.random()
    if 0.2 < draw < 0.65:
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            spec = with_other_numbers(rng, spec)
    if 0.6 < draw < 0.9:
        for _ in range(rng.choice((1, 1, 2))):
            spec = changed(rng, spec)
    text = json.dumps(spec)
    return text.encode() if draw < 0.88 else broken(rng, text)


def with_other_numbers(rng: Random, spec: Any) -> Any:
    """The same with one number, or all numbers of one field, moved by many orders of magnitude."""
    spec = copy.deepcopy(spec)
    places = [path for path in paths(spec) if _holds_floats(_at(spec, path)) and "p" not in path]
    fields = [path for path in places if len(path) < 3]
    path = rng.choice(fields if fields and rng.random() < 0.7 else places or [("eta",)])
    inner = _at(spec, path[:-1])
    if rng.random() < 0.3 and not isinstance(inner[path[-1]], (list, dict)):
        inner[path[-1]] = rng.choice(FLOATS)
    else:
        inner[path[-1]] = all_scaled(inner[path[-1]], 10.0 ** rng.choice((*_POWERS, rng.uniform(-320, 308))))
    return spec


_POWERS = (
    -320, -200, -160, -100, -60, -49, -40, -30, -16, -9, -4, 1, 2, 3, 6, 9, 16, 20, 30, 40, 45, 49, 50, 60,
    80, 100, 120, 139, 150, 160, 200, 300,
)  # fmt: skip


def _at(spec: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        spec = spec[key]
    return spec


def _holds_floats(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_holds_floats(item) for item in value)
    return isinstance(value, float)


_TOKENS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-999", "-0", "-0.0", "01", "0x1", "1.", ".5", "+1",
    "1_0", "9" * 5000, "1" * 400, "1e400000", '"\\ud800"', '"\\u0000"', "tru", "nul", "1E+2",
    "9007199254740993", "9007199254740993.0", "1e23", "1e-320",
    "0.1" + "0" * 1000, "[" * 20_000 + "]" * 20_000,
)  # fmt: skip
"""What may stand in the place of a value, and is no JSON, or odd."""


def paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to everything inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*above, key)
        yield from paths(inner, (*above, key))


def changed(rng: Random, spec: Any) -> Any:
    """The same with one value replaced, scaled, removed, renamed, doubled, wrapped or exchanged."""
    everything = list(paths(spec))
    if not everything:
        return json_value(rng)
    spec = copy.deepcopy(spec)
    short = [path for path in everything if len(path) == 1]
    path = rng.choice(short if rng.random() < 0.4 else everything)
    inner: Any = spec
    for key in path[:-1]:
        inner = inner[key]
    last, draw = path[-1], rng.random()
    value = inner[last]
    if draw < 0.4:
        inner[last] = number(rng)
    elif draw < 0.55:
        inner[last] = json_value(rng)
    elif draw < 0.65:
        inner[last] = all_scaled(value, rng.choice(FLOATS))
    elif draw < 0.72:
        del inner[last]
    elif draw < 0.77 and isinstance(inner, dict):
        inner[rng.choice((f"{last}_", "", "é", str(last).upper(), "rounds", "__class__"))] = inner.pop(last)
    elif draw < 0.82 and isinstance(inner, dict):
        inner[rng.choice(("colour", "kind", "seed", "p", "parts", "noise", "L0", "batch"))] = json_value(rng)
    elif draw < 0.87 and isinstance(value, list):
        inner[last] = value * rng.choice((0, 2, 3))
    elif draw < 0.93:
        inner[last] = rng.choice(([value], {"value": value}, str(value), [value, value]))
    else:
        other = rng.choice(everything)
        source: Any = spec
        for key in other:
            source = source[key]
        inner[last] = copy.deepcopy(source)
    return spec


def all_scaled(value: Any, factor: float) -> Any:
    """Every number of a value times a factor, which may overflow."""
    if isinstance(value, bool) or not isinstance(value, (int, float, list, dict)):
        return value
    if isinstance(value, list):
        return [all_scaled(item, factor) for item in value]
    if isinstance(value, dict):
        return {key: all_scaled(item, factor) for key, item in value.items()}
    return value * factor


def broken(rng: Random, text: str) -> bytes:
    """The text cut off, in another encoding, with odd tokens, or with a field twice."""
    how = rng.randrange(14)
    if how == 0:
        return text[: rng.randint(0, len(text))].encode()
    if how == 1:
        return b"\xef\xbb\xbf" + text.encode()
    if how == 2:
        return text.encode(rng.choice(("utf-16", "utf-32", "utf-16-le", "utf-7")))
    if how == 3:
        at = rng.randint(0, len(text))
        return (
            text[:at].encode() + rng.choice((b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80")) + text[at:].encode()
        )
    if how == 4:
        return rng.randbytes(rng.randint(0, 40))
    if how == 5:
        return rng.choice(
            (b"", b" ", b"{", b"[]", b"{}", b"null", b"1", b'"x"', b"[" * 100_000, b'{"a":' * 50_000)
        )
    if how == 6:
        return text.replace("}", f', "eta": {rng.choice(FLOATS)!r}}}', 1).encode()
    if how == 7:
        return text.replace("{", '{"rounds": 1, ', 1).encode()
    if how == 8:
        return text.replace('"', "'").encode()
    if how == 9:
        return text.replace(", ", ",, ", 1).encode()
    if how == 10:
        return (text + rng.choice(("x", "}", text, "\x00", " // end"))).encode()
    places = [place for place in paths(json.loads(text)) if place]
    spec = json.loads(text)
    path = rng.choice([place for place in places if len(place) == 1] if rng.random() < 0.5 else places)
    inner = spec
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = _PLACEHOLDER
    text = json.dumps(spec, ensure_ascii=False).replace(f'"{_PLACEHOLDER}"', rng.choice(_TOKENS))
    return text.encode(errors="surrogatepass")
