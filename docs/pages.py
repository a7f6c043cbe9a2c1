"""Print the table of README.md anew from the catalogue: make pages.

With a folder that boundkit attack mutants --all --out FOLDER wrote, it makes the record of mutants, too.
That of the atlas is made anew by removing it, and boundkit figure atlas --record boundkit/attack/atlas.json.
"""

import re
import sys
from pathlib import Path

from boundkit.analysis.export.markdown import table
from boundkit.attack.mutation.counts import read_counts
from boundkit.studies.demonstration_records import write_demonstration
from boundkit.theorems import catalogue

ROOT = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"(?<=<!-- catalogue -->\n).*?(?=<!-- end -->)", re.DOTALL)


def front_page(text: str) -> str:
    """README.md with the table as the catalogue has it."""
    theorems = catalogue()
    rows = table(theorems, "boundkit/theorems/{name}.py")
    block = f"<details><summary>{len(theorems)} theorems</summary>\n\n{rows}\n\n</details>\n"
    return TABLE.sub(lambda _: block, text)


def main(*reports: str) -> None:
    """Write all of it; ``reports``: folders of reports on mutants, which become the record."""
    for found in reports:
        write_demonstration(read_counts(Path(found)), ROOT / "docs" / "records" / "mutants.json")
    readme = ROOT / "README.md"
    readme.write_text(front_page(readme.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
