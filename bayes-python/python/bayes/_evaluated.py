"""Graphs of PyTensor that the interpreter evaluates, operation by operation: what machine code of them is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from bayes._arrays import Array


class NotEvaluated(Exception):
    """What PyTensor's interpreter refuses."""


class Evaluated:
    """An optimised `FunctionGraph` without operations in place."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        # inputs that nothing depends on are no variables of it
        variables = {*graph.inputs, *graph.variables}
        self._storage: dict[Any, list[Any]] = {variable: [getattr(variable, "data", None)] for variable in variables}
        computed = {variable: [variable.owner is None] for variable in variables}
        with _interpreting():
            self._steps = [node.op.make_thunk(node, self._storage, computed, [], impl="py") for node in graph.toposort()]

    def outputs(self, *given: Array) -> list[Array]:
        """The outputs for these inputs, as they are until the next call. Raises NotEvaluated."""
        for variable, value in zip(self._graph.inputs, given):
            self._storage[variable][0] = value.copy()
        with np.errstate(all="ignore"), _interpreting():
            for step in self._steps:
                step()
        return [np.asarray(self._storage[variable][0]) for variable in self._graph.outputs]

    def shapes(self) -> dict[Any, tuple[int, ...]]:
        """The shapes of all variables in the last call."""
        return {variable: np.shape(value[0]) for variable, value in self._storage.items()}


@contextmanager
def _interpreting() -> Iterator[None]:
    """Code of PyTensor alone, which raises exceptions of many kinds."""
    try:
        yield
    except Exception as error:
        raise NotEvaluated(f"{type(error).__name__}: {error}") from error


def has_gradient(expected: Sequence[Array]) -> bool:
    """Whether two log densities and their gradient are finite."""
    return all(np.isfinite(part).all() for part in expected)


#: Relative to a density, and to the largest element of a gradient. Sums of up to 1e5 terms in another order, and functions of another library with some units
#: in the last place, are apart by less than 1e-11; one wrong operation by more.
_APART = 1e-9


def is_same(found: Sequence[Any], expected: Sequence[Array]) -> bool:
    """Whether two log densities and their gradient are equal up to rounding; a density that is not finite has no gradient."""
    values, of_values = np.array(found[:2], dtype=float), np.array([float(part.item()) for part in expected[:2]])
    if not np.allclose(values, of_values, rtol=_APART, atol=_APART, equal_nan=True):
        return False
    if not np.isfinite(of_values).all():
        return True
    gradient = np.concatenate([np.ravel(part) for part in expected[2:]])
    largest = np.abs(gradient[np.isfinite(gradient)]).max(initial=1.0)
    return np.allclose(found[2], gradient, rtol=_APART, atol=_APART * largest, equal_nan=True)
