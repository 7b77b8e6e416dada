"""Tables with a column of texts: what PyArrow, pandas and Polars make of strings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
from foreign import File

WORDS = ["apple", "birds", "clouds", "doors", "engines", "forest", "größe"]
TEXTS = [f'{WORDS[i % 7]} and "{WORDS[i * i % 7]}", number{i % 11};\n{WORDS[i // 7 % 7]} again' for i in range(60)]


def table(kind: pa.DataType) -> pa.Table:
    texts = pa.array(TEXTS).cast(kind) if not pa.types.is_dictionary(kind) else pa.array(TEXTS).dictionary_encode()
    return pa.table({"price": pa.array(range(60)), "body": texts, "plan": pa.array(["free", "paid"] * 30)})


def ipc(content: pa.Table, create: Callable[..., Any]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with create(path, content.schema) as sink:
            sink.write_table(content, max_chunksize=7)

    return write


def of_pyarrow() -> list[File]:
    kinds = {
        "string": pa.string(),
        "large_string": pa.large_string(),
        "string_view": pa.string_view(),
        "dictionary": pa.dictionary(pa.int32(), pa.string()),
    }
    files = []
    for name, kind in kinds.items():
        content = table(kind)
        files.append(File(f"texts {name}.arrow", ipc(content, pa.ipc.new_file)))
        files.append(File(f"texts {name}.arrows", ipc(content, pa.ipc.new_stream)))
        for codec in ("NONE", "SNAPPY", "ZSTD"):
            write = lambda path, c=content, codec=codec: pq.write_table(c, path, compression=codec)  # noqa: E731
            files.append(File(f"texts {name} {codec}.parquet", write))
        plain = lambda path, c=content: pq.write_table(c, path, use_dictionary=False, row_group_size=9)  # noqa: E731
        files.append(File(f"texts {name}, row groups.parquet", plain))
    delta = {"use_dictionary": False, "column_encoding": {"body": "DELTA_BYTE_ARRAY"}}
    files.append(File("texts delta.parquet", lambda path: pq.write_table(table(pa.string()), path, **delta)))
    files.append(File("texts pyarrow.csv", lambda path: arrow_csv.write_csv(table(pa.string()), path)))
    return files


def of_pandas() -> list[File]:
    frame = table(pa.string()).to_pandas()
    category = frame.astype({"body": "category"})
    strings = frame.astype({"body": "string"})
    arrow = frame.astype({"body": "string[pyarrow]"})
    files = []
    for name, content in {"object": frame, "category": category, "string": strings, "arrow": arrow}.items():
        files.append(File(f"texts pandas {name}.parquet", content.to_parquet))
        files.append(File(f"texts pandas {name}.feather", content.to_feather))
        write = lambda path, c=content: c.to_csv(path, index=False)  # noqa: E731
        files.append(File(f"texts pandas {name}.csv", write))
    lines = lambda path: frame.to_json(path, orient="records", lines=True)  # noqa: E731
    files.append(File("texts pandas.jsonl", lines))
    files.append(File("texts pandas index.csv", frame.to_csv))
    return files


def of_polars() -> list[File]:
    frame = pl.DataFrame({"price": list(range(60)), "body": TEXTS, "plan": ["free", "paid"] * 30})
    category = frame.with_columns(pl.col("body").cast(pl.Categorical))
    files = [File("texts polars.csv", frame.write_csv), File("texts polars.ndjson", frame.write_ndjson)]
    for name, content in {"strings": frame, "categories": category}.items():
        files.append(File(f"texts polars {name}.parquet", content.write_parquet))
        files.append(File(f"texts polars {name}.arrow", content.write_ipc))
    return files


def write_lines(path: Path) -> None:
    """The same texts, an object each: what a model is fitted to."""
    path.write_text("".join(json.dumps({"body": text}) + "\n" for text in TEXTS))


def with_nulls(path: Path) -> None:
    """Every fourth text is missing."""
    texts = [None if i % 4 == 1 else text for i, text in enumerate(TEXTS)]
    pd.DataFrame({"body": texts, "n": range(60)}).to_parquet(path)


FILES = [*of_pyarrow(), *of_pandas(), *of_polars()]
