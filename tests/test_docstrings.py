"""Docstrings of public functions: the sections of numpydoc, with every parameter."""

import inspect
import re

import boundkit as bk
from tests.cases import each

SECTIONS = ("Parameters", "Returns", "Raises", "Examples")
FUNCTIONS = [name for name in bk.__all__ if inspect.isroutine(getattr(bk, name))]


def sections_of(text: str) -> dict[str, str]:
    """The text below each underlined title."""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@each("name", FUNCTIONS)
def test_a_public_function_has_all_sections_and_parameters(name: str) -> None:
    function = getattr(bk, name)
    text = inspect.getdoc(function) or ""
    sections = sections_of(text)
    parameters = [p.removeprefix("_") for p in inspect.signature(function).parameters]
    needed = [s for s in SECTIONS if s != "Parameters" or parameters]
    assert [s for s in needed if s in sections] == needed, sorted(sections)
    assert ">>> " in sections["Examples"]
    assert "BoundkitError" in sections["Raises"] or "TypeError" in sections["Raises"]
    entries = [
        line for line in sections.get("Parameters", "").splitlines() if line and not line.startswith(" ")
    ]
    named = [n.strip(" *") for entry in entries for n in entry.partition(" :")[0].split(",")]
    missing = [parameter for parameter in parameters if parameter not in named]
    assert not missing, missing
    first = text.splitlines()[0]
    assert first.endswith((".", "?")), first


def test_public_classes_and_values_have_docstrings() -> None:
    for name in bk.__all__:
        assert len((inspect.getdoc(getattr(bk, name)) or "").split()) >= 3, name
