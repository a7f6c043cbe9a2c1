#!/usr/bin/env -S uv run
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""Tasks for nox; each is the target of the same name of the Makefile, which has its own environment."""

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "none"


def _make(target: str) -> None:
    def session(session: nox.Session) -> None:
        session.run("make", target, *session.posargs, external=True)

    session.__doc__ = f"Run make {target}."
    nox.session(session, name=target, default=target in ("lint", "test"))


for task in ("lint", "test", "docs", "verify", "lecture", "demo"):
    _make(task)

if __name__ == "__main__":
    nox.main()
