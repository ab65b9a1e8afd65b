"""The settings of engines, as keywords."""

from __future__ import annotations

import os
from typing import TypedDict, Union


class Settings(TypedDict, total=False):
    """The settings that `fit` takes by name; those of the options of the program `bayes`, with `_` for `-`."""

    kernel: str
    islands: int
    particles: int
    states_kept: int
    posterior_states: int
    ess_target: float
    survivors: float
    remaining: float
    pilot: int
    chains: int
    burn_in: int
    draws: int
    epochs: int
    gradient_draws: int
    paths: int
    memory: int
    iterations: int
    elbo_draws: int
    thin: int
    superchains: int
    starts: str
    temperatures: int
    mutations: int
    target_acceptance: float
    max_depth: int
    mass: str
    time_limit: float
    gradient_limit: int
    until: float
    at_most: int
    memory_limit: Union[int, str]
    checkpoint: Union[str, os.PathLike[str]]
    checkpoint_interval: float
