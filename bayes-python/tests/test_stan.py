"""Stan programs by the C interface of BridgeStan 2, of two programs that are written in C (`tests/stan/program.c`): no Stan is needed."""

from __future__ import annotations

import json
import math
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas
import pytest
from conftest import ROOT

import bayes
from bayes import _prior_check, _stan
from bayes._arrays import array
from bayes._native import Density, Function

SOURCE = ROOT / "bayes-python" / "tests" / "stan" / "program.c"
Y = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0]
SIGMA = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0]
DATA = {"J": 8, "y": Y, "sigma": SIGMA}
#: By quadrature (benches/sample_smc.py); half of the Cauchy distribution of `tau` is not within its constraint.
SCHOOLS = -31.3113 - np.log(2)
SMALL = {"islands": 4, "particles": 128}


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compiles a program, as BridgeStan does with Stan."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("stan")

    def compile(name, *flags):
        path = folder / f"{name}{''.join(flags)}.so"
        if not path.exists():
            command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", f"-D{name}", *flags]
            subprocess.run([*command, "-o", path, SOURCE, "-lm"], check=True)
        return path

    return compile


@pytest.fixture(scope="session")
def schools(compiled):
    return bayes.stan(compiled("SCHOOLS", "-DTHREADS"), DATA)


@pytest.fixture(scope="session")
def shapes(compiled):
    return bayes.stan(compiled("SHAPES", "-DTHREADS"))


def log_density(x):
    """That of eight schools, by NumPy, with the Jacobian of `tau`."""
    mu, tau, z = x[0], np.exp(x[1]), x[2:]

    def normal(x, m, s):
        return np.sum(-0.5 * ((x - m) / s) ** 2 - np.log(s) - 0.5 * np.log(2 * np.pi) + 0 * x)

    prior = normal(mu, 0, 5) - np.log(np.pi * 5 * (1 + (tau / 5) ** 2)) + x[1] + normal(z, 0, 1)
    return prior + normal(np.array(Y), mu + tau * z, np.array(SIGMA))


def test_the_log_density_has_all_constants_the_jacobian_and_the_gradient(schools):
    positions = np.random.default_rng(1).normal(size=(5, 10))
    values, gradients = schools.log_density(positions)
    assert values == pytest.approx([log_density(x) for x in positions], rel=1e-12)
    steps = 1e-6 * np.eye(10)
    wanted = [[(log_density(x + step) - log_density(x - step)) / 2e-6 for step in steps] for x in positions]
    assert gradients == pytest.approx(np.array(wanted), abs=1e-6)
    value, gradient = schools.log_density(positions[0])
    assert value == values[0] and gradient.tolist() == gradients[0].tolist()


def test_the_evidence_is_the_integral_of_the_program(schools):
    evidence = bayes.evidence(schools, seed=1, tempered=SMALL, nested={"particles": 256})
    assert evidence.agree and abs(evidence.log_evidence - SCHOOLS) < 3 * evidence.log_evidence_se
    assert evidence.log_evidence_se < 0.1


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
def test_quantities_are_those_of_the_program(schools):
    # a few draws, of which one diverges
    result = bayes.sample(schools, engine="nuts", chains=2, draws=300, burn_in=300, seed=1)
    assert result.names == ["mu", "tau", "z", "theta"] and result.title == "schools_model"
    draws = {name: result.draws(name) for name in result.names}
    assert draws["z"].shape == (2, 300, 8) and (draws["tau"] > 0).all()
    assert draws["theta"] == pytest.approx(draws["mu"][..., None] + draws["tau"][..., None] * draws["z"], rel=1e-12)
    # counted from 1, as in Stan
    assert result.summary("z").names[0] == "z[1]"
    assert result.log_evidence is None
    assert repr(schools).startswith("Stan program `schools_model` with 10 coordinates: mu, tau, z[8], theta[8]")


def test_arviz_gets_dimensions(schools):
    pytest.importorskip("arviz")
    data = bayes.sample(schools, seed=1, islands=2, particles=64).to_arviz()["posterior"]
    assert data["theta"].dims == ("chain", "draw", "theta_dim_0") and data["theta_dim_0"].values.tolist() == list(range(1, 9))
    assert abs(data.attrs["log_evidence"] - SCHOOLS) < 0.5


