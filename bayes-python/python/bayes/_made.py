"""A density that is ready for engines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Optional

from bayes._native import Density, Function
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
    #: A log density that does not say what is prior: engines that begin with draws need a reference of it.
    target: Optional[Function] = None
    #: What speaks against every result.
    notes: list[str] = field(default_factory=list)
    #: What speaks against a result after its run.
    after: Optional[Callable[[], list[str]]] = None
