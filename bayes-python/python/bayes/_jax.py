"""Functions of JAX: compiled for blocks of positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayes._errors import BayesInputError

_ADVICE = "jax.config.update('jax_enable_x64', True) before the first array of JAX"


def is_of_jax(value: Any) -> bool:
    """Whether this is an array of JAX."""
    return type(value).__module__.partition(".")[0] in ("jax", "jaxlib")


class Mapped:
    """A function of JAX that the native part calls for a block: of a position, to the log density, alone or with its gradient.

    JAX differentiates one that returns no gradient, compiles it, and maps it over the positions. Several threads may be in it at once.

    Raises what JAX raises for a function that it cannot compile, differentiate or map, such as one with a loop of unknown length and without a gradient.
    """

    def __init__(self, name: str, function: Any, dim: int) -> None:
        try:
            import jax
        except ImportError:
            raise ImportError('`backend="jax"` needs JAX, which is not installed: pip install jax') from None
        config: Any = jax.config
        if not config.jax_enable_x64:
            raise BayesInputError(f"JAX computes with 32 bits, and `{name}` must be of float64: {_ADVICE}")
        self.dim = dim
        has_gradient = self._check(jax, name, function)
        both = function if has_gradient else jax.value_and_grad(function)
        self._values = jax.jit(jax.vmap((lambda x: function(x)[0]) if has_gradient else function))
        self._gradients = jax.jit(jax.vmap(both))
        for mapped in (self._values, self._gradients):
            self._traced(jax, name, mapped, (1, dim))

    def _check(self, jax: Any, name: str, function: Any) -> bool:
        """Whether the function returns a gradient too.

        Raises TypeError for one that returns something else than a log density, alone or with its gradient.
        """
        found = self._traced(jax, name, function, (self.dim,))
        parts = found if isinstance(found, (tuple, list)) else (found,)
        shapes = [getattr(part, "shape", None) for part in parts]
        if shapes not in ([()], [(), (self.dim,)]):
            raise TypeError(
                f"`{name}` returned arrays of the shapes {shapes}; it must return a number, or a number and a gradient of the shape ({self.dim},)"
            )
        for part in parts:
            if part.dtype != np.float64:
                raise TypeError(f"`{name}` returned {part.dtype}; it must be float64 (JAX: {_ADVICE})")
        return len(parts) == 2

    @staticmethod
    def _traced(jax: Any, name: str, function: Any, shape: tuple[int, ...]) -> Any:
        """The shapes of what the function returns of an array of this shape."""
        try:
            return jax.eval_shape(function, jax.ShapeDtypeStruct(shape, np.float64))
        except Exception as error:
            if hasattr(error, "add_note"):
                error.add_note(
                    f'raised by `{name}` while JAX compiled it; `backend="interpreter"` calls it as it is, at one position at a time'
                )
            raise

    def __call__(self, positions: bytes, particles: int, with_gradients: bool) -> bytes:
        """The values as bytes, `[particles]`, and with gradients those after them, `[particles, dim]`."""
        rows = np.frombuffer(positions).reshape(particles, self.dim)
        # JAX compiles for each number of rows: powers of two are few
        whole = 1 << max(particles - 1, 0).bit_length()
        padded = np.concatenate([rows, np.repeat(rows[-1:], whole - particles, axis=0)])
        if not with_gradients:
            return np.asarray(self._values(padded))[:particles].tobytes()
        values, gradients = self._gradients(padded)
        return np.asarray(values)[:particles].tobytes() + np.asarray(gradients)[:particles].tobytes()