def test_elements_in_the_order_of_stan_are_arrays(shapes):
    result = bayes.sample(shapes, seed=1, **SMALL)
    # normal distributions that integrate to 1, but for a > 6, which is refused
    assert abs(result.log_evidence) < 3 * result.log_evidence_se < 0.3
    assert result.draws("B").shape[2:] == (2, 3) and result.draws("c").shape[2:] == (2, 1, 2)
    means = {name: result.draws(name).mean(axis=(0, 1)) for name in result.names}
    spread = 11 / np.sqrt(100)
    assert means["B"] == pytest.approx(np.array([[1, 3, 5], [2, 4, 6]]), abs=spread)
    assert means["c"] == pytest.approx(np.array([[[7, 9]], [[8, 10]]]), abs=spread)
    element = result.draws("c[2,1,1]")
    assert element.tolist() == result.draws("c")[..., 1, 0, 0].tolist()


def test_a_refused_position_has_the_density_0_and_its_words_are_kept(compiled):
    program = bayes.stan(compiled("SHAPES", "-DTHREADS"))
    inside, outside = np.zeros(11), np.eye(11)[0] * 7
    values, gradients = program.log_density([inside, outside])
    assert np.isfinite(values[0]) and values[1] == -np.inf and (gradients[1] == 0).all()
    assert program.refusals == (2, 1, "a is too large")
    made = program._made()
    program.log_density([outside] * 9)
    words = "the program refused 9 of 9 positions, which then have the density 0; the first time it said: a is too large"
    assert made.after() == [words] and program._made().after() == []


def test_a_program_that_refuses_every_position_says_why(compiled):
    program = bayes.stan(compiled("SHAPES", "-DREFUSES", "-DTHREADS"))
    for engine in ("psmc", "nuts"):
        with pytest.raises(bayes.BayesError, match="the program refused .* positions, .*: a is too large"):
            bayes.sample(program, engine=engine)


def test_the_reference_has_its_density_and_its_draws():
    lower, location = np.array([[2.0, 0.0], [1.5, 0.5]]), np.array([1.0, -2.0])
    log_normaliser = math.lgamma(3.5) - math.lgamma(2.5) - math.log(5 * math.pi)
    student = Function.student(5.0, location.tolist(), lower.ravel().tolist(), log_normaliser)
    density = Density(2, "t", [("x", [2], [], False)])
    density.split(student, Function.rest(student, Function.normal([0.0, 1.0], [1.0, 2.0])), True)
    density.drawn_student(student)

    def log_t(x):
        square = np.sum(np.linalg.solve(lower, x - location) ** 2)
        return log_normaliser - np.log(2.0 * 0.5) - 3.5 * np.log1p(square / 5)

    def log_normal(x):
        return np.sum(-0.5 * ((x - [0, 1]) / [1, 2]) ** 2 - np.log([1, 2]) - 0.5 * np.log(2 * np.pi))

    x, steps = np.array([0.3, 0.7]), 1e-6 * np.eye(2)
    for weights in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)):

        def log_density(x, weights=weights):
            return weights[0] * log_t(x) + weights[1] * (log_t(x) - log_normal(x))

        found = array(density.evaluate(x.tobytes(), 1, weights))
        assert found[:2] == pytest.approx([log_t(x), log_t(x) - log_normal(x)], rel=1e-13)
        slopes = [(log_density(x + step) - log_density(x - step)) / 2e-6 for step in steps]
        assert found[2:] == pytest.approx(slopes, abs=1e-8)
    assert _prior_check.trouble(density, 2, ["a", "b"]) is None
    drawn = array(density.draw_prior(1, 40_000), -1, 2)
    # the covariance is 5/3 of the scale; draws have a kurtosis of 9, so that variances have errors of 1.4%
    assert np.cov(drawn, rowvar=False) == pytest.approx(5 / 3 * lower @ lower.T, rel=0.06)
    with pytest.raises(bayes.BayesInputError, match="must be positive definite"):
        Function.student(5.0, [0.0], [0.0], 0.0)


