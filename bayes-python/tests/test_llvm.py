"""Machine code of graphs beside the interpreter. Each test would detect an operation whose instructions are those of another: `<` for `<=`, a sum over another axis,
a part of an array at another place."""

from __future__ import annotations

import warnings

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc")
pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning:pytensor", "ignore::DeprecationWarning")

import pytensor.scalar as ps  # noqa: E402
import pytensor.tensor as pt  # noqa: E402
from pytensor.compile.mode import NUMBA  # noqa: E402
from pytensor.graph.fg import FunctionGraph  # noqa: E402

import bayes  # noqa: E402
from bayes import _evaluated, _llvm, _llvm_scalars, _numba, _pymc  # noqa: E402
from bayes._arrays import array  # noqa: E402
from bayes._evaluated import Evaluated, is_same  # noqa: E402

#: Numbers at which branches meet, and what is no number.
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 0.3, -0.7, 2.5, 40.0, -40.0, 800.0, -800.0, 1e-9, -1e-9, np.inf, -np.inf, np.nan])
DIM = 12


def both(outputs, vector, at, rewritten=False):
    """The outputs by machine code and by the interpreter, as they are or as PyTensor rewrites them."""
    weights = pt.tensor("weights", dtype="float64", shape=(2,))
    first = vector[0] * 0
    graph = FunctionGraph([vector, weights], [first, first, *(pt.as_tensor(part).ravel() for part in outputs)], clone=True)
    if rewritten:
        NUMBA.excluding("inplace").optimizer.rewrite(graph)
    evaluated = Evaluated(graph)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.concatenate([np.ravel(part).astype(float) for part in evaluated.outputs(at, np.ones(2))[2:]])
    shapes = evaluated.shapes()
    lengths = [int(np.prod(shapes[part])) for part in graph.outputs[2:]]
    # the gradient is as long as the position
    assert sum(lengths) <= len(at)
    [(_, _, found)] = _llvm.evaluated(_llvm.joint(graph, shapes, lengths), at[None, :], np.ones(2))
    return found[: len(expected)], expected


OF_ONE = {
    "exp": pt.exp,
    "exp2": pt.exp2,
    "expm1": pt.expm1,
    "log": pt.log,
    "log2": pt.log2,
    "log10": pt.log10,
    "log1p": pt.log1p,
    "sqrt": pt.sqrt,
    "sqr": pt.sqr,
    "abs": pt.abs,
    "neg": pt.neg,
    "sign": pt.sign,
    "reciprocal": pt.reciprocal,
    "sigmoid": pt.sigmoid,
    "softplus": pt.softplus,
    "log1mexp": pt.log1mexp,
    "tanh": pt.tanh,
    "sinh": pt.sinh,
    "cosh": pt.cosh,
    "sin": pt.sin,
    "cos": pt.cos,
    "tan": pt.tan,
    "arcsin": pt.arcsin,
    "arccos": pt.arccos,
    "arctan": pt.arctan,
    "erf": pt.erf,
    "erfc": pt.erfc,
    "floor": pt.floor,
    "ceil": pt.ceil,
    "trunc": pt.trunc,
    "isnan": pt.isnan,
    "isinf": pt.isinf,
    "power": lambda x: x**3,
    # the root by `**0.5` is another function of NumPy, which has none of minus infinity
    "roots of negative numbers": lambda x: x**0.6 + (x + 0.25) ** -1.5,
    "powers of a negative number": lambda x: pt.power(-2.0, x),
    "clip": lambda x: pt.clip(x, -1, 2),
    "clip by crossed bounds": lambda x: pt.clip(x, 2, -1),
    "clip by what is no number": lambda x: pt.clip(1.0, x, x + 0.5),
    "switch": lambda x: pt.switch(x > 0, x, -2 * x),
    "switch by numbers": lambda x: pt.switch(x, 2.0, 3.0),
    "one of two": lambda x: pt.xor(x > 0, x < 1),
    "strictly compared": lambda x: (
        pt.switch(x < 0.3, 1.0, 0.0) + pt.switch(x > 0.3, 2.0, 0.0) + pt.switch(pt.eq(x, 0.3), 4.0, 0.0)
    ),
    "bits": lambda x: pt.xor(pt.cast(x > 0, "int64") * 6, pt.cast(x < 1, "int64") * 3),
    "truth values": lambda x: pt.cast(x, "bool") + pt.cast(x > 0, "bool"),
    "truth values as numbers": lambda x: pt.cast(x > 0, "float64") - pt.cast(x < 1, "int64"),
    "single precision": lambda x: pt.cast(pt.cast(x / 3, "float32") * np.float32(1.1), "float64"),
    "quotient": lambda x: 1.0 / x + x / 3.0 + pt.true_div(pt.cast(x > 0, "int64"), 3),
    "sign of zero": lambda x: 1.0 / pt.sign(x),
    "logic": lambda x: pt.and_(x > 0, pt.or_(x < 1, ~pt.eq(x, 2.5))),
    "compared": lambda x: pt.switch(x <= 0.3, 1, 0) + pt.switch(x >= 0.3, 2.0, 0) + pt.switch(pt.neq(x, 1.0), 4, 0.0),
    "whole": lambda x: pt.cast(x > 0, "int64") * 3 - 1,
    "maximum": lambda x: pt.maximum(x, 0.3),
    "minimum": lambda x: pt.minimum(0.3, x),
    "maximum of the other": lambda x: pt.maximum(0.3, x),
    "minimum of the other": lambda x: pt.minimum(x, 0.3),
}


