"""The code of the documentation runs."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import lpvdn
import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("page", ["python.md", "python-api.md"])
def test_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text(encoding="utf-8")
    names: dict[str, object] = {}
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    assert blocks
    for block in blocks:
        # A failure is told with the line of the page.
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], page, "exec"), names)


@pytest.mark.parametrize("name", ["LPVDN", "TextLPVDN"])
def test_examples_in_docstrings_are_true(name):
    examples = doctest.DocTestFinder(recurse=False).find(getattr(lpvdn, name), name)
    runner = doctest.DocTestRunner()
    for example in examples:
        runner.run(example)
    assert runner.summarize().attempted > 0
    assert runner.summarize().failed == 0


def test_every_public_name_is_on_the_page():
    page = (DOCS / "python-api.md").read_text(encoding="utf-8")
    for name in [*lpvdn.__all__, *lpvdn.metrics.__all__]:
        assert name.startswith("__") or name in page, name


@pytest.mark.parametrize("name", ["LPVDN", "VaDE", "DEC", "ClusterGAN", "AutoencoderKMeans", "VAEKMeans", "KMeans"])
def test_every_parameter_is_in_the_docstring(name):
    estimator = getattr(lpvdn, name)
    for parameter in estimator().get_params():
        assert re.search(rf"\b{parameter}\b", estimator.__doc__), parameter
