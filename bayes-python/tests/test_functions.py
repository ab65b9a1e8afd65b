"""Log likelihoods that are functions of Python, and C functions."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import signal
import subprocess
import sys
import types
import warnings

import numpy as np
import pytest

import bayes
from bayes import _functions, _numba, _sampling, _words
from bayes._arrays import array

#: Settings with which a run takes a second.
SMALL = {"islands": 4, "particles": 128}
DATA = np.array([1.2, 0.3, -0.5])
PRIOR = bayes.Prior.normal(0, 1)
#: The log evidence of y = x + noise, with noise and prior of variance 1.
EXACT = float(np.sum(-0.5 * np.log(4 * np.pi) - DATA**2 / 4))


def gaussian(x):
    """y = x + noise of variance 1, with its gradient."""
    return -0.5 * np.sum((DATA - x) ** 2) - 1.5 * np.log(2 * np.pi), DATA - x


def close(result, exact):
    """Whether a log evidence is within three of its errors."""
    return abs(result.log_evidence - exact) < 3 * result.log_evidence_se and result.log_evidence_se < 0.1


def test_the_example_of_the_documentation():
    result = bayes.sample(gaussian, dim=3, prior=bayes.Prior.normal(0, 1), seed=1, **SMALL)
    assert isinstance(result, bayes.Posterior) and close(result, EXACT) and result.warnings == []
    draws = result.draws("x")
    assert draws.shape[2:] == (3,)
    row = result.summary().row("x[0]")
    assert abs(row["mean"] - 0.6) < 4 * row["mcse"] and abs(row["sd"] - 0.5**0.5) < 0.05
    assert repr(result).count("gaussian") >= 1


def test_both_engines_agree():
    evidence = bayes.evidence(
        gaussian, dim=3, prior=bayes.Prior.normal(0, 1), seed=1, tempered=SMALL, nested={"particles": 256}
    )
    assert evidence.verdict == "agree" and evidence.agree and close(evidence, EXACT)
    assert evidence.posterior is evidence.tempered
    assert f"{evidence.log_evidence:.2f}" in repr(evidence)
    low, high = evidence.log_evidence_interval
    assert low < evidence.log_evidence < high


def test_chains_need_no_prior():
    result = bayes.sample(lambda x: (-0.5 * x @ x, -x), dim=2, engine="nuts", chains=2, draws=500, burn_in=300, seed=1)
    assert result.log_evidence is None and result.draws("x").shape == (2, 500, 2)
    assert abs(result.draws("x").std() - 1) < 0.15


def test_a_prior_of_functions_and_names():
    def log_prior(x):
        return -np.abs(x).sum() - 3 * np.log(2), -np.sign(x)

    prior = bayes.Prior(log_prior, lambda rng: rng.laplace(size=3), is_normalised=True)
    result = bayes.sample(gaussian, dim=3, prior=prior, names={"a": (), "b": 2}, seed=1, **SMALL)
    # by quadrature, coordinate by coordinate
    x = np.linspace(-30, 30, 200_001)
    step = x[1] - x[0]
    terms = [np.log(np.sum(np.exp(-0.5 * (y - x) ** 2 - np.abs(x))) * step / 2 / np.sqrt(2 * np.pi)) for y in DATA]
    assert close(result, float(np.sum(terms)))
    assert result.draws("a").ndim == 2 and result.draws("b").shape[2] == 2
    assert result.summary().names == ["a", "b[0]", "b[1]"]


def test_a_function_without_a_gradient_has_that_of_differences():
    by_differences = bayes.sample(
        lambda x: gaussian(x)[0], dim=3, prior=bayes.Prior.normal(0, 1), seed=1, islands=2, particles=64
    )
    assert abs(by_differences.log_evidence - EXACT) < 0.3


def test_a_c_function_gives_the_bits_of_the_same_one_of_python():
    numba = pytest.importorskip("numba")
    a, b, c = DATA.tolist()

    @numba.cfunc("float64(int64, CPointer(float64), CPointer(float64))")
    def compiled(dim, x, gradient):
        gradient[0], gradient[1], gradient[2] = a - x[0], b - x[1], c - x[2]
        return -0.5 * (gradient[0] ** 2 + gradient[1] ** 2 + gradient[2] ** 2)

    def interpreted(x):
        gradient = DATA - x
        return -0.5 * (gradient[0] ** 2 + gradient[1] ** 2 + gradient[2] ** 2), gradient

    settings = {"dim": 3, "prior": bayes.Prior.normal(0, 1), "seed": 1, "islands": 2, "particles": 64}
    first, second = (bayes.sample(function, **settings) for function in (compiled, interpreted))
    assert first.log_evidence == second.log_evidence
    assert first.draws("x").tolist() == second.draws("x").tolist()


def test_a_function_of_ctypes():
    pointer = ctypes.POINTER(ctypes.c_double)

    @ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, pointer, pointer)
    def compiled(dim, x, gradient):
        for k in range(dim):
            gradient[k] = DATA[k] - x[k]
        return -0.5 * sum(gradient[k] ** 2 for k in range(dim)) - 1.5 * np.log(2 * np.pi)

    result = bayes.sample(compiled, dim=3, prior=bayes.Prior.normal(0, 1), seed=1, islands=2, particles=64)
    assert abs(result.log_evidence - EXACT) < 0.3


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_callback_that_raises_is_nan():
    """It returns an arbitrary number, and leaves the gradient as it was."""
    pointer = ctypes.POINTER(ctypes.c_double)

    @ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, pointer, pointer)
    def broken(dim, x, gradient):
        if x[0] > 1:
            raise ZeroDivisionError
        gradient[0] = -x[0]
        return -0.5 * x[0] ** 2

    function = _functions.density(broken, 1, PRIOR, None)
    found = array(function.evaluate(np.array([0.5, 2.0, -1.0]).tobytes(), 3, (0.0, 1.0)))
    assert found[3] == -0.125 and np.isnan(found[4]) and found[5] == -0.5
    assert found[6:].tolist() == [-0.5, 0.0, 1.0]


def test_a_c_function_outside_of_its_support_needs_no_gradient():
    pointer = ctypes.POINTER(ctypes.c_double)
    outside = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, pointer, pointer)(lambda dim, x, gradient: -np.inf)
    function = _functions.density(outside, 2, PRIOR, None)
    found = array(function.evaluate(np.zeros(2).tobytes(), 1, (0.0, 1.0)))
    assert found[1] == -np.inf and found[2:].tolist() == [0.0, 0.0]


def test_c_functions_that_need_the_lock_are_refused():
    pointer = ctypes.POINTER(ctypes.c_double)
    of = ctypes.c_double, ctypes.c_int64, pointer, pointer
    for function in (ctypes.PYFUNCTYPE(*of)(lambda *_: 0.0), ctypes.PyDLL(None).atan2):
        function.restype, function.argtypes = of[0], of[1:]
        with pytest.raises(TypeError, match="`log_likelihood` is a C function that needs the interpreter's lock"):
            bayes.sample(function, dim=1, prior=PRIOR)


def test_the_types_of_arguments_may_be_a_list():
    pointer = ctypes.POINTER(ctypes.c_double)

    function = ctypes.CDLL(None).atan2
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_int64, pointer, pointer]
    assert _numba.compiled("f", function) is not None


def test_nan_is_counted_and_warned_of():
    def broken(x):
        return (np.nan, x) if x[0] > 1 else gaussian(x)

    with pytest.warns(bayes.BayesWarning, match="the log likelihood.*NaN|NaN.*the log likelihood"):
        bayes.sample(broken, dim=3, prior=bayes.Prior.normal(0, 1), seed=1, islands=2, particles=64)


@pytest.mark.parametrize("engine", ["psmc", "nested", "nuts"])
def test_an_exception_of_a_function_is_raised_with_its_words(engine):
    calls = []

    def broken(x):
        calls.append(x)
        if len(calls) > 1000:
            raise ZeroDivisionError("no answer here")
        return gaussian(x)

    with pytest.raises(ZeroDivisionError, match="no answer here"):
        bayes.sample(broken, dim=3, prior=bayes.Prior.normal(0, 1), engine=engine)
    # the interpreter and the package live on
    assert bayes.sample(gaussian, dim=3, prior=bayes.Prior.normal(0, 1), islands=2, particles=64).log_evidence


def test_draws_that_do_not_have_the_density_of_the_prior_are_warned_of():
    wrong = bayes.Prior(lambda x: (-0.5 * x @ x, -x), lambda rng: 1.3 * rng.normal(size=3))
    with pytest.warns(bayes.BayesWarning, match=r"the draws of the prior do not have its density.*`x\[0\]`"):
        bayes.sample(gaussian, dim=3, prior=wrong, islands=2, particles=64)


class Replaced:
    """A density whose runs are replaced by what `run` returns; it gets the run of the density and the arguments."""

    def __init__(self, density, run):
        self.density, self._run = density, run

    def __getattr__(self, name):
        return getattr(self.density, name)

    def run(self, *arguments):
        return self._run(self.density.run, *arguments)


def with_potentials(monkeypatch, of_potentials=lambda run, *of: run(*of), of_all=lambda run, *of: run(*of)):
    """Functions have potentials in their prior from now on: the likelihood of the first datum, and the prior."""
    made = _sampling._made

    def first(x):
        return -0.5 * (DATA[0] - x[0]) ** 2 - 0.5 * np.log(2 * np.pi), np.array([DATA[0] - x[0], 0, 0])

    def replaced(*arguments):
        found = made(*arguments)
        other = Replaced(_functions.density(first, 3, PRIOR, None), of_potentials)
        return dataclasses.replace(found, density=Replaced(found.density, of_all), of_potentials=other)

    monkeypatch.setattr(_sampling, "_made", replaced)


CALL = {"dim": 3, "prior": PRIOR, "seed": 1}
TINY = {"islands": 2, "particles": 64}


def test_the_constant_of_potentials_comes_from_a_run_of_the_same_size(monkeypatch, tmp_path):
    seen = []
    with_potentials(monkeypatch, lambda run, *of: (seen.append(of[-1]), run(*of))[1])
    result = bayes.sample(gaussian, **CALL, **SMALL, time_limit=100, target_acceptance=0.7)
    assert seen == [{**SMALL, "time_limit": 100}]
    assert close(result, float(np.sum(-0.5 * np.log(4 * np.pi) - DATA[1:] ** 2 / 4)))
    with pytest.raises(bayes.BayesInputError, match="a file of a run has no place for the constant"):
        result.save(tmp_path / "a.run")
    assert not list(tmp_path.iterdir())


def stopped(run, *of):
    raise KeyboardInterrupt


def failed(run, *of):
    raise bayes.BayesError("no island was finished")


@pytest.mark.parametrize("of_potentials", [stopped, lambda run, *of: (*run(*of)[:2], True)], ids=["at once", "with islands"])
def test_ctrl_c_in_the_run_of_potentials_keeps_the_first_run_without_evidence(monkeypatch, tmp_path, of_potentials):
    with_potentials(monkeypatch, of_potentials)
    with pytest.raises(bayes.BayesInterrupt) as raised:
        bayes.sample(gaussian, **CALL, **TINY)
    without_evidence(raised.value.result, "was stopped", tmp_path)


def without_evidence(result, words, folder):
    assert result.draws("x").shape[2:] == (3,)
    assert (result.log_evidence, result.log_evidence_se, result.log_evidence_interval) == (None, None, None)
    assert any(f"the run of the potentials alone, whose constant divides it, {words}" in text for text in result.warnings)
    assert words in repr(result)
    with pytest.raises(bayes.BayesInputError):
        result.save(folder / "a.run")


def test_ctrl_c_in_the_first_run_leaves_no_evidence_that_is_not_divided(monkeypatch, tmp_path):
    with_potentials(monkeypatch, of_all=lambda run, *of: (*run(*of)[:2], True))
    with pytest.raises(bayes.BayesInterrupt) as raised:
        bayes.sample(gaussian, **CALL, **TINY)
    without_evidence(raised.value.result, "was not begun", tmp_path)


CHAINS = {"chains": 2, "draws": 50, "burn_in": 50}
FAULTS = [(failed, "failed: no island"), (lambda run, name, *of: run("nuts", *of[:-1], CHAINS), "has no evidence")]


@pytest.mark.parametrize(("of_potentials", "words"), FAULTS, ids=["failed", "chains"])
def test_without_the_constant_of_potentials_there_is_no_evidence(monkeypatch, tmp_path, of_potentials, words):
    with_potentials(monkeypatch, of_potentials)
    with pytest.warns(bayes.BayesWarning, match=words):
        result = bayes.sample(gaussian, **CALL, **TINY)
    without_evidence(result, words, tmp_path)
    with pytest.warns(bayes.BayesWarning, match=words):
        both = bayes.evidence(gaussian, **CALL, tempered=TINY, nested=TINY)
    assert both.log_evidence is both.log_evidence_se is both.log_evidence_interval is None
    assert "this is no evidence" in repr(both)


def test_ctrl_c_in_the_nested_run_keeps_the_tempered_islands(monkeypatch):
    made = _sampling._made

    def replaced(*arguments):
        found = made(*arguments)
        stop = Replaced(found.density, lambda run, name, *of: stopped(run) if name == "nested" else run(name, *of))
        return dataclasses.replace(found, density=stop)

    monkeypatch.setattr(_sampling, "_made", replaced)
    with pytest.raises(bayes.BayesInterrupt) as raised:
        bayes.evidence(gaussian, **CALL, tempered=TINY)
    result = raised.value.result
    assert result.engine == "psmc" and result.log_evidence is not None
    assert any("the nested islands were stopped" in text for text in result.warnings)


def test_engines_that_begin_with_prior_draws_are_those_that_refuse_a_density_without_a_prior():
    density = _functions.density(lambda x: (-0.5 * x @ x, -x), 2, None, None)
    with pytest.raises(bayes.BayesInputError, match="must be one of") as raised:
        density.run("no engine", 1, False, {})
    engines = str(raised.value).partition("must be one of ")[2].split(", ")
    refusing = set()
    for engine in engines:
        try:
            of_chains = engine not in {*_words.FROM_PRIOR, "mean_field", "full_rank", "pathfinder"}
            density.run(engine, 1, False, CHAINS if of_chains else {})
        except bayes.BayesError as error:
            assert "has no prior, but" in str(error)
            refusing.add(engine)
    assert "nuts" in engines and refusing == set(_words.FROM_PRIOR)


LONG = """
import bayes, time
calls = 0
def slow(x):
    global calls
    calls += 1
    if calls == 20_000:
        # some islands are finished, on a busy machine too
        print("busy", flush=True)
    time.sleep(0.0002)
    return -0.5 * x @ x, -x
