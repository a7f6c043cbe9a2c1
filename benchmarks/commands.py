"""CPU seconds of commands from start to end, beside those of the imports that they cannot do without.

Each command runs in a process of its own with one thread, bytecode and disk cache warm; user and system
time, the least of a few runs, also as a multiple of that of ``import sympy`` in the same minute, since
processors differ.

    python benchmarks/commands.py [--repeats 5] [COMMAND ...]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
POINT = ("m=100", "C=0.1", "tau=10", "T=1000", "eta=0.001", "eta_s=1", "L=1", "sigma=1", "sigma_g=1", "gap=1")
TWO_CLIENTS = str(ROOT / "examples" / "two_clients.json")
RECORDS = str(ROOT / "examples" / "records")

PLAIN = {"pass": "pass", "import numpy": "import numpy", "import sympy": "import sympy"}
"""Programs to compare with, by name."""

COMMANDS: dict[str, tuple[tuple[str, ...], float | None]] = {
    "--help": (("--help",), None),
    "list": (("list",), None),
    "show": (("show", "fedavg_nonconvex_partial"), None),
    "predict": (("predict", "fedavg_nonconvex_partial", *POINT), 0.35),
    "tune": (("tune", "fedavg_nonconvex_partial", "T=5000"), None),
    "objective": (("objective", "fedavg", TWO_CLIENTS), 0.7),
    "simulate": (("simulate", "fedavg", TWO_CLIENTS), None),
    "verify": (("verify", "fedavg_strongly_convex_average_drift", TWO_CLIENTS), 0.7),
    "figure": (("figure", "client_drift", "--records", RECORDS, "--out", "drift.png"), 1.5),
    "check --static": (("check", "mine.py", "--static"), 3.0),
    "check": (("check", "mine.py"), None),
}
"""The words of each command, by its name, and the aim of its CPU seconds."""


def cpu_seconds(command: list[str], folder: str, repeats: int) -> float:
    """The least user and system time of a process, over a few runs."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg",
    }  # fmt: skip
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else this package is compiled anew each time
    times = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ended.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)} failed: {ended.stderr.strip()}")
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(times)


def main() -> None:
    """Print a row for each program and command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commands", nargs="*", choices=[[], *COMMANDS], metavar="COMMAND")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        boundkit = [sys.executable, "-m", "boundkit"]
        cpu_seconds([*boundkit, "new-theorem", "mine", "--out", "mine.py"], folder, 1)
        times = {
            name: cpu_seconds([sys.executable, "-c", program], folder, options.repeats)
            for name, program in PLAIN.items()
        }
        unit = times["import sympy"]
        print("                CPU s  x import sympy  aim")
        for name, seconds in times.items():
            print(f"{name:<14}  {seconds:5.2f}  {seconds / unit:14.2f}", flush=True)
        for name in options.commands or COMMANDS:
            words, aim = COMMANDS[name]
            seconds = cpu_seconds([*boundkit, *words], folder, 1 if name == "check" else options.repeats)
            row = f"{name:<14}  {seconds:5.2f}  {seconds / unit:14.2f}"
            print(row + (f"  {aim:g}" if aim else ""), flush=True)


if __name__ == "__main__":
    main()
