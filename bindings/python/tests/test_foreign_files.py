"""Files that other programs wrote: each is read, and as what it holds."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import foreign_arrays
import foreign_columns
import foreign_documents
import foreign_text
import numpy as np
import pytest
from foreign import COLUMNS, ROWS, File

PROGRAM = os.environ.get("LPVDN_PROGRAM")
needs_program = pytest.mark.skipif(PROGRAM is None, reason="LPVDN_PROGRAM does not say where the program is")

FILES = [*foreign_columns.FILES, *foreign_arrays.FILES, *foreign_text.FILES]
READ = [file for file in FILES if file.refusal is None]
REFUSED = [file for file in FILES if file.refusal is not None]


def program(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(PROGRAM), *arguments], check=False, capture_output=True)


class Models:
    """A model for each kind of rows, fitted when it is needed, and the codes of these rows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, tuple[Path, np.ndarray]] = {}

    def of(self, rows: str) -> tuple[Path, np.ndarray]:
        if rows not in self.known:
            model = self.folder / rows
            clusters = ["-k", "4" if len(ROWS[rows]) < 10 else "8", "--scale", "none", "--starts", "1"]
            few = self.save(ROWS[rows][:1000])
            holes = ["--missing", "mean"] if few.suffix == ".csv" else []
            options = [*clusters, *holes, "--seed", "1", "--quiet", "--out", model]
            fitted = program("fit", few, "--method", "kmeans", *options)
            assert fitted.returncode == 0, fitted.stderr.decode()
            self.known[rows] = (model, self.codes(model, self.save(ROWS[rows])))
        return self.known[rows]

    def save(self, rows: np.ndarray) -> Path:
        """As an array, or as a table where values are missing."""
        array, table = self.folder / "rows.npy", self.folder / "rows.csv"
        if np.isnan(rows).any():
            cells = [",".join("" if np.isnan(cell) else str(cell) for cell in row) for row in rows]
            table.write_text("\n".join([",".join(COLUMNS), *cells]))
            return table
        np.save(array, rows)
        return array

    def codes(self, model: Path, data: Path, *options: str) -> np.ndarray:
        codes = self.folder / "codes.npy"
        read = program("transform", "--out", codes, *options, model, "--", data)
        assert read.returncode == 0, read.stderr.decode(errors="replace")
        return np.load(codes)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    return Models(tmp_path_factory.mktemp("models"))


def name_of(file: File) -> str:
    return file.name.encode(errors="replace").decode().replace("/", "-")


@needs_program
@pytest.mark.parametrize("file", READ, ids=name_of)
def test_a_file_of_another_program_is_read_as_what_it_holds(file: File, models: Models, tmp_path: Path) -> None:
    path = tmp_path / file.name
    file.write(path)
    model, codes = models.of(file.rows)
    found = models.codes(model, path, *file.options)
    # Sparse rows are added up in another order.
    np.testing.assert_allclose(found, codes[: file.count], rtol=1e-4, atol=2e-3)


@needs_program
@pytest.mark.parametrize("file", REFUSED, ids=name_of)
def test_what_is_not_read_by_intention_is_refused_with_the_reason(file: File, tmp_path: Path) -> None:
    path = tmp_path / file.name
    file.write(path)
    refused = program("fit", path, "--method", "kmeans", "-k", "2", "--quiet", "--out", tmp_path / "out")
    message = refused.stderr.decode()
    assert refused.returncode != 0
    assert str(file.refusal) in message, message


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Models, Path, np.ndarray]:
    """A model of texts, and their codes."""
    models = Models(tmp_path_factory.mktemp("texts"))
    lines, model = models.folder / "texts.jsonl", models.folder / "model"
    foreign_documents.write_lines(lines)
    options = ["--method", "kmeans", "-k", "12", "--starts", "1", "--seed", "1", "--quiet", "--out", model]
    fitted = program("fit", lines, "--text-column", "body", *options)
    assert fitted.returncode == 0, fitted.stderr.decode()
    return models, model, models.codes(model, lines)


@needs_program
@pytest.mark.parametrize("file", foreign_documents.FILES, ids=name_of)
def test_a_column_of_texts_is_read_whatever_wrote_it(
    file: File, texts: tuple[Models, Path, np.ndarray], tmp_path: Path
) -> None:
    models, model, codes = texts
    path = tmp_path / file.name
    file.write(path)
    np.testing.assert_array_equal(models.codes(model, path), codes)
    # And as the data of a fit.
    looked = program("data", "inspect", path, "--text-column", "body", "--json")
    facts = json.loads(looked.stdout)
    assert (facts["rows"], facts["reading"]["field"], facts["stored_as"]) == (60, "body", "sparse")


@needs_program
def test_texts_that_are_missing_are_counted_and_no_row_is_lost(
    texts: tuple[Models, Path, np.ndarray], tmp_path: Path
) -> None:
    models, model, codes = texts
    path = tmp_path / "nulls.parquet"
    foreign_documents.with_nulls(path)
    found = models.codes(model, path)
    there = np.arange(60) % 4 != 1
    np.testing.assert_array_equal(found[there], codes[there])
    assert len(found) == 60
    refused = program("data", "inspect", path, "--text-column", "body", "--json")
    assert json.loads(refused.stdout)["fit_refuses"] is not None
    skipped = program("data", "inspect", path, "--text-column", "body", "--empty-text", "skip", "--json")
    facts = json.loads(skipped.stdout)
    assert facts["rows"] == 45
    assert "15 of 60 rows have no text" in " ".join(facts["notes"])


def test_enough_files_are_written() -> None:
    assert len({file.name for file in FILES}) == len(FILES)
    assert len(READ) >= 300
