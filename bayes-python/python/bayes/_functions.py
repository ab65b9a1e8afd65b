"""Log densities that are functions of Python."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Callable, Optional, Union

import numpy as np
import numpy.typing as npt

from bayes import _jax, _numba
from bayes._errors import BayesInputError
from bayes._native import Density, Function

#: A position, `[dim]`, to the log density, alone or with its gradient, `[dim]`.
LogDensity = Callable[[Any], Any]


class Prior:
    """The prior of a log likelihood that is a function: its log density, and draws.

    log_density: a function of a position, `[dim]`, that returns the log density, or it and its gradient, `[dim]`; or a C function.
    draw: a function of a `numpy.random.Generator` that returns a position, `[dim]`. Draws must have the density `exp(log_density)`, up to a
        constant: islands start from them, and their evidence would otherwise be wrong.
    is_normalised: whether `exp(log_density)` integrates to 1. The evidence does not need it; with it islands look for a missed mass.

    >>> prior = bayes.Prior(lambda x: (-abs(x).sum(), -numpy.sign(x)), lambda rng: rng.laplace(size=2))  # doctest: +SKIP
    """

    def __init__(self, log_density: Any, draw: Callable[[np.random.Generator], Any], *, is_normalised: bool = False) -> None:
        if not callable(draw):
            raise TypeError(f"`draw` is a {type(draw).__name__}; it must be a function of a numpy.random.Generator")
        self._log_density = log_density
        self._draw: Optional[Callable[[np.random.Generator], Any]] = draw
        self._is_normalised = bool(is_normalised)
        self._normal: Any = None

    @classmethod
    def normal(cls, mean: npt.ArrayLike = 0.0, sd: npt.ArrayLike = 1.0) -> Prior:
        """Independent normal distributions, with means and standard deviations that are numbers or arrays, `[dim]`. No interpreter is called."""
        prior = cls(None, np.random.Generator.normal)
        prior._draw = None
        prior._normal = (np.asarray(mean, dtype=np.float64), np.asarray(sd, dtype=np.float64))
        return prior

    def __repr__(self) -> str:
        if self._normal is not None:
            mean, sd = self._normal
            return f"Prior.normal({mean}, {sd})"
        return f"Prior({self._log_density!r}, {self._draw!r})"

    def _broadcast(self, dim: int) -> tuple[list[float], list[float]]:
        """The means and the standard deviations of normal distributions, `[dim]`."""
        for name, values in zip(("mean", "sd"), self._normal):
            if values.shape not in ((), (dim,)):
                raise BayesInputError(
                    f"`{name}` of the prior has the shape {values.shape}; it must be a number or have the shape ({dim},)"
                )
            if not np.isfinite(values).all() or (name == "sd" and not (values > 0).all()):
                must = "finite and above 0" if name == "sd" else "finite"
                raise BayesInputError(f"`{name}` of the prior is {values}; it must be {must}")
        mean, sd = (np.broadcast_to(values, (dim,)).tolist() for values in self._normal)
        return mean, sd


class Interpreted:
    """A function of a position that the native part calls for a block. One thread at a time is in it."""

    def __init__(self, name: str, function: LogDensity, dim: int) -> None:
        self.name = name
        self.function = function
        self.dim = dim
        self.has_gradient = False
        #: Whether it returned arrays of JAX.
        self.is_of_jax = False
        self._lock = threading.Lock()

    def __call__(self, positions: bytes, particles: int, with_gradients: bool) -> bytes:
        """The values as bytes, `[particles]`, and with gradients those after them, `[particles, dim]`."""
        rows = np.frombuffer(positions).reshape(particles, self.dim).copy()
        values, gradients = np.empty(particles), np.empty((particles if with_gradients else 0, self.dim))
        with self._lock:
            for i, position in enumerate(rows):
                value, gradient = self.at(position)
                values[i] = value
                if with_gradients:
                    gradients[i] = self._of_all(value, gradient)
        return values.tobytes() + gradients.tobytes()

    def at(self, position: npt.NDArray[np.float64]) -> tuple[float, Optional[npt.NDArray[np.float64]]]:
        """The log density at a position, and its gradient; None if the function returns none."""
        given = position.copy()
        try:
            answer = self.function(position)
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note(f"raised by `{self.name}` at {given!r}")
            raise
        value, gradient = answer if isinstance(answer, (tuple, list)) and len(answer) == 2 else (answer, None)
        self.is_of_jax = _jax.is_of_jax(value)
        return self._number(value), None if gradient is None else self._gradient(gradient)

    def learn(self, starts: list[npt.NDArray[np.float64]]) -> None:
        """Learns whether it returns a gradient at the first of these positions with a finite density."""
        gradient = None
        for start in starts:
            value, gradient = self.at(start.copy())
            if np.isfinite(value):
                break
        self.has_gradient = gradient is not None

    def _number(self, value: Any) -> float:
        number = self._numbers(value, "the value", "a number, or a number and a gradient")
        if number.size != 1:
            raise TypeError(
                f"`{self.name}` returned an array of the shape {number.shape} as the value; it must be a single number"
            )
        return float(number.reshape(()))

    def _gradient(self, gradient: Any) -> npt.NDArray[np.float64]:
        numbers = self._numbers(gradient, "the gradient", f"an array of the shape ({self.dim},)")
        if numbers.shape != (self.dim,):
            raise TypeError(
                f"`{self.name}` returned a gradient of the shape {numbers.shape}; it must be ({self.dim},), as the position"
            )
        return numbers.astype(np.float64)

    def _of_all(self, value: float, gradient: Optional[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
        if gradient is None and not np.isfinite(value):
            # outside of the support
            return np.zeros(self.dim)
        if gradient is None:
            raise TypeError(f"`{self.name}` returned a gradient at first, and later none")
        return gradient

    def _numbers(self, answer: Any, what: str, must: str) -> npt.NDArray[Any]:
        try:
            numbers = np.asarray(answer)
        except Exception:
            numbers = np.asarray(None)
        if numbers.dtype.kind not in "fiu":
            raise TypeError(f"`{self.name}` returned {what} {answer!r}, of the type {type(answer).__name__}; it must be {must}")
        if numbers.dtype.kind == "f" and numbers.dtype.itemsize < 8:
            raise TypeError(
                f"`{self.name}` returned {what} in {numbers.dtype}; it must be float64"
                " (JAX: jax.config.update('jax_enable_x64', True))"
            )
        return numbers


def density(
    log_likelihood: Any, dim: Any, prior: Optional[Prior], names: Optional[Mapping[str, Any]], backend: str = "auto"
) -> Density:
    """The density of a log likelihood and a prior on R^dim."""
    if backend not in ("auto", "jax", "interpreter"):
        raise BayesInputError(f"`backend` is {backend!r}; of a function it must be auto, jax or interpreter")
    dim = _dim(dim)
    made = Density(dim, getattr(log_likelihood, "__name__", "log_likelihood"), _quantities(names, dim))
    if prior is not None and not isinstance(prior, Prior):
        raise TypeError(f"`prior` is a {type(prior).__name__}; it must be a bayes.Prior, such as bayes.Prior.normal(0, 1)")
    starts = [np.full(dim, 0.1)]
    of_prior: Optional[Function] = None
    parts: list[Optional[Interpreted]] = []
    if prior is not None and prior._normal is not None:
        mean, sd = prior._broadcast(dim)
        made.drawn_normal(mean, sd)
        of_prior = Function.normal(mean, sd)
        starts = [np.array(mean) + 0.1 * np.array(sd)]
    elif prior is not None and prior._draw is not None:
        draw = _Drawn(prior._draw, dim)
        made.drawn_by(draw, prior._is_normalised)
        starts = [np.frombuffer(draw(seed)).copy() for seed in range(10)]
        of_prior, part = _function("log_density of the prior", prior._log_density, dim, backend, starts)
        parts.append(part)
    of_likelihood, part = _function("log_likelihood", log_likelihood, dim, backend, starts)
    parts.append(part)
    has_gradient = all(part is None or part.has_gradient for part in parts)
    made.split(of_prior, of_likelihood, has_gradient)
    return made


class _Drawn:
    """Prior draws by a function of a generator."""

    def __init__(self, draw: Callable[[np.random.Generator], Any], dim: int) -> None:
        self.draw = draw
        self.dim = dim
        self._lock = threading.Lock()

    def __call__(self, seed: int) -> bytes:
        with self._lock:
            position = np.asarray(self.draw(np.random.default_rng(seed)))
        if position.shape != (self.dim,) or position.dtype.kind not in "fiub":
            found = f"the shape {position.shape} and the type {position.dtype}"
            raise TypeError(f"`draw` of the prior returned an array of {found}; it must be numbers of the shape ({self.dim},)")
        return position.astype(np.float64).tobytes()


def _function(
    name: str, function: Any, dim: int, backend: str, starts: list[npt.NDArray[np.float64]]
) -> tuple[Function, Optional[Interpreted]]:
    """A function for the native part, and the one that the interpreter runs position by position if it does."""
    found = _numba.compiled(name, function)
    if found is not None:
        return found, None
    if not callable(function):
        advice = (
            " An address alone does not say what it is: give numba's cfunc, or a function of ctypes"
            if isinstance(function, int)
            else ""
        )
        raise TypeError(
            f"`{name}` is a {type(function).__name__}; it must be a function of a position that returns the log density and its gradient.{advice}"
        )
    if backend == "jax":
        return Function.interpreted(_jax.Mapped(name, function, dim)), None
    part = Interpreted(name, function, dim)
    part.learn(starts)
    if backend == "auto" and part.is_of_jax:
        try:
            return Function.interpreted(_jax.Mapped(name, function, dim)), None
        except Exception:
            # it has branches that depend on values, leaves JAX, or has no gradient there
            return Function.interpreted(part), part
    return Function.interpreted(part), part


def _dim(dim: Any) -> int:
    if dim is None:
        raise BayesInputError("`dim`, the number of coordinates, is missing")
    if isinstance(dim, bool) or not hasattr(dim, "__index__") or dim.__index__() < 1:
        raise BayesInputError(f"`dim` is {dim!r}; it must be a whole number from 1 on")
    return int(dim.__index__())


def _quantities(names: Optional[Mapping[str, Any]], dim: int) -> list[Any]:
    """The quantities of these names and shapes."""
    if names is None:
        return [("x", [dim], [], False)]
    if not isinstance(names, Mapping):
        raise TypeError(f'`names` is a {type(names).__name__}; it must be a dict of shapes: {{"mu": (), "theta": 8}}')
    shapes = {name: _shape(name, shape) for name, shape in names.items()}
    total = sum(int(np.prod(shape)) for shape in shapes.values())
    if total != dim:
        raise BayesInputError(f"`names` has {total} numbers in {shapes}, and `dim` is {dim}")
    return [(str(name), list(shape), [], False) for name, shape in shapes.items()]


def _shape(name: str, shape: Union[int, tuple[int, ...]]) -> tuple[int, ...]:
    whole = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    is_shape = len(whole) <= 2 and all(hasattr(n, "__index__") and n.__index__() >= 1 for n in whole)
    if not is_shape:
        raise BayesInputError(f"`{name}` has the shape {shape!r}; it must be (), a number, or two numbers, from 1 on")
    return tuple(n.__index__() for n in whole)
