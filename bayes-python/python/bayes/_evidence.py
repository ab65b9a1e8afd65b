"""The log evidence by two engines that do not share their blind spots."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from bayes._native import together
from bayes._posterior import Posterior
from bayes._table import ResultTable


class Evidence:
    """The log evidence by tempered islands and by nested islands, and whether they agree: what `evidence` returns.

    `print(evidence)` shows both, and which is believed.
    """

    def __init__(self, tempered: Posterior, nested: Posterior) -> None:
        #: The run of tempered islands (psmc).
        self.tempered = tempered
        #: The run of nested islands.
        self.nested = nested
        self._estimate, self._verdict, text = together(tempered._run, nested._run)
        self._text = tempered._spoken(text)
        if isinstance(tempered._constant, str):
            # both have the constant in them
            self._estimate = None
            self._text += "without the constant of the prior with potentials this is no evidence\n"

    def __repr__(self) -> str:
        lines = [self._text.rstrip("\n")]
        of_potentials = self.tempered._of_potentials
        if of_potentials is not None and self.log_evidence is not None:
            [words] = of_potentials._evidence_in_words()
            lines.append(
                f"less the {words} of the potentials in the prior: {self.log_evidence:.4f} ± {self.log_evidence_se:.4f}"
            )
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])

    @property
    def log_evidence(self) -> Optional[float]:
        """The natural logarithm of the evidence, the marginal likelihood of the data, by both as the verdict says; None if one has none, and where the
        constant of a prior with potentials is not known."""
        if self._estimate is None:
            return None
        return self._estimate[0] - (self._of_potentials[0] if self._of_potentials else 0.0)

    @property
    def log_evidence_se(self) -> Optional[float]:
        """The standard error of the log evidence; it covers both where they are apart."""
        if self._estimate is None:
            return None
        return float(np.hypot(self._estimate[1], self._of_potentials[1] if self._of_potentials else 0.0))

    @property
    def log_evidence_interval(self) -> Optional[tuple[float, float]]:
        """The interval of 95% of the log evidence."""
        if self._estimate is None:
            return None
        if self._of_potentials is None or self.log_evidence is None or self.log_evidence_se is None:
            return self._estimate[2]
        return self.log_evidence - 1.96 * self.log_evidence_se, self.log_evidence + 1.96 * self.log_evidence_se

    @property
    def _of_potentials(self) -> Optional[tuple[float, float]]:
        found = self.tempered._of_potentials
        if found is None or found.log_evidence is None or found.log_evidence_se is None:
            return None
        return found.log_evidence, found.log_evidence_se

    @property
    def verdict(self) -> Optional[str]:
        """`agree`; `apart` if they differ by less than 1 and more than their errors allow, when the error covers both; `tempered` or `nested` if these
        islands find more than 1 beyond the others, and are believed; None without two estimates."""
        return self._verdict

    @property
    def agree(self) -> bool:
        """Whether the two agree within their errors."""
        return self._verdict == "agree"

    @property
    def posterior(self) -> Posterior:
        """The run whose draws are to be used: that which is believed, and the tempered islands if neither is."""
        return self.nested if self._verdict == "nested" else self.tempered

    @property
    def warnings(self) -> list[str]:
        """Why the result may be wrong and what to do, in plain English; empty if nothing speaks against it."""
        found = [f"{name} islands: {text}" for name in ("tempered", "nested") for text in getattr(self, name).warnings]
        if self._verdict in ("agree", None):
            return found
        return [
            f"the tempered and the nested islands do not agree ({self._verdict}); print the evidence for what to do",
            *found,
        ]

    def summary(self, *names: str) -> ResultTable:
        """Posterior summaries of `posterior`, as `Posterior.summary`."""
        return self.posterior.summary(*names)

    def draws(self, name: str) -> Any:
        """Draws of `posterior`, as `Posterior.draws`."""
        return self.posterior.draws(name)

    def to_arviz(self) -> Any:
        """`posterior` for ArviZ, as `Posterior.to_arviz`, with the log evidence by both in the attributes."""
        data = self.posterior.to_arviz()
        if self.log_evidence is not None:
            for part in (data, data["posterior"]):
                part.attrs.update(log_evidence=self.log_evidence, log_evidence_se=self.log_evidence_se)
        return data