#: Functions that have other digits where their arguments are large.
OF_GAMMA = [pt.gammaln, pt.psi]


@pytest.mark.parametrize("name", OF_ONE)
def test_an_operation_on_numbers_is_that_of_the_interpreter(name):
    vector = pt.tensor("x", dtype="float64", shape=(len(EDGES),))
    found, expected = both([OF_ONE[name](vector)], vector, EDGES)
    # the C library and NumPy may differ by some units in the last place, 2e-16; what is below the least normal number has fewer digits
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-300)


def test_each_operation_on_numbers_is_tested():
    vector = pt.tensor("x", dtype="float64", shape=(len(EDGES),))
    outputs = [make(vector) for make in (*OF_ONE.values(), *OF_GAMMA)]
    tested = {
        type(node.op.scalar_op).__name__
        for node in FunctionGraph([vector], outputs, clone=True).apply_nodes
        if hasattr(node.op, "scalar_op")
    }
    names = [getattr(_llvm_scalars, table) for table in ("_OF_C", "_OTHERS", "_COMPARISONS", "_ARITHMETIC", "_BITS")]
    of_names = {type(op).__name__ for op in (ps.maximum, ps.minimum)} | {name for table in names for name in table}
    assert of_names - tested == set()


@pytest.mark.parametrize("of", OF_GAMMA, ids=["gammaln", "psi"])
def test_functions_of_gamma_have_all_digits(of):
    at = np.array([1e-5, 0.1, 0.5, 1.0, 1.4, 2.0, 3.7, 9.99, 10.0, 55.5, 1e6, -0.5, -3.25])
    vector = pt.tensor("x", dtype="float64", shape=at.shape)
    found, expected = both([of(vector)], vector, at)
    # SciPy has them to some ten units in the last place, and near the root at 1.46 what is left of 1
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)


