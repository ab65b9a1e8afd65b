"""Models in Rust, in the module `schools` that `bayes::python!` makes of `template`: what they take, and that their answers are right."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import signal
import subprocess
import sys
import time
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import arviz
import numpy as np
import pandas
import polars
import pyarrow
import pytest

import bayes

schools = pytest.importorskip("schools")

Y, SIGMA = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0], [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0]
FEW = {"engine": "nuts", "chains": 2, "draws": 200, "seed": 1}
SEEDS = {
    "successes": [10, 23, 23, 26, 17, 5],
    "trials": [39, 62, 81, 51, 39, 6],
    "x": np.array([[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 1]], dtype=float),
    "site": [0, 1, 2, 3, 4, 5],
    "sites": list("abcdef"),
    "wide": 1.0,
}


@pytest.fixture(scope="module")
def model():
    return schools.eight_schools(y=Y, sigma=SIGMA)


@pytest.fixture(scope="module")
def islands(model):
    return model.run(seed=1)


def exact_log_evidence():
    """Eight schools by quadrature: normal densities of y given tau, with mu integrated out, over tau on a grid of its quantiles."""
    tau = 5 * np.tan(np.pi / 2 * (np.arange(200_000) + 0.5) / 200_000)
    y, variances = np.array(Y), tau[:, None] ** 2 + np.array(SIGMA) ** 2
    precision, weighted = (1 / variances).sum(1) + 1 / 25, (y / variances).sum(1)
    logs = (
        -0.5 * (np.log(2 * np.pi * variances) + y**2 / variances).sum(1)
        - 0.5 * np.log(25 * precision)
        + 0.5 * weighted**2 / precision
    )
    return np.log(np.mean(np.exp(logs - logs.max()))) + logs.max()


def test_the_evidence_is_that_of_quadrature(islands):
    assert islands.warnings == []
    assert abs(islands.log_evidence - exact_log_evidence()) < 4 * islands.log_evidence_se
    assert islands.log_evidence_se < 0.05


def test_the_functions_of_a_run_are_those_of_other_results(model, islands, tmp_path):
    assert islands.title == "eight_schools" and islands.engine == "psmc"
    assert islands.draws("z").shape[2:] == (8,) and islands.draws("mu").ndim == 2
    assert islands.summary("mu", "tau").names == ["mu", "tau"]
    assert repr(islands).startswith("eight_schools: psmc with hmc moves, 8 islands")
    loo = islands.loo()
    assert loo.pointwise.shape == (8,) and loo.elpd == pytest.approx(loo.pointwise.sum(), rel=1e-12)
    islands.report(tmp_path / "schools.html")
    page = (tmp_path / "schools.html").read_text(encoding="utf-8")
    assert "<svg" in page and "Inference::" not in page and "elpd.refit" not in page
    islands.save(tmp_path / "schools.run")
    assert model.load(tmp_path / "schools.run").log_evidence == islands.log_evidence
    assert bayes.compare({"a": islands, "b": islands.loo()})["difference"].tolist() == [0.0, 0.0]


def test_the_log_likelihoods_and_data_for_arviz_are_the_densities_of_the_model(islands):
    data = islands.to_arviz()
    assert data.posterior.attrs["log_evidence"] == islands.log_evidence
    assert data.observed_data["y"].values.tolist() == Y
    mu, tau, z = (data.posterior[name].values for name in ("mu", "tau", "z"))
    theta = mu[:, :, None] + tau[:, :, None] * z
    wanted = -0.5 * ((np.array(Y) - theta) / SIGMA) ** 2 - np.log(SIGMA) - 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(data.log_likelihood["y"].values, wanted, rtol=1e-12)
    assert np.isfinite(arviz.loo(data).elpd_loo)


def test_predictions_are_of_the_data_given_and_have_their_noise(model, islands):
    found = islands.predict()
    assert found.names == [f"y[{school}]" for school in range(8)] and found["observed"].tolist() == Y
    draws = found.draws("y")
    assert draws.shape == (*islands.draws("mu").shape, 8)
    spread = draws.reshape(-1, 8).std(axis=0)
    assert (spread > 0.95 * np.array(SIGMA)).all()
    shuffled = schools.eight_schools(y=Y[::-1], sigma=SIGMA[::-1])
    np.testing.assert_array_equal(islands.predict(shuffled)["observed"], Y[::-1])
    with pytest.raises(bayes.BayesInputError, match="there is no prediction `theta`; there are y"):
        found.draws("theta")
    with pytest.raises(TypeError, match="`model` is a dict; it must be the model with new data"):
        islands.predict({"y": Y})


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
def test_sites_have_their_names_and_new_ones_are_drawn_on_request():
    run = schools.seeds(**SEEDS).run(**FEW)
    assert run.elements("effects") == [f"effects[{site}]" for site in "abcdef"]
    assert run.to_arviz().posterior["effects"].dims == ("chain", "draw", "site")
    new = {**SEEDS, "successes": [0, 0], "trials": [1000, 1000], "x": np.zeros((2, 2)), "site": [0, 1], "sites": ["c", "z"]}
    with pytest.raises(bayes.BayesInputError, match="`z`.*`new_groups=True`"):
        run.predict(schools.seeds(**new))
    drawn = run.predict(schools.seeds(**new), new_groups=True).draws("successes")
    rate = 1 / (1 + np.exp(-run.draws("intercept") - run.draws("effects[c]")))
    # binomial noise of 1000 trials about each draw's rate
    off = (drawn[:, :, 0] - 1000 * rate) / np.sqrt(1000 * rate * (1 - rate))
    assert abs(off.mean()) < 5 / np.sqrt(off.size) and 0.8 < off.std() < 1.2
    assert drawn[:, :, 1].std() > drawn[:, :, 0].std()


def test_gradients_are_those_of_differences(model):
    rng = np.random.default_rng(3)
    positions = rng.normal(size=(5, 10))
    prior, likelihood, gradient = model.log_density(positions)
    assert prior.shape == likelihood.shape == (5,) and gradient.shape == (5, 10)
    step = 1e-5
    for k in range(10):
        ahead, behind = positions.copy(), positions.copy()
        ahead[:, k] += step
        behind[:, k] -= step
        high, low = model.log_density(ahead), model.log_density(behind)
        slope = (high[0] + high[1] - low[0] - low[1]) / (2 * step)
        np.testing.assert_allclose(gradient[:, k], slope, rtol=1e-6, atol=1e-6)
    one = model.log_density(positions[2])
    assert (one[0], one[1], one[2].tolist()) == (prior[2], likelihood[2], gradient[2].tolist())
    with pytest.raises(bayes.BayesInputError, match=r"`positions` has 9 coordinates, and the model has 10"):
        model.log_density(np.zeros(9))


def test_positions_of_another_length_are_refused_even_if_the_answer_has_the_same():
    # 8 schools have 10 coordinates: 2 positions of them have 24 numbers in the answer, as one of 22 would
    model = schools.eight_schools(y=Y, sigma=SIGMA)
    with pytest.raises(bayes.BayesInputError, match="`positions` has 22 coordinates, and the model has 10"):
        model.log_density(np.zeros(22))
    prior, likelihood, gradient = model.log_density(np.zeros((0, 10)))
    assert (prior.shape, likelihood.shape, gradient.shape) == ((0,), (0,), (0, 10))
    with pytest.raises(bayes.BayesInputError, match="`positions` has 9 coordinates"):
        model.log_density(np.zeros((0, 9)))


def test_two_engines_agree_on_the_evidence(model):
    found = bayes.evidence(model, seed=2)
    assert found.agree
    assert abs(found.log_evidence - exact_log_evidence()) < 4 * found.log_evidence_se
    with pytest.raises(bayes.BayesInputError, match="`dim` is not of models in Rust"):
        bayes.evidence(model, dim=10)


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
def test_sample_is_run(model):
    assert bayes.sample(model, **FEW).draws("tau").tolist() == model.run(**FEW).draws("tau").tolist()


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
def test_data_of_every_kind_are_the_same_data():
    wanted = schools.eight_schools(y=Y, sigma=SIGMA).run(**FEW).draws("mu").tolist()
    frame = pandas.DataFrame({"sigma": SIGMA, "y": Y, "name": list("abcdefgh")})
    read_only = np.array(Y)
    read_only.flags.writeable = False
    kinds = [
        schools.eight_schools(frame),
        schools.eight_schools(polars.from_pandas(frame)),
        schools.eight_schools(pyarrow.Table.from_pandas(frame)),
        schools.eight_schools({"y": Y, "sigma": [1.0] * 8}, sigma=SIGMA),
        schools.eight_schools(y=read_only, sigma=np.repeat(SIGMA, 3)[::3]),
        schools.eight_schools(y=np.array(Y, dtype=">f8"), sigma=np.array(SIGMA, dtype="f4")),
        schools.eight_schools(y=np.array(Y, dtype=int), sigma=frame["sigma"].astype("Int64")),
        schools.eight_schools(y=tuple(Y), sigma=polars.Series(SIGMA)),
    ]
    for kind in kinds:
        assert kind.run(**FEW).draws("mu").tolist() == wanted


def test_data_are_copied_and_matrices_are_row_by_row():
    y = np.array(Y)
    model = schools.eight_schools(y=y, sigma=SIGMA)
    position = np.zeros(10)
    before = model.log_density(position)[1]
    y[:] = 100.0
    assert model.log_density(position)[1] == before
    x = SEEDS["x"]
    found = [
        schools.seeds(**{**SEEDS, "x": kind}).log_density(np.linspace(-1, 1, 10))[1]
        for kind in (x, np.asfortranarray(x), x.tolist(), pandas.DataFrame(x), polars.DataFrame(x))
    ]
    assert len(set(found)) == 1
    assert schools.seeds(**{**SEEDS, "x": x[:, ::-1]}).log_density(np.linspace(-1, 1, 10))[1] != found[0]


def test_the_function_says_what_it_takes():
    assert list(inspect.signature(schools.eight_schools).parameters) == ["frame", "y", "sigma"]
    assert "x: numbers, [rows, columns]" in schools.seeds.__doc__
    assert "sites: texts, [n]" in schools.seeds.__doc__ and "wide: a number\n" in schools.seeds.__doc__
    assert schools.eight_schools.source.startswith("fn eight_schools(y: &[f64]")
    assert repr(schools.eight_schools) == "<model schools.eight_schools(y, sigma)>"
    assert schools.__all__ == ["eight_schools", "seeds"]


def test_a_check_says_what_the_model_has(model):
    text = model.check()
    assert text.startswith("eight_schools: 10 coordinates, 200 prior draws") and text.endswith("no problems found")
    with pytest.raises(bayes.BayesInputError, match="sigma"):
        schools.eight_schools(y=Y, sigma=[-1.0] * 8).check()


WRONG = [
    ({"y": Y}, TypeError, "`eight_schools` needs `sigma`: numbers, [n]"),
    ({"y": Y, "sgima": SIGMA}, TypeError, "`eight_schools` has no argument `sgima`; it takes `y`, `sigma`"),
    ({"y": "abc", "sigma": SIGMA}, TypeError, "`y` is a str; it must be numbers, [n]"),
    ({"y": [1.0, "2"], "sigma": SIGMA}, TypeError, "`y[1]` is '2', of the type str; `y` must be numbers, [n]"),
    ({"y": [1.0, None], "sigma": SIGMA}, ValueError, "`y[1]` has no value"),
    ({"y": np.array([1.0, np.nan, np.nan]), "sigma": SIGMA}, ValueError, "`y[1]` and 1 more has no value"),
    ({"y": np.ma.masked_array([1.0, 2.0], [0, 1]), "sigma": SIGMA}, ValueError, "`y[1]` has no value"),
    ({"y": np.ones((2, 2)), "sigma": SIGMA}, TypeError, "`y` has the shape (2, 2); it must be numbers, [n]"),
    ({"y": [[1.0], [2.0]], "sigma": SIGMA}, TypeError, "`y` holds a list in place 0"),
    ({"y": [True, False], "sigma": SIGMA}, TypeError, "`y[0]` is True, of the type bool"),
    ({"y": [2**53 + 1], "sigma": [1.0]}, ValueError, "`y[0]` is 9007199254740993, which no number of 64 bits"),
    ({"y": np.array([2**53 + 1]), "sigma": [1.0]}, ValueError, "`y[0]` is 9007199254740993, which no number of 64 bits"),
    ({"y": np.array([1j]), "sigma": [1.0]}, TypeError, "`y` has the dtype complex128"),
    ({"y": {1.0, 2.0}, "sigma": [1.0]}, TypeError, "`y` is a set"),
    ({"y": pandas.Series(["a"], dtype="category"), "sigma": [1.0]}, TypeError, "labels are no numbers"),
    ({"y": pandas.date_range("2024", periods=2).to_numpy(), "sigma": [1.0]}, TypeError, "make numbers of dates"),
]
WRONG_SEEDS = [
    ({"successes": [1.5] * 6}, ValueError, "`successes[0]` is 1.5; `successes` must be whole numbers from 0, [n]"),
    ({"successes": [1, 2, 3, 4, 5, -1]}, ValueError, "`successes[5]` is -1"),
    ({"successes": np.array([1, np.nan] * 3)}, ValueError, "`successes[1]` and 2 more has no value"),
    ({"x": np.ones(6)}, TypeError, "`x` has the shape (6,); it must be numbers, [rows, columns]"),
    (
        {"x": [[1.0, 2.0], [3.0]]},
        TypeError,
        "`x` is no array: row 0 has 2 elements, and row 1 has 1; it must be numbers, [rows, columns]",
    ),
    ({"x": [1.0, 2.0]}, TypeError, "`x[0]` is a float; it must be numbers, [n]"),
    ({"x": [[0.0, 1.0], [2**53 + 1, 0.5]]}, ValueError, "`x[1, 0]` is 9007199254740993, which no number of 64 bits"),
    ({"x": [[0.0, 1.0], [True, 1.5]]}, TypeError, "`x[1, 0]` is True, of the type bool"),
    ({"x": [[0.0, 1.0], ["2", 1.5]]}, TypeError, "`x[1, 0]` is '2', of the type str"),
    ({"x": [[0.0, 1.0], [None, 1.5]]}, ValueError, "`x[1, 0]` has no value"),
    ({"x": [np.zeros(2), np.array([True, False])]}, TypeError, "`x[1, 0]` is True, of the type bool"),
    (
        {"x": pandas.DataFrame({"a": [0.5, 1.0], "b": [1, 2**53 + 1]})},
        ValueError,
        "`x[1, 1]` is 9007199254740993, which no number",
    ),
    (
        {"x": polars.DataFrame({"a": [0.5, 1.0], "b": [1, 2**53 + 1]})},
        ValueError,
        "`x[1, 1]` is 9007199254740993, which no number",
    ),
    (
        {"x": pyarrow.table({"a": [0.5, 1.0], "b": [1, 2**53 + 1]})},
        ValueError,
        "`x[1, 1]` is 9007199254740993, which no number",
    ),
    ({"x": pandas.DataFrame({"a": [0.5, 1.0], "b": [True, False]})}, TypeError, "`x[0, 1]` is True, of the type bool"),
    ({"x": polars.DataFrame({"a": [0.5, None], "b": [1, 2]})}, ValueError, "`x[1, 0]` has no value"),
    (
        {"x": pandas.DataFrame({"a": [0.5], "b": pandas.Categorical([1])})},
        TypeError,
        "`x[:, 1]` has the dtype category: labels are no numbers",
    ),
    ({"x": pandas.DataFrame({"a": [0.5], "b": pandas.to_timedelta([1])})}, TypeError, "make numbers of dates"),
    ({"x": pandas.DataFrame({"a": [1.0], "b": ["c"]})}, TypeError, "`x[0, 1]` is 'c', of the type str"),
    ({"sites": 6}, TypeError, "`sites` is a int; it must be texts, [n]"),
    ({"sites": ["a", 1, "c", "d", "e", "f"]}, TypeError, "`sites[1]` is 1, of the type int; `sites` must be texts, [n]"),
    ({"sites": ["a", None, "c", "d", "e", "f"]}, ValueError, "`sites[1]` has no value"),
    ({"wide": [1.0]}, TypeError, "`wide` has the shape (1,); it must be a number"),
    ({"wide": "wide"}, TypeError, "`wide` is 'wide', of the type str"),
    ({"wide": True}, TypeError, "`wide` is True, of the type bool"),
]


@pytest.mark.parametrize(("data", "kind", "words"), WRONG, ids=[f"{k} {words[:40]}" for k, (_, _, words) in enumerate(WRONG)])
def test_wrong_data_are_refused_by_the_name_of_the_argument(data, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        schools.eight_schools(**data)


@pytest.mark.parametrize(("changes", "kind", "words"), WRONG_SEEDS, ids=[words[:40] for _, _, words in WRONG_SEEDS])
def test_wrong_counts_and_matrices_are_refused_too(changes, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        schools.seeds(**{**SEEDS, **changes})


def test_frames_of_several_types_of_numbers_are_matrices():
    wanted = schools.seeds(**SEEDS).log_density(np.linspace(-1, 1, 10))[1]
    frame = pandas.DataFrame({"a": SEEDS["x"][:, 0].astype(int), "b": SEEDS["x"][:, 1].astype("f4")})
    whole = [[int(a), float(b)] for a, b in SEEDS["x"]]
    for x in (
        frame,
        frame.astype({"a": "Int64"}),
        polars.from_pandas(frame),
        pyarrow.Table.from_pandas(frame),
        whole,
        list(SEEDS["x"]),
    ):
        assert schools.seeds(**{**SEEDS, "x": x}).log_density(np.linspace(-1, 1, 10))[1] == wanted


def test_truth_values_are_true_false_0_and_1():
    beside = pytest.importorskip("beside_pymc")

    def likelihood(is_back, is_shifted=(False, True)):
        return beside.shifted(y=[0.0, 2.0], is_shifted=is_shifted, is_back=is_back).log_density(np.zeros(1))[1]

    # normal densities of 0 around 0, and of 2 around -1 or 1
    for yes, no in [(True, False), (np.True_, np.False_), (1, 0), (np.array(True), np.array(False))]:
        assert likelihood(yes, [no, yes]) == pytest.approx(-np.log(2 * np.pi) - 9 / 2)
        assert likelihood(no, [no, yes]) == pytest.approx(-np.log(2 * np.pi) - 1 / 2)
    assert likelihood(True, np.array([False, True])) == likelihood(True, [0.0, 1.0])
    with pytest.raises(TypeError, match="`is_back` is 'yes', of the type str; `is_back` must be a truth value, or 0 or 1"):
        likelihood("yes")
    with pytest.raises(ValueError, match="`is_back` is 2; `is_back` must be a truth value, or 0 or 1"):
        likelihood(2)


REFUSED = [
    (
        "panics",
        ImportError,
        "function 1 of `bayes::python!` panicked without data, .* but the index is 0; name the function with `#.model.` itself",
    ),
    (
        "wraps",
        TypeError,
        "a function that returns the model `eight_schools` is not this model: name the function with `#.model.` itself",
    ),
]


def _pymodule_file(module):
    """The file of a module that maturin built: its own, or one in its package."""
    file = Path(module.__file__)
    return str(next(file.parent.glob("*.so")) if file.suffix == ".py" else file)


@pytest.mark.parametrize(("name", "kind", "words"), REFUSED, ids=[name for name, _, _ in REFUSED])
def test_functions_that_are_no_models_are_refused_at_the_import(name, kind, words):
    beside = pytest.importorskip("beside_pymc")
    # the file of `beside_pymc` has these modules too
    loader = ExtensionFileLoader(name, _pymodule_file(beside))
    with pytest.raises(kind, match=words):
        loader.exec_module(module_from_spec(spec_from_loader(name, loader)))


def test_data_that_do_not_fit_the_model_are_refused_before_a_run():
    with pytest.raises(bayes.BayesInputError, match="sigma"):
        schools.eight_schools(y=Y, sigma=SIGMA[:3]).run(**FEW)
    with pytest.raises(bayes.BayesInputError, match="site"):
        schools.seeds(**{**SEEDS, "site": [0, 1, 2, 3, 4, 6]}).run(**FEW)
    with pytest.raises(bayes.BayesInputError, match="there is no setting `chain`; did you mean `chains`"):
        schools.eight_schools(y=Y, sigma=SIGMA).run(chain=2)
    frame = pandas.DataFrame([[1.0, 2.0, 3.0]], columns=["y", "y", "sigma"])
    with pytest.raises(ValueError, match="2 columns of the frame are called `y`"):
        schools.eight_schools(frame)
    with pytest.raises(TypeError, match=r"needs `sigma`: numbers, \[n\]; the frame has the columns y"):
        schools.eight_schools({"y": Y})


def test_runs_models_and_functions_are_pickled(model, islands):
    assert pickle.loads(pickle.dumps(schools.seeds)) is schools.seeds
    again = pickle.loads(pickle.dumps(model))
    assert again.log_density(np.zeros(10))[2].tolist() == model.log_density(np.zeros(10))[2].tolist()
    run = pickle.loads(pickle.dumps(islands))
    assert run.log_evidence == islands.log_evidence and run.loo().elpd == islands.loo().elpd
    assert copy.deepcopy(islands) is islands


LONG = """
import bayes, schools
print("begins", flush=True)
try:
    schools.eight_schools(y=[28.0, 8.0], sigma=[15.0, 10.0]).run(islands=100_000, particles=512, memory_limit="1000T")
except bayes.BayesInterrupt as stopped:
    print("stopped", len(stopped.result.draws("mu").ravel()) > 0, stopped.result.loo().pointwise.shape, flush=True)
"""


def test_ctrl_c_keeps_what_was_done():
    program = [sys.executable, "-W", "ignore", "-c", LONG]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begins\n"
        time.sleep(3)
        assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        line, errors = process.communicate(timeout=120)
    assert (line, process.returncode) == ("stopped True (2,)\n", 0), errors
