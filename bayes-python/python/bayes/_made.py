"""A density that is ready for engines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from bayes._native import Density
from bayes._posterior import Labels


@dataclass
class Made:
    """A density, the labels of its quantities, and the density of the potentials that belong to the prior."""

    density: Density
    dim: int
    labels: Labels
    coordinates: list[str]
    #: Why there are no prior draws.
    without_prior: Optional[str] = None
    of_potentials: Optional[Density] = None
    #: Which coordinates are angles, whose density repeats at every turn; none if it is empty.
    periodic: list[bool] = field(default_factory=list)