MATRIX = np.arange(12.0).reshape(4, 3) ** 2 - 7
PLACES = np.array([0, 2, 1, 2, -1])
#: Of the first twelve numbers as a matrix `[4, 3]`.
OF_ARRAYS = {
    "sums": lambda x, m: [m.sum(axis=0), m.sum(axis=1), m.sum(), m.prod(axis=0)],
    "all and any": lambda x, m: [pt.all(m > -9, axis=1), pt.any(m > 1, axis=0), pt.all(m > 0)],
    "sums of whole numbers": lambda x, m: [pt.sum(m > 0, axis=0), pt.prod(pt.cast(m > -9, "int64") * 2, axis=1)],
    "axes of length 1": lambda x, m: [m[:3, :1] * m[:1], m[:1, :1] + x[:2]],
    "repeated": lambda x, m: [pt.set_subtensor(x[np.array([1, 1, 2])], x[3:6])],
    "largest": lambda x, m: [m.max(axis=0), m.min(axis=1)],
    "products": lambda x, m: [pt.dot(MATRIX, x[:3]), pt.dot(MATRIX.T, x[:4]), pt.dot(x[2:5], x[5:8])],
    "product of matrices": lambda x, m: [pt.dot(m.T, MATRIX)],
    "product of a part": lambda x, m: [pt.dot(m[1:3].T, x[:2]), pt.dot(m[:, 1], m[:, 2])],
    "parts": lambda x, m: [m[1:3, ::-1], m[-1, 1:], x[::-4]],
    "broadcasts": lambda x, m: [x[:3, None] * x[None, 3:6] + x[0]],
    "gathered": lambda x, m: [x[PLACES], m[PLACES[:2]]],
    "added": lambda x, m: [pt.inc_subtensor(x[PLACES], x[:5])],
    "set": lambda x, m: [pt.set_subtensor(m[1:3, 0], x[:2])],
    "joined": lambda x, m: [pt.concatenate([m[:1], 2 * m[2:]], axis=0)[:2], pt.concatenate([m[:2, :1], m[:2, 2:]], axis=1)],
    "split": lambda x, m: [part * (k + 1) for k, part in enumerate(pt.split(m, [1, 2], n_splits=2, axis=1))],
    "stacked": lambda x, m: [pt.stack([x[3], x[1], 2.0]), pt.zeros((2, 2)) + x[1]],
    "softmax": lambda x, m: [pt.special.softmax(m, axis=1)],
    "softmax of all": lambda x, m: [pt.special.softmax(m[:2]), pt.special.log_softmax(m[2:, :2], axis=0)],
    "slopes of softmax": lambda x, m: [pt.grad((pt.special.softmax(m, axis=0) * MATRIX).sum(), x)],
    "empty": lambda x, m: [pt.set_subtensor(pt.basic.AllocEmpty("float64")(3)[pt.arange(3)], x[2:5])],
    "reshaped": lambda x, m: [m.T.reshape((6, 2))[1:], x[:4].reshape((2, 2)).sum(axis=0)],
}


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_an_operation_on_arrays_is_that_of_the_interpreter(name):
    vector = pt.tensor("x", dtype="float64", shape=(DIM,))
    at = np.random.default_rng(1).normal(size=DIM)
    found, expected = both(OF_ARRAYS[name](vector, vector.reshape((4, 3))), vector, at, rewritten=True)
    # sums of twelve terms in another order
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)


def groups():
    """Varying intercepts, counts and a mixture: gathers, products, digamma functions, masks, and constants in single precision."""
    place, x = np.array([0, 1, 1, 2, 0, 2]), np.random.default_rng(3).normal(size=(6, 2))
    with pm.Model() as model:
        a = pm.Normal("a", 0, pm.HalfCauchy("spread", 1), shape=3)
        b = pm.StudentT("b", nu=4, mu=0, sigma=1, shape=2)
        u = pm.Uniform("u", 0, 2)
        mean = pm.math.exp(a[place] + x @ b)
        pm.NegativeBinomial("counts", mu=mean, alpha=pm.Exponential("alpha", 1), observed=[1, 0, 4, 2, 7, 1])
        pm.StudentT("t", nu=pm.Gamma("nu", 2, 0.1), mu=u, sigma=1, observed=[0.5, 3.0])
        pm.Bernoulli("yes", logit_p=a[place], observed=[0, 1, 1, 0, 1, 1])
        pm.Laplace("far", u, 1, observed=[0.4, 1.2])
    return model


