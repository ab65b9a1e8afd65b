"""Writes the .npy files beside it: `pip install numpy && python3 arrays.py`."""

import numpy as np

rows = np.arange(6).reshape(2, 3)
np.save("reals.npy", rows + 0.5)
np.save("columns.npy", np.asfortranarray((rows + 0.25).astype("<f4")))
np.save("whole.npy", (rows - 1).astype("<i2"))
np.save("large.npy", np.array([1, 2**53 + 1], dtype="<u8"))
np.save("flags.npy", np.array([True, False, True]))
np.save("big_endian.npy", np.array([258.0, -1.0], dtype=">f8"))
np.save("missing.npy", np.array([[1.0, 2.0], [3.0, np.nan]]))
np.save("texts.npy", np.array(["a", "bc"]))
np.save("halves.npy", np.array([[0.5, -1.75, 6e-8], [65504, np.inf, np.nan]], dtype="<f2"))
np.save("number.npy", np.array(3.5))
