"""What docs/_ext writes, without Sphinx."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).resolve().parents[2] / "docs"


def site(name: str) -> ModuleType:
    """A module of the site's own extension."""
    if str(DOCS / "_ext") not in sys.path:
        sys.path.append(str(DOCS / "_ext"))
    return import_module(f"boundkit_site.{name}")


def page(name: str) -> str:
    """The Markdown of a page."""
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")
