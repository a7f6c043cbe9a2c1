"""Tasks for nox; each is the target of the same name of the Makefile, which has its own environment."""

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "test"]


def _make(target: str) -> None:
    def session(session: nox.Session) -> None:
        session.run("make", target, *session.posargs, external=True)

    session.__doc__ = f"Run make {target}."
    nox.session(session, name=target)


for task in ("lint", "test", "docs", "verify", "lecture", "demo"):
    _make(task)
