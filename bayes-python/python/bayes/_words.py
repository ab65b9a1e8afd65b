"""Messages of the library in the words of those who gave a PyMC model, a Stan program or a function: what is Rust alone, and what they do not have."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

#: Where chains start without a prior.
_STARTS = "starting points between -2 and 2 without constraints"

#: What chains need without a prior.
_NEAR_ZERO = "chains need points near 0 where it is finite: shift and scale the coordinates"

#: Engines that begin with draws from the prior, or fit their proposals to them; a test compares them with the native part.
FROM_PRIOR = ("psmc", "smc", "ais", "nested", "tempering", "pcn", "elliptical_slice")

#: Calls in Rust that Python has not, or has as another engine, with what is around them. The native part has translated engines and settings before.
_CALLS = [
    ("; `model.check(Check::new())` names the quantity", ""),
    ("; `model.check(..)` looks for them", ""),
    ("Compare them by `model.check(Check::new())`, or give", "Give"),
    (" (`model.explain(..)`)", ""),
    ("Use `.full_rank()`, more", 'Use `engine="full_rank"`, more'),
    ("; or correct the draws by their weights, `run.importance_weighted()`", ""),
    ("`evidence.posterior()`", "`evidence.posterior`"),
    (
        "Use `refit` for these observations, or `k_fold` (both need arguments marked `#[rows]`)",
        "Fits without these observations find them",
    ),
    ("Use `refit`, or `k_fold` (both need arguments marked `#[rows]`)", "A fit without it finds the term"),
    ("(`--engine psmc`, ", "("),
]
#: Advice in Rust, and what it is for a density of Python. Of what has several wordings, the part that they share.
_SAID = [
    (
        "Sort them in the draws by `run.relabelled(..)`, with all vectors that have an element for each of them, or in the model by "
        "`.ordered()`, or use",
        "Sort them in each draw, together with what belongs to them, such as the weights of a mixture; or use",
    ),
    ("order them in the model by `.ordered()`, or use", "order them in the model, or use"),
    ("as by `Real::select` on a random value", "as by a condition on a random value"),
    (
        "Write group effects as `.non_centred()`",
        "Write group effects as standard normal variables that the model shifts and scales",
    ),
    (", by `.non_centred()` after its distribution, or as", ", as"),
    (", or say how the data are rounded, with `.interval_censored`", ", or write the likelihood of rounded data"),
    ("such as `InverseGamma` or a `LogNormal`", "such as an inverse gamma distribution or a log-normal one"),
    ("`Normal::new(0.0, 2.5)`", "a normal distribution with standard deviation 2.5"),
    ("implement `LogDensity::prior`", "give it one"),
    ("Look in its statement for", "Look in what computes it for"),
    ("no statement alone is the cause", "neither the prior nor the likelihood alone is the cause"),
    ("(`.kernel(Hmc::new())`, without `.halvings(0)`)", "(`halvings` above 0)"),
]
#: Chains from the prior, for those who have none.
_TEMPERING = re.compile(r'(; so is)? `engine="tempering"`, whose chains enter such places from the prior,[^.]*(?=\.)')
_ISLANDS = 'use `engine="psmc"`'
#: What islands need where there are no prior draws; a Stan program has a reference.
_NEEDS = {"function": ", with `prior=...`", "PyMC model": ", with priors that can be drawn"}
#: The margin of a warning in a printed run, and the width of its lines.
_MARGIN, _WIDTH = " " * 9, 100
#: Of a kernel with what follows it, `.kernel(Hmc::new().target_acceptance(0.9)).mutations(5)`.
_KERNEL = re.compile(r"`\.kernel\(\w+::new\(\)((?:\.\w+\([^()]*\))*)\)((?:\.\w+\([^()]*\))*)`")


@dataclass(frozen=True)
class Given:
    """What a density is to who gave it."""

    #: `PyMC model`.
    name: str
    #: Whether there are draws from its prior.
    has_prior: bool
    #: Whether it does not say what of it is prior, so that what is called its likelihood is all of it.
    is_all: bool = False

    def spoken(self, text: str, engine: str) -> str:
        """A message about a run of this engine, which begins with draws or is one of chains."""
        text = without_calls(text)
        for rust, python in _SAID:
            text = text.replace(rust, python)
        # a density has no source
        text = text.replace(" (line 0)", "").replace(" in line 0: ", " in ")
        text = _KERNEL.sub(lambda found: f"`{', '.join(_settings(found[1] + found[2]))}`", text)
        text = re.sub(r"\bthe model (?=`)", f"the {self.name} ", text)
        if not self.has_prior:
            draws = "draws of the reference" if engine in FROM_PRIOR else _STARTS
            text = re.sub(r"(?<=\d )prior draws|the prior draws", draws, text)
            text = text.replace("check that the data are possible under the prior", _NEAR_ZERO)
            text = _TEMPERING.sub("", text)
            text = text.replace(_ISLANDS, f"{_ISLANDS}{_NEEDS.get(self.name, '')}")
        if self.is_all:
            text = text.replace("the log likelihood", "the log density")
        return text


def without_calls(text: str) -> str:
    """A message of any run without what only a program in Rust can call."""
    for rust, python in _CALLS:
        text = text.replace(rust, python)
    return text


def printed(text: str, spoken: Callable[[str], str]) -> str:
    """A printed run whose messages are `spoken`; a warning that changes is broken into lines again."""
    lines: list[str] = []
    for line in text.splitlines():
        if lines and lines[-1].startswith("warning: ") and line.startswith(_MARGIN):
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
    return "\n".join(_printed(line, spoken) for line in lines)


def _printed(line: str, spoken: Callable[[str], str]) -> str:
    whole = line.replace(f"\n{_MARGIN}", " ")
    found = spoken(whole)
    if found == whole or not found.startswith("warning: "):
        return line if found == whole else found
    return textwrap.fill(found, _WIDTH, subsequent_indent=_MARGIN, break_long_words=False, break_on_hyphens=False)


def _settings(calls: str) -> list[str]:
    return [f"{name}={'...' if value == '..' else value}" for name, value in re.findall(r"\.(\w+)\(([^()]*)\)", calls)]
