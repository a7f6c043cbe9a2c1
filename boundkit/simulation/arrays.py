"""Types of numpy arrays."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Clients = NDArray[np.intp]
"""Numbers of clients, or counts of them."""
