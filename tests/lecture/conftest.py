"""One Chromium for all pages of the lecture that one process looks at."""

from collections.abc import Iterator

import pytest

from tests.browser import Browser, running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with running() as browser:
        yield browser
