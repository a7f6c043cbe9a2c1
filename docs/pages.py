"""Make the record of mutants anew from reports: make pages, after make attack.

That of the atlas is made anew by removing it, and boundkit figure atlas --record boundkit/attack/atlas.json.
"""

import sys
from pathlib import Path

from boundkit.attack.mutation.report import read_counts
from boundkit.studies.demonstration_records import write_demonstration

RECORD = Path(__file__).resolve().parents[1] / "boundkit" / "examples" / "records" / "mutants.json"


def main(folder: str) -> None:
    """Write the record from a folder that boundkit attack mutants --all --out FOLDER filled."""
    write_demonstration(read_counts(Path(folder)), RECORD)


if __name__ == "__main__":
    main(sys.argv[1])
