"""The time of a gradient of one function by NumPy, JAX and numba, and how much faster two threads are than one.

    python benches/gradients.py [ROWS]

The function is the log likelihood of a logistic regression with three coefficients on 200 rows. Microseconds are those of a processor, the best of several
tries; two threads beside one are seconds of the wall, so that the machine must have two idle cores. What is not installed is left out by name.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from bayes import Prior, _functions
from bayes._native import Density

POSITIONS, DIM, TRIES = 4096, 3, 7


def data(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(rows), rng.normal(size=(rows, DIM - 1))])
    return x, (rng.uniform(size=rows) < 1 / (1 + np.exp(-x @ [0.5, 1.0, -1.0]))).astype(float)


def of_numpy(x: np.ndarray, y: np.ndarray) -> Any:
    def log_likelihood(beta):
        eta = x @ beta
        return y @ eta - np.logaddexp(0, eta).sum(), x.T @ (y - 1 / (1 + np.exp(-eta)))

    return log_likelihood


def of_jax(x: np.ndarray, y: np.ndarray) -> Any:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    return jax.jit(jax.value_and_grad(lambda beta: y @ (x @ beta) - jnp.logaddexp(0, x @ beta).sum()))


def of_numba(x: np.ndarray, y: np.ndarray) -> Any:
    import numba

    rows = len(y)

    @numba.cfunc("float64(int64, CPointer(float64), CPointer(float64))")
    def log_likelihood(dim, at, gradient):
        for k in range(dim):
            gradient[k] = 0.0
        value = 0.0
        for i in range(rows):
            eta = 0.0
            for k in range(dim):
                eta += x[i, k] * at[k]
            small = np.exp(-abs(eta))
            value += y[i] * eta - max(eta, 0.0) - np.log1p(small)
            share = 1 / (1 + small) if eta > 0 else small / (1 + small)
            for k in range(dim):
                gradient[k] += (y[i] - share) * x[i, k]
        return value

    return log_likelihood


def densities(x: np.ndarray, y: np.ndarray) -> Iterator[tuple[str, Density]]:
    """The same density by each of what is installed."""
    prior = Prior.normal(0, 1)
    yield "NumPy, one position at a time", _functions.density(of_numpy(x, y), DIM, prior, None)
    try:
        function = of_jax(x, y)
        yield "JAX, one position at a time", _functions.density(function, DIM, prior, None, "interpreter")
        yield "JAX, blocks of positions", _functions.density(function, DIM, prior, None)
    except ImportError:
        print("JAX is not installed")
    try:
        yield "numba, a C function", _functions.density(of_numba(x, y), DIM, prior, None)
    except ImportError:
        print("numba is not installed")


def calls(density: Density, positions: bytes, block: int, repeat: int = 1) -> None:
    """Gradients at all positions, by blocks as engines ask for them."""
    size = 8 * DIM * block
    for _ in range(repeat):
        for begin in range(0, len(positions), size):
            density.evaluate(positions[begin : begin + size], block, (1.0, 1.0))


def microseconds(density: Density, positions: bytes, block: int) -> float:
    best = np.inf
    for _ in range(TRIES):
        begin = time.process_time()
        calls(density, positions, block)
        best = min(best, time.process_time() - begin)
    return 1e6 * best / POSITIONS


def speedup(density: Density, positions: bytes) -> float:
    """How much faster two threads are than one, by the best of several tries."""
    repeat = 4
    one = two = np.inf
    for _ in range(TRIES):
        begin = time.perf_counter()
        calls(density, positions, POSITIONS, 2 * repeat)
        one = min(one, time.perf_counter() - begin)
        threads = [threading.Thread(target=calls, args=(density, positions, POSITIONS, repeat)) for _ in range(2)]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        two = min(two, time.perf_counter() - begin)
    return one / two


def main() -> None:
    x, y = data(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
    positions = np.random.default_rng(2).normal(size=(POSITIONS, DIM)).tobytes()
    print(
        "| function | µs a gradient, blocks of 32 | µs a gradient, blocks of 1024 | two threads beside one |\n|---|---|---|---|"
    )
    for name, density in densities(x, y):
        calls(density, positions, POSITIONS)
        of_blocks = [microseconds(density, positions, block) for block in (32, 1024)]
        print(f"| {name} | {of_blocks[0]:.1f} | {of_blocks[1]:.1f} | {speedup(density, positions):.2f} |", flush=True)


if __name__ == "__main__":
    main()
