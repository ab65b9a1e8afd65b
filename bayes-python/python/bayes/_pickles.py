"""What the native part saves in files, for pickles."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Callable, TypeVar

T = TypeVar("T")


def content(native: Any) -> bytes:
    """The bytes of the file that `save` writes."""
    with tempfile.TemporaryDirectory(prefix="bayes-") as folder:
        path = Path(folder) / "saved"
        native.save(path)
        return path.read_bytes()


def loaded(load: Callable[[Path], T], saved: bytes) -> T:
    """What `load` makes of these bytes."""
    with tempfile.TemporaryDirectory(prefix="bayes-") as folder:
        path = Path(folder) / "saved"
        path.write_bytes(saved)
        return load(path)