try:
    bayes.sample(slow, dim=2, prior=bayes.Prior.normal(0, 1), %s)
except bayes.BayesInterrupt as stopped:
    print("kept", len(stopped.result.draws("x")) > 0, any("was stopped" in text for text in stopped.result.warnings), flush=True)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(
    ("settings", "line"), [("islands=4000, particles=8", "kept True True"), ("engine='nuts', draws=10**6", "stopped")]
)
def test_ctrl_c_keeps_what_was_done(settings, line):
    program = [sys.executable, "-W", "ignore", "-c", LONG % settings]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "busy\n"
        assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (output.strip(), process.returncode) == (line, 0), errors


def test_the_number_of_threads_does_not_matter():
    program = (
        "import bayes; f = lambda x: (-0.5 * x @ x, -x);"
        "r = bayes.sample(f, dim=2, prior=bayes.Prior.normal(1, 2), seed=3, islands=3, particles=64); print(repr(r.log_evidence))"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "RAYON_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        for threads in ("1", "2")
    ]
    assert found[0].stdout == found[1].stdout and float(found[0].stdout) < 0


MISTAKES = [
    ({"model": 3}, TypeError, "`model` is a int; it must be a pymc.Model, a bayes.Model, a bayes.StanProgram, or a function"),
    ({"model": lambda x: True}, TypeError, "`log_likelihood` returned the value True, of the type bool"),
    ({"engine": None}, TypeError, '`engine` is a NoneType; it must be a text such as "psmc"'),
    ({"dim": None}, bayes.BayesInputError, "`dim`, the number of coordinates, is missing"),
    ({"dim": 0}, bayes.BayesInputError, "`dim` is 0; it must be a whole number from 1 on"),
    ({"prior": "normal(0, 1)"}, TypeError, "`prior` is a str; it must be a bayes.Prior"),
    ({"prior": None}, bayes.BayesInputError, "`psmc` begins with draws from the prior; a function has no prior of its own"),
    (
        {"prior": bayes.Prior.normal([0, 1], 1)},
        bayes.BayesInputError,
        r"`mean` of the prior has the shape (2,); it must be a number or have the shape (3,)",
    ),
    ({"prior": bayes.Prior.normal(0, -1)}, bayes.BayesInputError, "`sd` of the prior is -1.0; it must be finite and above 0"),
    (
        {"prior": bayes.Prior(gaussian, lambda rng: rng.normal(size=2))},
        TypeError,
        "`draw` of the prior returned an array of the shape (2,)",
    ),
    (
        {"prior": bayes.Prior(3, lambda rng: rng.normal(size=3))},
        TypeError,
        "`log_density of the prior` is a int; it must be a function",
    ),
    ({"model": lambda x: (0.0, x[:2])}, TypeError, "`log_likelihood` returned a gradient of the shape (2,); it must be (3,)"),
    ({"model": lambda x: (x, x)}, TypeError, "`log_likelihood` returned an array of the shape (3,) as the value"),
    ({"model": lambda x: None}, TypeError, "`log_likelihood` returned the value None, of the type NoneType"),
    ({"model": lambda x: ("a", x)}, TypeError, "`log_likelihood` returned the value 'a', of the type str"),
    ({"model": lambda x: (np.float32(0), x)}, TypeError, "`log_likelihood` returned the value in float32; it must be float64"),
    ({"model": lambda x, y: 0.0}, TypeError, "missing 1 required positional argument: 'y'"),
    (
        {"model": ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(abs)},
        TypeError,
        "`log_likelihood` is a C function of c_double that returns c_double",
    ),
    ({"names": {"a": 2}}, bayes.BayesInputError, "`names` has 2 numbers"),
    ({"names": ["a"]}, TypeError, "`names` is a list; it must be a dict of shapes"),
    ({"names": {"a": -3}}, bayes.BayesInputError, "`a` has the shape -3"),
    ({"backend": "numba"}, bayes.BayesInputError, "`backend` is 'numba'; of a function it must be auto, jax or interpreter"),
    ({"checkpoint": "folder"}, bayes.BayesInputError, "`checkpoint` is of formulas"),
    ({"engine": "gibbs"}, bayes.BayesInputError, "gibbs"),
    ({"island": 3}, bayes.BayesInputError, "there is no setting `island`; did you mean `islands`?"),
    ({"seed": 1.5}, bayes.BayesInputError, "`seed` is 1.5; it must be a whole number from 0 on"),
]


