"""What a user reads of the package, and what tools know of it."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import bayes
from bayes import _native
from bayes._settings import Settings

PACKAGE = Path(bayes.__file__).parent


def test_the_types_of_the_settings_name_all_settings():
    of_runs = {"kernel", "checkpoint", "checkpoint_interval"}
    assert set(Settings.__annotations__) - of_runs == set(bayes.settings())
    assert bayes.settings()["chains"].startswith("Markov chains [default: 4")
    assert "--" not in "".join(bayes.settings().values())


def test_the_package_has_a_version():
    assert bayes.__version__.count(".") == 2


def test_everything_public_has_a_docstring():
    for name in bayes.__all__:
        thing = getattr(bayes, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_the_native_part_has_the_stubs_that_it_has():
    """The stub file names each class, function and method of the native part, and no others."""
    tree = ast.parse((PACKAGE / "_native.pyi").read_text())
    stubs = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            stubs[node.name] = {member.name for member in node.body} - {"__new__"}
        elif isinstance(node, ast.FunctionDef):
            stubs[node.name] = set()
    found = {
        name: {member for member in vars(thing) if not member.startswith("_")} if inspect.isclass(thing) else set()
        for name, thing in vars(_native).items()
        if not name.startswith("_")
    }
    assert stubs == found
    assert (PACKAGE / "py.typed").exists()


def test_errors_are_called_as_users_import_them():
    assert f"{bayes.BayesError.__module__}.{bayes.BayesError.__qualname__}" == "bayes.BayesError"
    assert issubclass(bayes.BayesInputError, ValueError) and issubclass(bayes.BayesInputError, bayes.BayesError)
    assert not issubclass(bayes.BayesError, ValueError)
