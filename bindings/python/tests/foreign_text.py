"""Files of text, packed files, and odd names."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import zlib
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
from foreign import COLUMNS, ROWS, File

QUARTERS = ROWS["quarters"]
FRAME = pd.DataFrame(QUARTERS, columns=COLUMNS)
PLAIN = FRAME.to_csv(index=False).encode()
NPY = io.BytesIO()
np.save(NPY, QUARTERS)


def of_pandas() -> list[File]:
    settings: dict[str, dict[str, Any]] = {
        "usual": {},
        "no header": {"header": False},
        "semicolons": {"sep": ";"},
        "decimal commas": {"sep": ";", "decimal": ","},
        "tabs": {"sep": "\t"},
        "bars": {"sep": "|"},
        "all in quotes": {"quoting": csv.QUOTE_ALL},
        "names in quotes": {"quoting": csv.QUOTE_NONNUMERIC},
        "Windows lines": {"lineterminator": "\r\n"},
        "old Mac lines": {"lineterminator": "\r"},
        "byte order mark": {"encoding": "utf-8-sig"},
        "byte order mark, no header": {"encoding": "utf-8-sig", "header": False},
        "exponents": {"float_format": "%.9e"},
        "many digits": {"float_format": "%.20f"},
        "gzip": {"compression": "gzip"},
    }
    files = []
    for name, given in settings.items():
        end = {"gzip": ".csv.gz", "tabs": ".tsv"}.get(name, ".csv")
        write = lambda path, g=given: FRAME.to_csv(path, index=False, **g)  # noqa: E731
        files.append(File(f"pandas {name}{end}", write))
    index = lambda path: FRAME.to_csv(path, index_label="row")  # noqa: E731
    files.append(File("pandas index.csv", index, options=("--id-column", "row")))
    lines = pd.DataFrame({"vector": QUARTERS.tolist()})
    files.append(File("pandas.jsonl", lambda path: lines.to_json(path, orient="records", lines=True)))
    packed = lambda path: lines.to_json(path, orient="records", lines=True, compression="gzip")  # noqa: E731
    files.append(File("pandas.jsonl.gz", packed))
    return files


def of_polars() -> list[File]:
    frame = pl.DataFrame(dict(zip(COLUMNS, QUARTERS.T.copy(), strict=True)))
    settings: dict[str, dict[str, Any]] = {
        "usual": {},
        "semicolons": {"separator": ";"},
        "always in quotes": {"quote_style": "always"},
        "no header": {"include_header": False},
        "Windows lines": {"line_terminator": "\r\n"},
        "byte order mark": {"include_bom": True},
        "exponents": {"float_scientific": True},
    }
    files = [
        File(f"polars {name}.csv", lambda path, g=given: frame.write_csv(path, **g)) for name, given in settings.items()
    ]
    lists = pl.DataFrame({"embedding": QUARTERS.tolist()})
    files.append(File("polars.ndjson", lists.write_ndjson))
    table = pa.table(dict(zip(COLUMNS, QUARTERS.T, strict=True)))
    files.append(File("pyarrow.csv", lambda path: arrow_csv.write_csv(table, path)))
    return files


def written(name: str, content: bytes, **given: Any) -> File:
    return File(name, lambda path: path.write_bytes(content), **given)


def of_hand() -> list[File]:
    """What spreadsheets and scripts make."""
    numbers = [line.split(",") for line in PLAIN.decode().splitlines()[1:]]
    rows = "\n".join(",".join(row) for row in numbers)
    files = [
        written("no end.csv", PLAIN.rstrip()),
        written("blank lines.csv", PLAIN + b"\n\n\r\n"),
        written("spaces.csv", "\n".join(", ".join(row) for row in numbers).encode()),
        written("names of several lines.csv", (",".join(f'"a ""{i}"",\nb"' for i in range(6)) + "\n" + rows).encode()),
        written("names with accents.csv", (",".join(f"größe {i} 温度" for i in range(6)) + "\n" + rows).encode()),
        written("signs.csv", "\n".join(",".join(f"+{cell}" for cell in row) for row in numbers).encode()),
        written("padded.csv", "\n".join(",".join(f'" {cell} "' for cell in row) for row in numbers).encode()),
        written("numbers in quotes.csv", "\n".join(",".join(f'"{c}"' for c in row) for row in numbers).encode()),
    ]
    notes = io.StringIO()
    writer = csv.writer(notes)
    writer.writerow([*COLUMNS, "note"])
    for at, row in enumerate(numbers):
        writer.writerow([*row, f'row "{at}",\nsecond line;\r\n\tthird'])
    files.append(written("cells of several lines.csv", notes.getvalue().encode(), options=("--id-column", "note")))
    objects = [json.dumps({"id": i, "vector": row, "more": {"a": [1]}}) for i, row in enumerate(QUARTERS.tolist())]
    files.append(written("objects.jsonl", "\n".join(objects).encode()))
    files.append(written("objects, Windows lines.jsonl", "\r\n".join(objects).encode()))
    return files


def zstd(content: bytes, pieces: int = 1) -> bytes:
    size = -(-len(content) // pieces)
    parts = [content[at : at + size] for at in range(0, len(content), size)]
    return b"".join(pa.compress(part, codec="zstd", asbytes=True) for part in parts)


def skippable(kind: int, content: bytes) -> bytes:
    return (0x184D2A50 + kind).to_bytes(4, "little") + len(content).to_bytes(4, "little") + content


def gzip_with_fields(content: bytes) -> bytes:
    """A checksum of the header, an extra field, a name and a comment."""
    header = b"\x1f\x8b\x08\x1e\0\0\0\0\0\x03" + b"\x04\0AB\0\0" + b"data.csv\0" + b"a comment\0"
    header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    deflate = zlib.compressobj(wbits=-15)
    body = deflate.compress(content) + deflate.flush()
    return header + body + zlib.crc32(content).to_bytes(4, "little") + len(content).to_bytes(4, "little")


def packed() -> list[File]:
    half = len(PLAIN) // 2
    files = []
    for name, content in {"csv": PLAIN, "npy": NPY.getvalue()}.items():
        cut = len(content) // 2
        files += [
            written(f"one frame.{name}.zst", zstd(content)),
            written(f"several frames.{name}.zst", zstd(content, 5)),
            written(f"a frame before.{name}.zst", skippable(0, b"what made it") + zstd(content)),
            written(f"frames between.{name}.zst", zstd(content, 2) + skippable(9, b"") + skippable(15, b"12345")),
            written(
                f"several frames before.{name}.zst", skippable(3, b"") + skippable(7, b"1" * 70_000) + zstd(content)
            ),
            written(f"members.{name}.gz", gzip.compress(content[:cut]) + gzip.compress(content[cut:])),
            written(f"fields.{name}.gz", gzip_with_fields(content)),
            written(f"stored.{name}.gz", gzip.compress(content, 0)),
            written(f"padded.{name}.gz", gzip.compress(content) + bytes(512)),
            written(f"empty member.{name}.gz", gzip.compress(b"") + gzip.compress(content)),
        ]
    blocks = [PLAIN[:half], PLAIN[half:], b""]
    bgzip = b"".join(gzip.compress(block) for block in blocks)
    files.append(written("blocks.csv.gz", bgzip))
    return files


def odd_names() -> list[File]:
    names = [
        "with spaces and, commas.csv",
        "größe 温度.csv",
        "-dash.csv",
        "UPPER.CSV",
        "no extension",
        "a.b.c.csv",
        "'q'.csv",
    ]
    files = [written(name, PLAIN) for name in names]
    if os.name == "posix":
        files.append(written(os.fsdecode(b"not utf-8 \xff\xfe.csv"), PLAIN))
        files.append(written(os.fsdecode(b"caf\xe9.npy"), NPY.getvalue()))
    return files


def refused() -> list[File]:
    """What is not read by intention."""
    return [
        written("utf-16.csv", PLAIN.decode().encode("utf-16"), refusal="UTF-16"),
        File("bz2.csv.bz2", FRAME.to_csv, refusal="gzip and zstd"),
        File("xz.csv.xz", FRAME.to_csv, refusal="gzip and zstd"),
        File("zip.csv.zip", FRAME.to_csv, refusal="ZIP"),
        File("records.json", lambda path: FRAME.to_json(path, orient="records"), refusal="JSON"),
        File("pickle.pkl", FRAME.to_pickle, refusal="pickle"),
        written("empty.csv", b"", refusal="empty"),
    ]


FILES = [*of_pandas(), *of_polars(), *of_hand(), *packed(), *odd_names(), *refused()]
