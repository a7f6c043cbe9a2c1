"""``python -m boundkit`` is ``boundkit``."""

from boundkit.cli import main

if __name__ == "__main__":
    main()