def test_the_number_of_threads_does_not_matter_and_a_library_without_threads_is_entered_by_one(compiled):
    """Two threads at once in a program without STAN_THREADS make its density NaN (program.c)."""
    program = (
        "import sys, warnings; warnings.simplefilter('ignore'); import bayes;"
        f"r = bayes.sample(bayes.stan(sys.argv[1], {DATA!r}), seed=3, islands=4, particles=64);"
        "print(repr(r.log_evidence), any('NaN' in text for text in r.warnings))"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", program, compiled("SCHOOLS", *flags)],
            env={**os.environ, "RAYON_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for flags, threads in (((), "1"), ((), "3"), (("-DTHREADS",), "3"))
    ]
    assert found[0] == found[1] == found[2] and found[0].endswith("False\n")


def test_a_library_without_threads_is_warned_of(compiled):
    program = bayes.stan(compiled("SCHOOLS"), DATA)
    with pytest.warns(bayes.BayesWarning, match="SCHOOLS.so` was compiled without STAN_THREADS, .* the result is the same"):
        bayes.sample(program, seed=3, islands=2, particles=64, progress=False)


def test_no_thread_asks_for_parameters_while_another_is_in_a_library_without_threads(compiled):
    """Seen to detect: parameters by ctypes, which releases the lock of the interpreter and knew no other lock."""
    program = bayes.stan(compiled("SCHOOLS"), DATA)
    positions = np.random.default_rng(1).normal(size=(20_000, 10))
    with ThreadPoolExecutor(2) as threads:
        calls = [
            (
                threads.submit(program.log_density, positions),
                threads.submit(program._output, positions.tobytes(), len(positions)),
            )
            for _ in range(5)
        ]
        for density, output in calls:
            assert np.isfinite(density.result()[0]).all() and np.isfinite(np.frombuffer(output.result())).all()


def test_no_thread_makes_or_frees_a_model_while_another_is_in_a_library_without_threads(compiled):
    """Seen to detect: both by ctypes, which releases the lock of the interpreter and knew no other lock."""
    library = compiled("SCHOOLS")
    program = bayes.stan(library, DATA)
    positions = np.random.default_rng(1).normal(size=(20_000, 10))

    def make_and_free() -> None:
        for _ in range(500):
            bayes.stan(library, DATA)

    with ThreadPoolExecutor(2) as threads:
        makes = threads.submit(make_and_free)
        densities = [program.log_density(positions)[0] for _ in range(5)]
        makes.result()
    assert np.isfinite(densities).all()


def test_a_library_that_was_compiled_again_is_loaded_again(tmp_path):
    """The system gives the library that it has by this path already."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    path, dims = tmp_path / "again.so", []
    for flags in (["-DSHAPES"], ["-DSCHOOLS"]):
        path.unlink(missing_ok=True)
        subprocess.run([compiler, "-shared", "-fPIC", *flags, "-o", path, SOURCE, "-lm"], check=True)
        dims.append(bayes.stan(path, DATA).dim)
    assert dims == [11, 10] and bayes.stan(path, DATA).dim == 10


def test_truth_values_tables_and_complex_numbers_are_numbers_of_stan():
    frame = pandas.DataFrame({"a": [1.5, 2.0], "b": [True, False]})
    data = {"t": True, "v": np.array([True, False]), "l": [[False], [True]], "f": frame, "z": 1 + 2j, "c": frame["b"]}
    found = json.loads(_stan._json(data))
    assert json.dumps(found) == json.dumps(
        {"t": 1, "v": [1, 0], "l": [[0], [1]], "f": [[1.5, 1], [2.0, 0]], "z": [1.0, 2.0], "c": [1, 0]}
    )
    assert json.loads(_stan._json({"z": np.array([1j, 2.0])})) == {"z": [[0.0, 1.0], [2.0, 0.0]]}


def test_data_come_as_arrays_columns_files_and_texts(compiled, schools, tmp_path):
    path = tmp_path / "schools.json"
    path.write_text(json.dumps(DATA))
    frame = pandas.DataFrame({"y": Y, "sigma": SIGMA})
    given = [{"J": np.int64(8), "y": np.array(Y), "sigma": frame["sigma"]}, path, str(path), json.dumps(DATA)]
    wanted = schools.log_density(np.ones(10))[0]
    for data in given:
        assert bayes.stan(compiled("SCHOOLS", "-DTHREADS"), data).log_density(np.ones(10))[0] == wanted
    assert pickle.loads(pickle.dumps(schools)).log_density(np.ones(10))[0] == wanted


def test_the_package_of_bridgestan_reads_the_same_of_these_programs(compiled, schools, shapes):
    """So that the programs have its interface."""
    bridgestan = pytest.importorskip("bridgestan")
    x = np.linspace(-1, 1, 10)
    theirs = bridgestan.StanModel(compiled("SCHOOLS", "-DTHREADS"), DATA, warn=False)
    value, gradient = theirs.log_density_gradient(x, propto=False, jacobian=True)
    ours = schools.log_density(x)
    assert value == ours[0] and gradient.tolist() == ours[1].tolist()
    assert theirs.param_unc_num() == schools.dim and theirs.name() == schools.name
    constrained = theirs.param_constrain(x, include_tp=True)
    assert len(constrained) == 18 and "STAN_THREADS=true" in theirs.model_info()
    output = np.frombuffer(schools._output(x.tobytes(), 1))
    assert output.tolist() == constrained.tolist()
    # a model of the package is taken by its library and its data
    assert bayes.stan(theirs.lib_path, theirs.data).log_density(x)[0] == value
    other = bridgestan.StanModel(compiled("SHAPES"), warn=False)
    assert other.param_names() == bridgestan_names(shapes)


def bridgestan_names(program):
    """The names of the elements in the order of Stan, the first index fastest."""
    names = []
    for name, shape in program._output.labels.shapes.items():
        places = [tuple(reversed(place)) for place in np.ndindex(*reversed(shape))]
        names += [".".join([name, *(str(k + 1) for k in place)]) for place in places]
    return names


def not_a_library(folder: Path) -> Path:
    path = folder / "text.so"
    path.write_text("no library")
    return path


def test_mistakes_are_named(compiled, schools, tmp_path):
    library = compiled("SCHOOLS", "-DTHREADS")
    other = bayes._native.__file__
    source = tmp_path / "schools.stan"
    source.write_text("model {}")
    mistakes = [
        (lambda: bayes.stan("absent.so"), bayes.BayesInputError, "there is no file `.*absent.so`; BridgeStan makes"),
        (lambda: bayes.stan(source), bayes.BayesInputError, "is the text of a program"),
        (lambda: bayes.stan(not_a_library(tmp_path)), bayes.BayesInputError, "is no library of this machine"),
        (lambda: bayes.stan(other), bayes.BayesInputError, "has no function `bs_model_construct`"),
        (lambda: bayes.stan(library), bayes.BayesInputError, "does not take the data: variable does not exist"),
        (lambda: bayes.stan(library, DATA, seed=-1), bayes.BayesInputError, "`seed` is -1; of a Stan program it must be"),
        (lambda: bayes.stan(library, DATA, seed=2**32), bayes.BayesInputError, "a whole number from 0 to 4294967295"),
        (lambda: bayes.stan(library, "a\0b"), bayes.BayesInputError, "`data` has a character 0"),
        (lambda: bayes.stan(library, {"y": Y, "sigma": [1]}), bayes.BayesInputError, "mismatch in dimension"),
        (lambda: bayes.stan(library, 3), TypeError, "`data` is a int"),
        (lambda: bayes.stan(library, {"y": object()}), TypeError, "`data` has a object"),
        (lambda: bayes.stan(library, tmp_path / "absent.json"), bayes.BayesInputError, "there is no file"),
        (lambda: schools.log_density(np.ones(3)), bayes.BayesInputError, "its last dimension must be 10"),
        (lambda: bayes.sample(schools, dim=3), bayes.BayesInputError, "`dim` is not of Stan programs"),
        (lambda: bayes.evidence(schools, prior=bayes.Prior.normal()), bayes.BayesInputError, "`prior` is not of Stan"),
        (lambda: bayes.sample(schools, backend="numba"), bayes.BayesInputError, "`backend` is not of Stan"),
    ]
    for call, kind, words in mistakes:
        with pytest.raises(kind, match=words):
            call()


def test_a_library_of_another_version_is_refused(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    text, source, path = SOURCE.read_text(), tmp_path / "old.c", tmp_path / "old.so"
    source.write_text(text.replace("bs_major_version = 2", "bs_major_version = 1"))
    subprocess.run([compiler, "-shared", "-fPIC", "-DSHAPES", "-o", path, source, "-lm"], check=True)
    with pytest.raises(bayes.BayesInputError, match="was made by BridgeStan 1, and must be by BridgeStan 2"):
        bayes.stan(path)
