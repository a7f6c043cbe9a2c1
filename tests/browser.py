"""A headless Chromium that is there already, without a network: a page that asks for one has failed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--no-first-run",
)


@dataclass
class Visit:
    """A page and what it said and asked for: any word on the console, any request beyond the disk."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def open(self, path: Path) -> Any:
        """The page of a file."""
        self.page.goto(path.resolve().as_uri())
        return self.page

    def assert_quiet(self) -> None:
        """Nothing was said on the console, and nothing was asked of a network."""
        assert self.said == []
        assert self.asked == []


@dataclass
class Browser:
    """A running Chromium."""

    chromium: Any

    @contextmanager
    def visit(self, width: int = 1280, height: int = 900, **context: Any) -> Iterator[Visit]:
        """A fresh page of this size, without a network."""
        around = self.chromium.new_context(
            viewport={"width": width, "height": height}, offline=True, **context
        )
        visit = Visit(around.new_page())
        visit.page.on("console", lambda message: visit.said.append(f"{message.type}: {message.text}"))
        visit.page.on("pageerror", lambda error: visit.said.append(f"error: {error}"))
        visit.page.on("request", lambda request: self._note(visit, request.url))
        try:
            yield visit
        finally:
            around.close()

    @staticmethod
    def _note(visit: Visit, url: str) -> None:
        if not url.startswith(("file:", "data:")):
            visit.asked.append(url)


@contextmanager
def running() -> Iterator[Browser]:
    """A Chromium for some tests; they are skipped, with the reason, where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"needs Chromium, and none of {', '.join(NAMES)} is on the path")
    with api.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=list(FLAGS))
        try:
            yield Browser(chromium)
        finally:
            chromium.close()
