"""Whether the draws of a prior have its density.

For a smooth density p and a function f, draws x from p have the mean E[f(x) d log p / dx + f'(x)] = 0 in every coordinate (Stein 1972). f is 1 and x; an angle,
whose density is the same at both ends of a turn, has the sine and the cosine in place of x. Draws of another distribution would give a wrong evidence
without a sign of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from bayes._arrays import Array, array
from bayes._errors import BayesInputError
from bayes._native import Density

#: Draws with which a standard deviation that is 1.3 times too large is some 18 errors off.
_DRAWS = 4000
#: The share of equal draws of a coordinate that rounding may make; a point mass below it moves the log evidence by less.
_EQUAL = 0.02
#: Standard errors of a mean from which the draws are believed to be of another distribution.
_LIMIT = 8.0


def trouble(density: Density, dim: int, names: list[str], periodic: Sequence[bool] = ()) -> Optional[str]:
    """Why the draws may have another density, in words; None if nothing speaks for it. `periodic`, `[dim]`, says which coordinates are angles.

    Raises BayesInputError for draws that are no positions.
    """
    drawn = density.draw_prior(0, _DRAWS)
    positions = array(drawn, -1, dim)
    _check(positions, names)
    evaluated = array(density.evaluate(bytes(drawn), _DRAWS, (1.0, 0.0)))
    outside = ~np.isfinite(evaluated[:_DRAWS])
    if outside.any():
        return f"the log prior is not finite at {outside.sum()} of {_DRAWS} draws from the prior"
    slopes = evaluated[2 * _DRAWS :].reshape(_DRAWS, dim).copy()
    without_likelihood = ~np.isfinite(evaluated[_DRAWS : 2 * _DRAWS]) & ~np.isfinite(slopes).all(axis=1)
    if without_likelihood.any():
        # the gradient is of a sum, in which a likelihood without a value leaves none even with the weight 0
        slopes[without_likelihood] = _differences(density, positions[without_likelihood])
    lost = ~np.isfinite(slopes)
    if lost.any():
        coordinate = int(np.argmax(lost.any(axis=0)))
        return (
            f"the slope of the log prior in the coordinate `{names[coordinate]}` is not finite"
            f" at {lost[:, coordinate].sum()} of {_DRAWS} draws from the prior"
        )
    is_angle = np.array(periodic, dtype=bool) if len(periodic) else np.zeros(dim, dtype=bool)
    for terms in _terms(positions, slopes, is_angle):
        errors = terms.std(axis=0) / np.sqrt(_DRAWS)
        off = ~(np.abs(terms.mean(axis=0)) <= _LIMIT * errors + 1e-9)
        if off.any():
            coordinate = int(np.argmax(off))
            return (
                f"the draws of the prior do not have its density: the mean slope at {_DRAWS} draws is off in the coordinate `{names[coordinate]}`"
                " (a density that jumps at the end of its support looks the same)"
            )
    return None


def _differences(density: Density, positions: Array) -> Array:
    """The slopes of the log prior at positions by central differences, `[positions, dim]`."""
    n, dim = positions.shape
    slopes = np.empty((n, dim))
    for coordinate in range(dim):
        step = np.zeros((n, dim))
        step[:, coordinate] = 1e-5 * np.maximum(1.0, np.abs(positions[:, coordinate]))
        above, below = (array(density.evaluate((positions + way * step).tobytes(), n, None))[:n] for way in (1.0, -1.0))
        slopes[:, coordinate] = (above - below) / (2.0 * step[:, coordinate])
    return slopes


def _check(positions: Array, names: list[str]) -> None:
    """Refuses draws that are no positions, and those of a point mass."""
    lost = ~np.isfinite(positions).all(axis=1)
    if lost.any():
        coordinate = int(np.argmin(np.isfinite(positions).all(axis=0)))
        raise BayesInputError(
            f"{lost.sum()} of {_DRAWS} prior draws have no finite coordinate `{names[coordinate]}`: its transform holds for a part of its prior alone,"
            ' as that of ordered values, so that the constant of the prior is not known; write the prior of that part, or use engine="nuts"'
        )
    most = [np.unique(column, return_counts=True)[1].max() for column in positions.T]
    if max(most) > _EQUAL * _DRAWS:
        coordinate = int(np.argmax(most))
        raise BayesInputError(
            f"`{names[coordinate]}` has the same value in {max(most)} of {_DRAWS} prior draws: its prior has a point mass, as a censored one or a mixture with"
            " a constant, and no density"
        )


def _terms(positions: Array, slopes: Array, is_angle: Array) -> list[Array]:
    """Terms of mean 0 if the draws have the density, `[draws, dim]` each."""
    # a coordinate that is far from 0 for its width would hide an error of that
    centred = positions - np.median(positions, axis=0)
    sine, cosine = np.sin(positions), np.cos(positions)
    return [
        slopes,
        np.where(is_angle, sine * slopes + cosine, centred * slopes + 1.0),
        np.where(is_angle, cosine * slopes - sine, slopes),
    ]