def graphs(model):
    draw, shapes, _ = _pymc._prior_draws(model)
    return draw, _pymc._Graphs(model, shapes), (list(model.free_RVs), list(model.observed_RVs))


def by_llvm(model):
    draw, shared, variables = graphs(model)
    return _pymc._by_llvm(shared, *variables, draw)


def test_a_model_has_the_densities_and_gradients_of_the_interpreter(monkeypatch):
    """As PyTensor has them before it rewrites a graph; its own C code has 10 digits of the digamma function."""
    model, n, of_weights = groups(), 20, (0.3, 1.7)
    monkeypatch.setattr(_numba, "joint", lambda *_: pytest.fail("numba compiles the model"))
    made = _pymc.made(model, "auto", None, None)
    positions = array(made.density.draw_prior(1, n), -1, made.dim)
    found = array(made.density.evaluate(positions.tobytes(), n, of_weights))
    _, shared, variables = graphs(model)
    weights = pt.tensor("weights", dtype="float64", shape=(2,))
    outputs, vector = shared.log_densities(*variables, weights)
    evaluated = Evaluated(FunctionGraph([vector, weights], outputs, clone=True))
    for i, position in enumerate(positions):
        expected = [np.array(part) for part in evaluated.outputs(position, np.array(of_weights))]
        assert np.isfinite(expected[0]) and np.isfinite(expected[1])
        # sums of tens of terms, in the graph as PyTensor rewrites it and before; slopes have differences of such sums in them
        np.testing.assert_allclose(found[[i, n + i]], expected[:2], rtol=1e-12, atol=1e-12)
        slopes = np.concatenate([np.ravel(part) for part in expected[2:]])
        own = found[2 * n :].reshape(n, -1)[i]
        np.testing.assert_allclose(own, slopes, rtol=1e-10, atol=1e-12 * np.abs(slopes).max())
    alone = array(made.density.evaluate(positions.tobytes(), n, None))[: 2 * n]
    # compiled apart, with sums in any order
    np.testing.assert_allclose(alone, found[: 2 * n], rtol=1e-12)


def test_machine_code_that_differs_from_the_interpreter_is_not_used(monkeypatch):
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1)
        pm.Normal("y", pm.math.sqr(x) + 1, 1, observed=0.5)
    answers = []

    def compared(found, expected):
        answers.append(is_same(found, expected))
        return answers[-1]

    monkeypatch.setattr(_evaluated, "is_same", compared)
    assert by_llvm(model) is not None and answers == [True] * 4
    monkeypatch.setitem(_llvm_scalars._OTHERS, "Sqr", lambda builder, x: x)
    answers.clear()
    assert by_llvm(model) is None and answers == [False]


def rare(at):
    """A model whose likelihood is not 0 where `x` is beyond a number."""
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1)
        pm.Uniform("y", 0, x, observed=at)
    return model


def test_gradients_are_compared_where_most_prior_draws_have_none(monkeypatch):
    finite = []

    def compared(found, expected):
        finite.append(_evaluated.has_gradient(expected))
        return is_same(found, expected)

    monkeypatch.setattr(_evaluated, "is_same", compared)
    assert by_llvm(rare(1.2)) is not None
    # the first four have one
    assert sum(finite) == 2 and len(finite) > 4 and sum(finite[:4]) == 1


def test_machine_code_whose_gradients_cannot_be_compared_is_not_used():
    assert by_llvm(rare(9.0)) is None


def test_a_fault_of_the_compiler_is_warned_of_and_numba_compiles(monkeypatch):
    def faulty(*_):
        raise KeyError("a fault")

    monkeypatch.setattr(_llvm, "joint", faulty)
    with pytest.warns(bayes.BayesWarning, match="LLVM alone cannot compile the model .KeyError: 'a fault'.; numba compiles it"):
        made = _pymc.made(rare(1.2), "auto", None, None)
    assert np.isfinite(array(made.density.evaluate(np.array([1.5]).tobytes(), 1, (1.0, 1.0)))).all()


