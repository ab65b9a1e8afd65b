"""Messages for PyMC models, Stan programs, functions and C functions: what they do not have is not spoken of."""

from __future__ import annotations

import ctypes
import math
import re
import warnings

import numpy as np
import pytest
from conftest import ROOT, table

import bayes
from bayes._words import _CALLS, _SAID, FROM_PRIOR, Given, printed, without_calls

#: What only those who write Rust can do.
RUST = re.compile(r"`[^`]*(?:::|#\[|\.\w+\(|\w!\()[^`]*`")
FEW = {"engine": "nuts", "chains": 2, "draws": 50, "burn_in": 50, "progress": False}


def nowhere(x):
    return -math.inf, np.zeros(2)


def test_a_function_without_a_prior_has_starting_points_and_no_prior_draws():
    words = "the log density of the function `nowhere` is not finite at any of 100 starting points between -2 and 2 without constraints"
    with pytest.raises(bayes.BayesError, match=re.escape(words)) as raised:
        bayes.sample(nowhere, dim=2, **FEW)
    text = str(raised.value)
    assert "`the log density` is -inf;" in text and "chains need points near 0" in text
    assert "prior" not in text and "likelihood" not in text and not RUST.search(text)


def test_a_c_function_is_spoken_of_in_the_same_words():
    pointer = ctypes.POINTER(ctypes.c_double)
    kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, pointer, pointer)

    @kind
    def without_density(dim, at, gradient):
        for k in range(dim):
            gradient[k] = 0.0
        return -math.inf

    with pytest.raises(bayes.BayesError, match="is not finite at any of 100 starting points") as raised:
        bayes.sample(without_density, dim=2, **FEW)
    assert "prior" not in str(raised.value)


def test_a_function_with_a_prior_has_prior_draws():
    with pytest.raises(bayes.BayesError, match="the function `nowhere` is not finite at any of 100 prior draws") as raised:
        bayes.sample(nowhere, dim=2, prior=bayes.Prior.normal(), **FEW)
    assert "check that the data are possible under the prior" in str(raised.value)


def test_a_wrong_gradient_is_spoken_of_without_rust():
    def wrong(x):
        return -0.5 * float(x @ x), 3 * x + 1

    with pytest.warns(bayes.BayesWarning) as warned:
        found = bayes.sample(wrong, dim=2, seed=1, **FEW)
    texts = [str(warning.message) for warning in warned] + found.warnings + [repr(found)]
    assert any("the gradient disagrees with finite differences at" in text for text in texts)
    texts = [re.sub(r"\s+", " ", text) for text in texts]
    assert not any(RUST.search(text) or "prior draws" in text or "the prior" in text for text in texts)


@pytest.mark.parametrize(
    ("given", "engine", "words"),
    [
        (Given("PyMC model", True), "psmc", "at any of 100 prior draws"),
        (Given("Stan program", False, True), "nuts", "at any of 100 starting points between -2 and 2 without constraints"),
        (Given("Stan program", False, True), "pcn", "at any of 100 draws of the reference"),
    ],
    ids=["PyMC", "chains of a Stan program", "islands of a Stan program"],
)
def test_each_has_its_draws_and_its_name(given, engine, words):
    text = "the log density of the model `m` is not finite at any of 100 prior draws; at the last of them `the log likelihood` is -inf; check"
    spoken = given.spoken(text, engine)
    assert spoken.startswith(f"the log density of the {given.name} `m` is not finite {words};")
    assert ("`the log density` is -inf" in spoken) == given.is_all


def test_labels_that_switch_are_spoken_of_without_rust_where_a_run_is_printed_too():
    def two_modes(x):
        return float(np.logaddexp(-50 * (x[0] - 1) ** 2 - 50 * (x[1] + 1) ** 2, -50 * (x[0] + 1) ** 2 - 50 * (x[1] - 1) ** 2))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = bayes.sample(two_modes, dim=2, seed=1, engine="nuts", chains=4, draws=200, burn_in=200, progress=False)
    assert any(re.search("have switched labels.*Sort them in each draw", text) for text in found.warnings)
    for text in (*found.warnings, repr(found)):
        assert "relabelled" not in text and not RUST.search(text.replace("\n", " "))
    assert max(map(len, repr(found).splitlines())) <= 100
    # lines are broken as before
    [line] = [line for line in repr(found).splitlines() if line.startswith("warning: the chains have not converged")]
    assert len(line) > 80


def test_a_density_has_no_lines():
    def not_a_number(x):
        return (np.nan if x[0] > 0 else -0.5 * float(x @ x)), -x

    with pytest.warns(bayes.BayesWarning, match="the log density was NaN at .* in `the log likelihood`; first at"):
        found = bayes.sample(not_a_number, dim=2, seed=1, prior=bayes.Prior.normal(), islands=2, particles=64, progress=False)
    assert "line 0" not in repr(found)


