"""The page `docs/python.md`: its programs use only names that it has defined before, and it says what functions take."""

import ast
import builtins
import inspect
import re
from pathlib import Path

import bayes

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


def undefined(page: str) -> list[str]:
    """The names that programs of a page use and that neither it nor Python defines before."""
    known, missing = set(dir(builtins)), []
    for program in re.findall(r"```python\n(.*?)```", page, re.S):
        tree = ast.parse(program)
        # a function may use what stands behind it
        for node in ast.walk(tree):
            if isinstance(node, ast.alias):
                known.add((node.asname or node.name).split(".")[0])
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                known.add(node.name)
            elif isinstance(node, ast.arg):
                known.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                known.add(node.id)
        names = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        missing += [name for name in names if name not in known]
    return missing


def test_programs_use_names_that_the_page_defines():
    assert undefined("```python\nx = 1\ny = x + z\n```") == ["z"]
    assert undefined(PAGE) == []


def test_signatures_on_the_page_are_those_of_the_functions():
    for name, function in (("bayes.evidence", bayes.evidence), ("bayes.Prior", bayes.Prior)):
        [text] = re.findall(rf"`{re.escape(name)}(\([^`]*\*,[^`]*\))`", PAGE)
        on_page = ast.parse(f"def f{text}: ...").body[0].args
        parameters = inspect.signature(function).parameters
        assert [a.arg for a in on_page.args + on_page.kwonlyargs] == list(parameters)
        defaults = {a.arg: ast.literal_eval(d) for a, d in zip(on_page.kwonlyargs, on_page.kw_defaults)}
        assert defaults == {n: p.default for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