def test_data_that_change_later_are_those_of_the_call():
    with pm.Model() as model:
        x, data = pm.Normal("x", 0, 1), pm.Data("data", [1.0, 2.0])
        pm.Normal("y", x * data, 1, observed=[0.5, 0.1])
    at = np.array([0.7]).tobytes()
    made = _pymc.made(model, "auto", None, None)
    before = array(made.density.evaluate(at, 1, (1.0, 1.0)))
    pm.set_data({"data": [3.0, 5.0]}, model=model)
    assert (array(made.density.evaluate(at, 1, (1.0, 1.0))) == before).all()
    assert (array(_pymc.made(model, "auto", None, None).density.evaluate(at, 1, (1.0, 1.0)))[1:] != before[1:]).all()


def test_threads_have_memory_of_their_own():
    with pm.Model() as model:
        pm.Normal("y", pt.dot(MATRIX, pt.exp(pm.Normal("x", 0, 1, shape=3))), 1, observed=[1.0, 2.0, 3.0, 4.0])
    compiled = by_llvm(model)
    positions = np.random.default_rng(5).normal(size=(20_000, 3))

    def numbers(_):
        return np.array(
            [[prior, likelihood, *gradient] for prior, likelihood, gradient in _llvm.evaluated(compiled, positions, np.ones(2))]
        )

    alone = numbers(0)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(numbers, range(8)):
            assert np.isfinite(found).all() and (found == alone).all()


def test_a_comparison_with_the_interpreter_sees_one_digit():
    expected = [np.array(-1.0), np.array(-2.0), np.array([3.0]), np.array(4.0)]
    assert is_same((-1.0, -2.0, np.array([3.0, 4.0])), expected)
    assert not is_same((-1.0 - 1e-7, -2.0, np.array([3.0, 4.0])), expected)
    assert not is_same((-1.0, -2.0, np.array([3.0, 4.0 + 1e-7])), expected)
    assert not is_same((np.nan, -2.0, np.array([3.0, 4.0])), expected)


def test_an_operation_that_is_not_known_is_left_to_numba():
    vector = pt.tensor("x", dtype="float64", shape=(DIM,))
    with pytest.raises(_llvm.Unsupported, match="CumOp"):
        both([pt.cumsum(vector)], vector, np.ones(DIM))


#: A loop makes at least one turn, which would write beside the array.
EMPTY = {
    "no rows": lambda x: pt.set_subtensor(x[np.array([], dtype="int64")], 0.0),
    "no rows added to": lambda x: pt.inc_subtensor(x[np.array([], dtype="int64")], 1.0),
    "an empty part": lambda x: pt.set_subtensor(x[3:3], 5.0),
    "an empty part added to": lambda x: pt.inc_subtensor(x[3:3], 5.0),
    "a sum of nothing": lambda x: x + x[3:3].sum(),
    "a product of nothing": lambda x: x + pt.dot(x[3:3], np.zeros(0)),
    "joined with nothing": lambda x: pt.concatenate([np.zeros(0), x]),
    "no column": lambda x: x + pt.dot(x.reshape((DIM, 1))[:, 1:], np.zeros((0, 1)))[:, 0],
}


@pytest.mark.parametrize("name", EMPTY)
def test_what_is_empty_is_left_to_numba(name):
    vector = pt.tensor("x", dtype="float64", shape=(DIM,))
    with pytest.raises(_llvm.Unsupported, match="an array is empty"):
        # the operation on rows is what PyTensor rewrites another one to
        both([EMPTY[name](vector)], vector, np.ones(DIM), rewritten=name.startswith("no rows"))


def test_a_model_with_an_empty_part_is_left_to_numba():
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1, shape=3)
        pm.Normal("y", pt.set_subtensor(x[np.array([], dtype="int64")], 7.0), 1, observed=[1.0, 2.0, 3.0])
    assert by_llvm(model) is None
