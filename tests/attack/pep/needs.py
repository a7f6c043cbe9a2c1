"""What these tests need beside boundkit itself."""

from importlib.util import find_spec

import pytest

needs_pepit = pytest.mark.skipif(find_spec("PEPit") is None, reason="needs PEPit: pip install boundkit[pep]")
