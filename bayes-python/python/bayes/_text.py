"""Texts of several lines."""

from __future__ import annotations


class Lines(str):
    """A text of several lines, which a session shows as lines."""

    def __repr__(self) -> str:
        return str(self)
