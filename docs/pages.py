"""Print docs/theorems and the table of README.md anew from the catalogue: make pages."""

import re
import shutil
from pathlib import Path

from boundkit.analysis.export.markdown import table
from boundkit.cli.export import files
from boundkit.theorems import catalogue

ROOT = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"(?<=<!-- catalogue -->\n).*?(?=<!-- end -->)", re.DOTALL)


def front_page(text: str) -> str:
    """README.md with the table as the catalogue has it."""
    theorems = catalogue()
    rows = table(theorems, "docs/theorems/")
    block = f"<details><summary>{len(theorems)} theorems</summary>\n\n{rows}\n\n</details>\n"
    return TABLE.sub(lambda _: block, text)


def main() -> None:
    """Write all of it."""
    folder = ROOT / "docs" / "theorems"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in files(catalogue(), "markdown").items():
        (folder / name).write_text(text, encoding="utf-8")
    readme = ROOT / "README.md"
    readme.write_text(front_page(readme.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