@pytest.mark.parametrize(("changes", "kind", "words"), MISTAKES, ids=[words[:50] for *_, words in MISTAKES])
def test_a_mistake_is_named(changes, kind, words):
    call = {"model": gaussian, "dim": 3, "prior": PRIOR, **changes}
    with pytest.raises(kind) as raised:
        bayes.sample(call.pop("model"), **call)
    assert words in str(raised.value)


def test_an_operation_of_python_among_compiled_functions_is_refused(monkeypatch):
    """Threads would call it without a frame of the interpreter, where it cannot raise."""
    numba = pytest.importorskip("numba")

    def cfunc(signature):
        return lambda function: warnings.warn("Numba will use object mode to run an operation", stacklevel=2)

    monkeypatch.setattr(numba, "cfunc", cfunc)
    graph = types.SimpleNamespace(vm=types.SimpleNamespace(jit_fn=numba.njit(lambda x: x)))
    with pytest.raises(UserWarning, match="object mode"):
        _numba.joint(graph, graph, [None])


def test_mistakes_of_c_functions_and_of_the_settings_of_evidence():
    numba = pytest.importorskip("numba")

    @numba.cfunc("float64(float64)")
    def other(x):
        return x

    with pytest.raises(TypeError, match=r"`log_likelihood` is a C function `.*float64.*`; it must be `float64\(int64"):
        bayes.sample(other, dim=1, prior=PRIOR)
    with pytest.raises(TypeError, match="An address alone does not say what it is"):
        bayes.sample(bayes.Prior.normal, dim=1, prior=bayes.Prior(other.address, lambda rng: rng.normal(size=1)))
    with pytest.raises(TypeError, match="`tempered` is a int; it must be a dict of settings"):
        bayes.evidence(gaussian, dim=3, prior=PRIOR, tempered=3)
    with pytest.raises(TypeError, match="`draw` is a int"):
        bayes.Prior(gaussian, 3)
