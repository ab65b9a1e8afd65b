"""Numbers of the native part as arrays of NumPy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def array(numbers: bytearray, *shape: int) -> Array:
    """An array of this shape, which shares the bytes."""
    return np.frombuffer(numbers, dtype=np.float64).reshape(shape or (-1,))
