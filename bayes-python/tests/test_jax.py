"""Log likelihoods that are functions of JAX."""

from __future__ import annotations

import numpy as np
import pytest
from test_functions import DATA, EXACT, PRIOR, SMALL, close, gaussian

import bayes
from bayes import _functions
from bayes._arrays import array


def jax_of_64_bits():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


def of_jax(x):
    """`gaussian` without its gradient, which JAX makes."""
    return -0.5 * ((DATA - x) ** 2).sum() - 1.5 * np.log(2 * np.pi)


def test_a_function_of_jax_is_differentiated_and_mapped_over_positions():
    jax = jax_of_64_bits()
    rows = np.random.default_rng(1).normal(size=(5, 3))
    wanted = [gaussian(row) for row in rows]
    both = jax.value_and_grad(of_jax)
    for function, backend in ((of_jax, "jax"), (jax.jit(of_jax), "auto"), (jax.jit(both), "auto"), (both, "interpreter")):
        found = _functions.density(function, 3, PRIOR, None, backend)
        for particles in (1, 2, 3, 5):
            values = array(found.evaluate(rows[:particles].tobytes(), particles, (0.0, 1.0)))
            assert values[particles : 2 * particles] == pytest.approx([value for value, _ in wanted[:particles]], rel=1e-14)
            gradients = np.array([gradient for _, gradient in wanted[:particles]])
            assert values[2 * particles :].reshape(-1, 3) == pytest.approx(gradients, rel=1e-14)
            alone = array(found.evaluate(rows[:particles].tobytes(), particles, None))
            assert alone[particles:] == pytest.approx(values[particles : 2 * particles], rel=1e-14)


def test_a_function_of_jax_is_called_for_blocks_and_compiled_for_few_sizes():
    jax_of_64_bits()
    traced = []

    def counted(x):
        traced.append(x.shape)
        return of_jax(x)

    result = bayes.sample(counted, dim=3, prior=PRIOR, backend="jax", seed=1, **SMALL)
    assert close(result, EXACT) and 2 <= len(traced) <= 40 and set(traced) == {(3,)}


def test_a_function_that_returns_arrays_of_jax_is_mapped_if_jax_can_compile_it():
    """Seen to detect: differences of 2 dim calls for each gradient, some 50 µs a call."""
    jax_of_64_bits()
    import jax.numpy as jnp

    def branches(x):
        return of_jax(jnp.asarray(x)) if x[0] < 1e9 else jnp.asarray(-np.inf)

    for function, is_mapped in ((lambda x: of_jax(jnp.asarray(x)), True), (branches, False)):
        _, part = _functions._function("log_likelihood", function, 3, "auto", [np.zeros(3)])
        assert (part is None) == is_mapped
        density = _functions.density(function, 3, PRIOR, None)
        found = array(density.evaluate(np.ones(3).tobytes(), 1, (0.0, 1.0)))
        value, gradient = gaussian(np.ones(3))
        # differences are exact to some 1e-8
        assert found[1:] == pytest.approx([value, *gradient], rel=1e-6)


def test_a_function_that_jax_cannot_differentiate_or_map_is_called_as_it_is():
    """Seen to detect: an exception of JAX at the first gradient of the run, because the function alone can be compiled."""
    jax = jax_of_64_bits()
    import jax.numpy as jnp

    def loop(x):
        def add(state):
            k, total = state
            return k + 1, total - 0.5 * (DATA[0] - x[0]) ** 2 / 2

        # JAX does not differentiate backwards through a loop of unknown length
        _, total = jax.lax.while_loop(lambda state: state[0] < 2, add, (0, jnp.zeros(())))
        return total - 0.5 * ((jnp.asarray(DATA[1:]) - x[1:]) ** 2).sum() - 1.5 * np.log(2 * np.pi)

    def leaves(x):
        shapes = (jax.ShapeDtypeStruct((), np.float64), jax.ShapeDtypeStruct((3,), np.float64))
        return jax.pure_callback(gaussian, shapes, x)

    value, gradient = gaussian(np.ones(3))
    for function in (loop, jax.jit(loop), jax.jit(leaves)):
        _, part = _functions._function("log_likelihood", function, 3, "auto", [np.zeros(3)])
        assert part is not None
        density = _functions.density(function, 3, PRIOR, None)
        found = array(density.evaluate(np.ones(3).tobytes(), 1, (0.0, 1.0)))
        # differences are exact to some 1e-8
        assert found[1:] == pytest.approx([value, *gradient], rel=1e-6)
        with pytest.raises((ValueError, NotImplementedError)) as raised:
            _functions.density(function, 3, PRIOR, None, "jax")
        if hasattr(raised.value, "__notes__"):
            assert 'backend="interpreter"' in raised.value.__notes__[-1]


def test_a_prior_of_jax():
    jax = jax_of_64_bits()
    prior = bayes.Prior(jax.jit(lambda x: -0.5 * (x**2).sum()), lambda rng: rng.normal(size=3))
    result = bayes.sample(jax.jit(of_jax), dim=3, prior=prior, seed=1, **SMALL)
    # the constant of the prior is not needed
    assert close(result, EXACT)


def test_mistakes_with_jax_are_named():
    jax = jax_of_64_bits()

    def branches(x):
        return -x.sum() if x[0] > 0 else x.sum()

    calls = [
        (branches, "jax", jax.errors.TracerBoolConversionError, "truth value|Attempted boolean conversion"),
        (lambda x: x, "jax", TypeError, r"`log_likelihood` returned arrays of the shapes \[\(3,\)\]"),
        (lambda x: (x.sum(), x[:2]), "jax", TypeError, r"shapes \[\(\), \(2,\)\]; it must return a number"),
        (lambda x: x.sum().astype("float32"), "jax", TypeError, "`log_likelihood` returned float32; it must be float64"),
        (of_jax, "torch", bayes.BayesInputError, "`backend` is 'torch'; of a function it must be auto, jax or interpreter"),
    ]
    for function, backend, kind, words in calls:
        with pytest.raises(kind, match=words) as raised:
            bayes.sample(function, dim=3, prior=PRIOR, backend=backend)
    with pytest.raises(jax.errors.TracerBoolConversionError) as raised:
        bayes.sample(branches, dim=3, prior=PRIOR, backend="jax")
    if hasattr(raised.value, "__notes__"):
        assert 'backend="interpreter"' in raised.value.__notes__[-1]
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(bayes.BayesInputError, match="JAX computes with 32 bits, and `log_likelihood` must be of float64"):
            bayes.sample(of_jax, dim=3, prior=PRIOR, backend="jax")
    finally:
        jax.config.update("jax_enable_x64", True)
