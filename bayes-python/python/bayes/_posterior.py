"""The result of an inference on a density of Python."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np

from bayes import _arviz
from bayes._arrays import Array
from bayes._errors import BayesInputError
from bayes._native import Run
from bayes._result import Path, Result
from bayes._words import Given

#: What the name of a place may not contain.
_NOT_IN_NAMES = str.maketrans(dict.fromkeys('[],"', "_"))
#: Why there is no evidence.
_UNKNOWN = "there is no evidence: the run of the potentials alone, whose constant divides it, {}"
#: The constant of a prior with potentials: the run that has it, or why it is not known; None where there are no potentials in the prior.
Constant = Union[None, str, "Posterior"]


@dataclass
class Labels:
    """The shapes of quantities, and for ArviZ the names of their dimensions, the coordinates and the data."""

    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    dims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    coords: Mapping[str, Any] = field(default_factory=dict)
    #: The dimensions and the values of observed data.
    observed: Mapping[str, tuple[tuple[str, ...], Any]] = field(default_factory=dict)
    #: What the density is in messages.
    given: Optional[Given] = None


def quantity(labels: Labels, name: str, is_deterministic: bool) -> tuple[str, list[int], list[tuple[str, list[str]]], bool]:
    """A quantity for the native part: three and more dimensions are one, whose places have the names of all."""
    shape = labels.shapes[name]
    if not shape:
        return name, [], [], is_deterministic
    dims = labels.dims.get(name, tuple(f"{name}_dim_{axis}" for axis in range(len(shape))))
    places = [_places(labels.coords.get(dim), n) for dim, n in zip(dims, shape)]
    if len(shape) <= 2:
        return name, list(shape), list(zip(dims, places)), is_deterministic
    whole = [",".join(place) for place in itertools.product(*places)]
    return name, [len(whole)], [("_".join(dims), whole)], is_deterministic


def _places(values: Any, n: int) -> list[str]:
    """The names of the places along a dimension; their numbers if two would be the same."""
    names = [] if values is None else [str(value).translate(_NOT_IN_NAMES).strip() for value in values]
    if len(names) != n or len(set(names)) != n or "" in names or not all(name.isprintable() for name in names):
        return [str(place) for place in range(n)]
    return names


class Posterior(Result):
    """The result of an inference on a PyMC model or on a function: what `sample` returns.

    `print(posterior)` shows a summary with warnings.
    """

    def __init__(self, run: Run, labels: Labels, constant: Constant = None, notes: Sequence[str] = ()) -> None:
        super().__init__(run)
        self._labels = labels
        is_unknown = isinstance(constant, Posterior) and constant.log_evidence is None
        self._constant = _UNKNOWN.format("has no evidence") if is_unknown else constant
        self._notes = list(notes)

    @property
    def _of_potentials(self) -> Optional[Posterior]:
        return self._constant if isinstance(self._constant, Posterior) else None

    def __repr__(self) -> str:
        text = super().__repr__()
        text = "\n".join([text, *(f"warning: {note}" for note in self._own_warnings())])
        if self._of_potentials is None:
            return text
        [of_prior] = self._of_potentials._evidence_in_words()
        [words] = self._evidence_in_words()
        return f"{text}\nless the {of_prior} of the potentials in the prior: {words}"

    @property
    def title(self) -> str:
        """The name of the model or of the function."""
        return self._run.title

    @property
    def warnings(self) -> list[str]:
        """Why the result may be wrong and what to do, in plain English; empty if nothing speaks against it."""
        of_potentials = [] if self._of_potentials is None else self._of_potentials.warnings
        return [
            *super().warnings,
            *self._own_warnings(),
            *(f"the run of the potentials alone: {text}" for text in of_potentials),
        ]

    def _spoken(self, text: str) -> str:
        given = self._labels.given
        return super()._spoken(text) if given is None else given.spoken(text, self.engine)

    def _own_warnings(self) -> list[str]:
        """What the run itself does not know of."""
        return [*([self._constant] if isinstance(self._constant, str) else []), *self._notes]

    @property
    def log_evidence(self) -> Optional[float]:
        """The natural logarithm of the evidence, the marginal likelihood of the data; None for chains such as those of nuts, and where the constant of a prior
        with potentials is not known."""
        if isinstance(self._constant, str):
            return None
        found, of_potentials = super().log_evidence, self._of_potentials
        if found is None or of_potentials is None or of_potentials.log_evidence is None:
            return found
        return found - of_potentials.log_evidence

    @property
    def log_evidence_se(self) -> Optional[float]:
        """The standard error of the log evidence; None without one."""
        if isinstance(self._constant, str):
            return None
        found, of_potentials = super().log_evidence_se, self._of_potentials
        if found is None or of_potentials is None or of_potentials.log_evidence_se is None:
            return found
        return float(np.hypot(found, of_potentials.log_evidence_se))

    @property
    def log_evidence_interval(self) -> Optional[tuple[float, float]]:
        """The interval of 95% of the log evidence; None without one."""
        if isinstance(self._constant, str):
            return None
        if self._of_potentials is None or self.log_evidence is None or self.log_evidence_se is None:
            return super().log_evidence_interval
        return self.log_evidence - 1.96 * self.log_evidence_se, self.log_evidence + 1.96 * self.log_evidence_se

    def draws(self, name: str) -> Array:
        """Draws of equal weight, `[chain, draw, ...]` with the shape of the quantity, or `[chain, draw]` of an element (`"theta[Choate]"`).

        Draws of chains are as they were made. Those of islands (psmc, smc, ais and nested) have weights: they are resampled to at most 4000
        draws in four chains, which have no order; `weighted_draws` has all of them.
        """
        values = super().draws(name)
        shape = self._labels.shapes.get(name)
        return values if shape is None else values.reshape(*values.shape[:2], *shape)

    def save(self, path: Path) -> None:
        """Saves it for the commands of the program `bayes`.

        Raises BayesInputError with `potentials="prior"`: the file would have an evidence that is not divided by the constant of the prior.
        """
        if self._constant is not None:
            raise BayesInputError(
                "a file of a run has no place for the constant of a prior with potentials, and so its evidence would be another one;"
                " keep the draws and the evidence by `to_arviz`"
            )
        super().save(path)

    def to_arviz(self) -> Any:
        """The draws as ArviZ's `InferenceData`, from ArviZ 1.0 on a `DataTree` of xarray; ArviZ must be installed.

        Its groups are `posterior`, with the dimensions and coordinates of the model, `sample_stats` and `observed_data`. The attributes
        `log_evidence` and `log_evidence_se` of `posterior` have the evidence. Draws are those of `draws`: for islands ArviZ's R-hat and
        effective sizes mean nothing, and those of `summary` count.
        """
        return _arviz.of_posterior(self, self._run, self._labels)
