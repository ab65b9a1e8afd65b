"""Whether the draws of a prior have its density.

For a smooth density p, draws x from it have the means E[d log p / dx] = 0 and E[x d log p / dx] = -1 in every coordinate (Stein 1972). Draws of
another distribution would give a wrong evidence without a sign of it.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from bayes._arrays import array
from bayes._errors import BayesInputError
from bayes._native import Density

_DRAWS = 400
#: Equal draws of a coordinate that rounding may make.
_EQUAL = 8
#: Standard errors of a mean from which the draws are believed to be of another distribution.
_LIMIT = 8.0


def trouble(density: Density, dim: int, names: list[str]) -> Optional[str]:
    """Why the draws may have another density, in words; None if nothing speaks for it.

    Raises BayesInputError for draws that are no positions.
    """
    drawn = density.draw_prior(0, _DRAWS)
    positions = array(drawn, -1, dim)
    lost = ~np.isfinite(positions).all(axis=1)
    if lost.any():
        coordinate = int(np.argmin(np.isfinite(positions).all(axis=0)))
        raise BayesInputError(
            f"{lost.sum()} of {_DRAWS} prior draws have no finite coordinate `{names[coordinate]}`: its transform holds for a part of its prior alone,"
            ' as that of ordered values, so that the constant of the prior is not known; write the prior of that part, or use engine="nuts"'
        )
    most = [np.unique(column, return_counts=True)[1].max() for column in positions.T]
    if max(most) > _EQUAL:
        coordinate = int(np.argmax(most))
        raise BayesInputError(
            f"`{names[coordinate]}` has the same value in {max(most)} of {_DRAWS} prior draws: its prior has a point mass, as a censored one or a mixture with"
            " a constant, and no density"
        )
    evaluated = array(density.evaluate(bytes(drawn), _DRAWS, (1.0, 0.0)))
    outside = ~np.isfinite(evaluated[:_DRAWS])
    if outside.any():
        return f"the log prior is not finite at {outside.sum()} of {_DRAWS} draws from the prior"
    slopes = evaluated[2 * _DRAWS :].reshape(_DRAWS, dim)
    for terms in (slopes, positions * slopes + 1.0):
        errors = terms.std(axis=0) / np.sqrt(_DRAWS)
        off = np.abs(terms.mean(axis=0)) > _LIMIT * errors + 1e-9
        if off.any():
            coordinate = int(np.argmax(off))
            return (
                f"the draws of the prior do not have its density: the mean slope at {_DRAWS} draws is off in the coordinate `{names[coordinate]}`"
                " (a density that jumps at the end of its support looks the same)"
            )
    return None