def test_what_begins_with_the_prior_is_no_advice_without_one():
    text = '`engine="walnuts"` is another way; so is `engine="tempering"`, whose chains enter such places from the prior, which must be proper. If so, use `engine="psmc"`.'
    assert Given("function", True).spoken(text, "nuts") == text
    assert (
        Given("function", False, True).spoken(text, "nuts")
        == '`engine="walnuts"` is another way. If so, use `engine="psmc"`, with `prior=...`.'
    )
    assert (
        Given("Stan program", False, True).spoken(text, "nuts")
        == '`engine="walnuts"` is another way. If so, use `engine="psmc"`.'
    )


def test_settings_of_a_kernel_are_keywords():
    given = Given("function", True)
    text = "Take smaller steps (`.kernel(Hmc::new().target_acceptance(0.9)).mutations(5)`) or `.kernel(Hmc::new().target_acceptance(0.9))`"
    assert given.spoken(text, "psmc") == "Take smaller steps (`target_acceptance=0.9, mutations=5`) or `target_acceptance=0.9`"


def test_advice_that_is_translated_is_what_the_library_says():
    """A message that was changed is no longer found, and would be Rust again."""
    folders = ("bayes-run/src", "bayes-base/src", "bayes-model/src")
    texts = [path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.rs")]
    said = re.sub(r"\s+", " ", re.sub(r"\\\n\s*", "", "\n".join(texts))).replace('\\"', '"')
    assert [rust for rust, _ in _CALLS + _SAID if rust not in said] == []


#: Of warnings that any run may have, as the library writes them.
CALLS = [
    "in the direction that was tried the derivative is 1 by the gradient and 4 by differences. It has a jump there; `model.check(Check::new())` names the quantity.",
    "how well differential equations are solved. Compare them by `model.check(Check::new())`, or give the run more time (`time_limit=...`).",
    "at the unconstrained position [1.5000] (`model.explain(..)`). The density counts as zero there.",
    "and their terms are probably too high. Use `refit` for these observations, or `k_fold` (both need arguments marked `#[rows]`); where each",
    "its term, which is too high. Use `refit`, or `k_fold` (both need arguments marked `#[rows]`)",
    'compare such models by the evidence, as the engine psmc has it (`--engine psmc`, `engine="psmc"`)',
    '2.100 by their importance weights. Use an engine that samples, such as `engine="nuts"`; or correct the draws by their weights, `run.importance_weighted()`.',
]


@pytest.mark.parametrize("text", CALLS)
def test_no_run_is_spoken_of_by_calls_in_rust(text):
    for spoken in (without_calls(text), *(Given("PyMC model", True).spoken(text, engine) for engine in ("nuts", *FROM_PRIOR))):
        assert "importance_weighted" not in spoken and not RUST.search(spoken)
        assert re.fullmatch(r"[^`]*(`\w+=[^`]*`[^`]*)?", spoken)


def test_leave_one_out_is_spoken_of_without_rust(fitted):
    """Would detect the calls of Rust, `elpd.refit(..)` and `k_fold(..)`, the mark `#[rows]`, and options of the command line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = bayes.fit("Reaction ~ Days", table("sleepstudy"), seed=3, progress=False)
    loo, compared = fitted.loo(), bayes.compare({"slopes": fitted, "none": other})
    assert loo.warnings and "`fit.loo(refit=True)`" in loo.warnings[0]
    for text in (*loo.warnings, repr(loo), *compared.warnings, repr(compared), compared._repr_html_()):
        assert not any(word in text for word in ("elpd.refit", "k_fold", "#[rows]", "--"))
        assert not RUST.search(text.replace("fit.loo(", ""))


def test_a_file_that_is_no_estimate_is_spoken_of_without_rust(tmp_path):
    path = tmp_path / "other.elpd"
    path.write_text("another file, longer than a head")
    with pytest.raises(bayes.BayesError, match="that `save` of this version wrote") as raised:
        bayes._native.Elpd.load(path)
    assert not RUST.search(str(raised.value))


def test_runs_that_are_believed_are_named_as_an_attribute():
    text = "Take the posterior from the nested islands (`evidence.posterior()`)."
    assert without_calls(text) == "Take the posterior from the nested islands (`evidence.posterior`)."
    assert isinstance(bayes.Evidence.posterior, property)


def test_a_printed_warning_is_broken_again_only_where_it_changes():
    kept = "warning: a line that is\n         broken where the library breaks it"
    broken = "warning: the model panicked, at the unconstrained position [1.5000] (`model.explain(..)`). The density\n         counts as zero there."
    expected = "warning: the model panicked, at the unconstrained position [1.5000]. The density counts as zero there."
    text = "\n".join(["a", "         b", kept, broken])
    found = printed(text, without_calls)
    assert found.splitlines()[:4] == ["a", "         b", *kept.splitlines()]
    assert " ".join(line.strip() for line in found.splitlines()[4:]) == expected and max(map(len, found.splitlines())) <= 100


def test_an_approximation_that_is_off_has_advice_that_python_has():
    precision = np.linalg.inv([[1, 0.9], [0.9, 1]])

    def correlated(x):
        return float(-0.5 * x @ precision @ x), -precision @ x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = bayes.sample(correlated, dim=2, seed=1, engine="mean_field", progress=False)
    for text in (*found.warnings, re.sub(r"\s+", " ", repr(found))):
        assert 'Use `engine="full_rank"`, more epochs, or an engine' in text and not RUST.search(text)
