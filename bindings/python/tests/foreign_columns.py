"""Files of columns: Parquet, Arrow and Feather, by PyArrow, pandas and Polars."""

from __future__ import annotations

import base64
import datetime
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from foreign import COLUMNS, ROWS, WIDTH, File
from pyarrow import feather
from pyarrow.parquet import encryption

QUARTERS = ROWS["quarters"]
CODECS = ["NONE", "SNAPPY", "GZIP", "ZSTD", "LZ4"]


def columns(rows: np.ndarray, kind: pa.DataType) -> pa.Table:
    return pa.table({name: pa.array(column).cast(kind) for name, column in zip(COLUMNS, rows.T, strict=True)})


def vectors(rows: np.ndarray, kind: str) -> pa.Table:
    types = {
        "list": pa.list_(pa.float32()),
        "large list": pa.large_list(pa.float32()),
        "fixed-size list": pa.list_(pa.float32(), rows.shape[1]),
        "list of doubles": pa.list_(pa.float64()),
        "required list": pa.list_(pa.field("item", pa.float32(), nullable=False)),
    }
    return pa.table({"vector": pa.array(rows.tolist(), types[kind])})


def parquet(name: str, table: pa.Table, rows: str = "quarters", refusal: str | None = None, **given: Any) -> File:
    return File(f"{name}.parquet", lambda path: pq.write_table(table, path, **given), rows, refusal=refusal)


def arrow(name: str, table: pa.Table, stream: bool, rows: str = "quarters", chunk: int = 7, **given: Any) -> File:
    def write(path: Path) -> None:
        create = pa.ipc.new_stream if stream else pa.ipc.new_file
        with create(path, table.schema, options=pa.ipc.IpcWriteOptions(**given)) as sink:
            sink.write_table(table, max_chunksize=chunk)

    return File(f"{name}.{'arrows' if stream else 'arrow'}", write, rows)


def every_page() -> list[File]:
    """Versions of pages, codecs, dictionaries and kinds of vectors."""
    tables = {"columns": columns(QUARTERS, pa.float32())}
    tables |= {kind: vectors(QUARTERS, kind) for kind in ("list", "large list", "fixed-size list")}
    files = [
        parquet(
            f"{kind}, pages {version}, {codec}{', dictionary' if dictionary else ''}",
            table,
            data_page_version=version,
            compression=codec,
            use_dictionary=dictionary,
        )
        for (kind, table), version, codec, dictionary in product(tables.items(), ["1.0", "2.0"], CODECS, [True, False])
    ]
    wide = ROWS["wide"]
    files += [
        parquet(f"wide {kind}, pages {version}, {codec}", vectors(wide, kind), "wide",
                data_page_version=version, compression=codec)
        for kind, version, codec in product(
            ["list", "large list", "fixed-size list", "list of doubles", "required list"],
            ["1.0", "2.0"], ["NONE", "SNAPPY", "ZSTD"],
        )
    ]  # fmt: skip
    return files


def every_type() -> list[File]:
    """Types of columns."""
    whole = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
    files = [parquet(f"{kind}", columns(ROWS["whole"], kind), "whole") for kind in whole]
    files += [parquet(f"signed {kind}", columns(ROWS["signed"], kind), "signed") for kind in whole[:4]]
    floats = [pa.float16(), pa.float32(), pa.float64()]
    files += [parquet(f"{kind}", columns(QUARTERS, kind)) for kind in floats]
    decimals = [pa.decimal32(6, 2), pa.decimal64(12, 2), pa.decimal128(30, 4), pa.decimal256(60, 3)]
    exact = columns(QUARTERS, pa.float64())
    for kind in decimals:
        table = pa.table({name: exact[name].cast(pa.decimal128(30, 4)).cast(kind) for name in COLUMNS})
        files += [parquet(f"{kind}", table), arrow(f"{kind}", table, stream=False)]
        files.append(parquet(f"{kind} as an integer", table, store_decimal_as_integer=True))
    bits = pa.table({name: pa.array(column == 1) for name, column in zip(COLUMNS, ROWS["bits"].T, strict=True)})
    files += [parquet("bool", bits, "bits"), parquet("bool, pages 2", bits, "bits", data_page_version="2.0")]
    coded = pa.table({name: exact[name].dictionary_encode() for name in COLUMNS})
    files += [parquet("dictionaries of numbers", coded), arrow("dictionaries of numbers", coded, stream=True)]
    for kind in ("int8", "uint8", "int16", "int32", "int64", "float16", "float64"):
        lists = pa.table(
            {"vector": pa.array(ROWS["whole"].tolist(), pa.list_(pa.float32())).cast(pa.list_(pa.type_for_alias(kind)))}
        )
        files += [parquet(f"list of {kind}", lists, "whole"), arrow(f"list of {kind}", lists, False, "whole")]
    truths = pa.table({"vector": pa.array((ROWS["bits"] == 1).tolist(), pa.list_(pa.bool_()))})
    files += [parquet("list of bool", truths, "bits"), arrow("list of bool", truths, stream=True, rows="bits")]
    return files


def every_encoding() -> list[File]:
    """Encodings, and other settings of the writer."""
    table, whole = columns(QUARTERS, pa.float32()), columns(ROWS["whole"], pa.int32())
    split = {"use_dictionary": False, "column_encoding": "BYTE_STREAM_SPLIT"}
    delta = {"use_dictionary": False, "column_encoding": "DELTA_BINARY_PACKED"}
    files = [
        parquet(f"split {kind}", columns(QUARTERS, kind), **split)
        for kind in (pa.float16(), pa.float32(), pa.float64())
    ]
    files += [
        parquet(f"split {kind}", columns(ROWS["whole"], kind), "whole", **split) for kind in (pa.int32(), pa.int64())
    ]
    files += [
        parquet(f"delta {kind}", columns(ROWS["whole"], kind), "whole", **delta) for kind in (pa.int32(), pa.int64())
    ]
    bits = pa.table({name: pa.array(column == 1) for name, column in zip(COLUMNS, ROWS["bits"].T, strict=True)})
    files.append(parquet("run lengths of bool", bits, "bits", use_dictionary=False, column_encoding="RLE"))
    settings: dict[str, dict[str, Any]] = {
        "many row groups": {"row_group_size": 7},
        "a row in a row group": {"row_group_size": 1},
        "checksums": {"write_page_checksum": True},
        "page index": {"write_page_index": True},
        "small pages": {"data_page_size": 16, "write_batch_size": 3},
        "small pages 2": {"data_page_size": 16, "write_batch_size": 3, "data_page_version": "2.0"},
        "no statistics": {"write_statistics": False},
        "no schema": {"store_schema": False},
        "version 1": {"version": "1.0"},
        "version 2.4": {"version": "2.4"},
        "dictionary given up": {"dictionary_pagesize_limit": 16},
        "sorted": {"sorting_columns": [pq.SortingColumn(0)]},
    }
    for name, given in settings.items():
        files += [parquet(name, table, **given), parquet(f"{name}, whole", whole, "whole", **given)]
        files.append(parquet(f"{name}, vectors", vectors(QUARTERS, "list"), **given))
    nested = {"list": vectors(QUARTERS, "list"), "fixed-size list": vectors(QUARTERS, "fixed-size list")}
    files += [
        parquet(f"{kind} with old names", table, use_compliant_nested_type=False) for kind, table in nested.items()
    ]
    one = columns(QUARTERS[:1], pa.float32())
    files.append(File("one row.parquet", lambda path: pq.write_table(one, path), count=1))
    files.append(File("one row.arrow", lambda path: feather.write_feather(one, path), count=1))
    large = ROWS["large"]
    flat = pa.array(large.ravel())
    lists = pa.ListArray.from_arrays(np.arange(0, len(flat) + 1, 384, dtype=np.int32), flat)
    for name, given in {"large": {}, "large, one dictionary": {"dictionary_pagesize_limit": 1 << 28}}.items():
        files.append(parquet(name, pa.table({"vector": lists}), "large", **given))
    files.append(arrow("large", pa.table({"vector": lists}), stream=False, rows="large", chunk=100_000))
    return files


def every_message() -> list[File]:
    """Arrow: streams, files, codecs and dictionaries."""
    tables = {"columns": columns(QUARTERS, pa.float32())}
    tables |= {kind: vectors(QUARTERS, kind) for kind in ("list", "large list", "fixed-size list")}
    files = [
        arrow(f"{kind}, {codec}", table, stream, compression=codec)
        for (kind, table), stream, codec in product(tables.items(), [True, False], [None, "lz4", "zstd"])
    ]
    old = pa.ipc.MetadataVersion.V4
    for stream in (True, False):
        files.append(arrow("before 2020", tables["columns"], stream, use_legacy_format=True, metadata_version=old))
        files.append(arrow("version 4", tables["columns"], stream, metadata_version=old))
        files.append(arrow("one batch", tables["list"], stream, chunk=1000))
    return files


def with_holes() -> list[File]:
    """Nulls in columns, and what pandas and Polars make of them."""
    holes = ROWS["holes"]
    frame, nullable = pd.DataFrame(holes, columns=COLUMNS), pd.DataFrame(holes, columns=COLUMNS).convert_dtypes()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    files = [
        parquet(f"nulls, pages {version}, {codec}", table, "holes", data_page_version=version, compression=codec)
        for version, codec in product(["1.0", "2.0"], CODECS)
    ]
    files += [
        parquet(f"nulls in row groups, pages {version}", table, "holes", data_page_version=version, row_group_size=7)
        for version in ("1.0", "2.0")
    ]
    files += [arrow(f"nulls, {codec}", table, stream, "holes", compression=codec)
              for stream, codec in product([True, False], [None, "lz4", "zstd"])]  # fmt: skip
    files.append(File("pandas holes.parquet", frame.to_parquet, "holes"))
    files.append(File("pandas nullable holes.parquet", nullable.to_parquet, "holes"))
    files.append(File("pandas nullable holes.feather", nullable.to_feather, "holes"))
    polars = pl.from_pandas(frame)
    files += [
        File("polars holes.parquet", polars.write_parquet, "holes"),
        File("polars holes.arrow", polars.write_ipc, "holes"),
    ]
    files.append(File("pandas holes.csv", lambda path: frame.to_csv(path, index=False), "holes"))
    files.append(File("pandas NA.csv", lambda path: frame.to_csv(path, index=False, na_rep="NA"), "holes"))
    files.append(File("polars holes.csv", polars.write_csv, "holes"))
    return files


def of_pandas() -> list[File]:
    frame = pd.DataFrame(QUARTERS, columns=COLUMNS)
    whole = pd.DataFrame(ROWS["whole"].astype(int), columns=COLUMNS)
    lists = pd.DataFrame({"vector": list(QUARTERS)})
    shuffled = frame.set_index(np.random.default_rng(0).permutation(len(frame)))
    files = [
        File("pandas.parquet", frame.to_parquet),
        File("pandas without an index.parquet", lambda path: frame.to_parquet(path, index=False)),
        File("pandas with an index.parquet", shuffled.to_parquet),
        File("pandas lists.parquet", lists.to_parquet),
        File("pandas.feather", frame.to_feather),
        File("pandas lists.feather", lists.to_feather),
        File("pandas numbered.parquet", lambda path: frame.rename(columns=str).to_parquet(path)),
    ]
    for kind in ("Int8", "Int64", "UInt16", "Float32", "Float64", "int64[pyarrow]", "float[pyarrow]"):
        nullable = whole.astype(kind)
        files.append(File(f"pandas {kind}.parquet", nullable.to_parquet, "whole"))
        files.append(File(f"pandas {kind}.feather", nullable.to_feather, "whole"))
    truths = pd.DataFrame(ROWS["bits"] == 1, columns=COLUMNS)
    files.append(File("pandas boolean.parquet", truths.astype("boolean").to_parquet, "bits"))
    return files


def of_polars() -> list[File]:
    frame = pl.DataFrame(dict(zip(COLUMNS, QUARTERS.T.copy(), strict=True)))
    lists = pl.DataFrame({"vector": QUARTERS.tolist()}, schema={"vector": pl.List(pl.Float32)})
    arrays = pl.DataFrame({"vector": QUARTERS.tolist()}, schema={"vector": pl.Array(pl.Float32, WIDTH)})
    wide = pl.DataFrame({"vector": ROWS["wide"].tolist()}, schema={"vector": pl.Array(pl.Float32, 384)})
    files = []
    for name, table in {"columns": frame, "lists": lists, "arrays": arrays}.items():
        for codec in ("uncompressed", "lz4", "snappy", "gzip", "zstd"):
            write = lambda path, table=table, codec=codec: table.write_parquet(path, compression=codec)  # noqa: E731
            files.append(File(f"polars {name}, {codec}.parquet", write))
        for ipc in ("uncompressed", "lz4", "zstd"):
            write = lambda path, table=table, codec=ipc: table.write_ipc(path, compression=codec)  # noqa: E731
            files.append(File(f"polars {name}, {ipc}.arrow", write))
            stream = lambda path, table=table, codec=ipc: table.write_ipc_stream(path, compression=codec)  # noqa: E731
            files.append(File(f"polars {name}, {ipc}.arrows", stream))
    files.append(File("polars wide.parquet", wide.write_parquet, "wide"))
    files.append(File("polars wide.arrow", wide.write_ipc, "wide"))
    files.append(File("polars row groups.parquet", lambda path: frame.write_parquet(path, row_group_size=5)))
    files.append(File("polars small pages.parquet", lambda path: lists.write_parquet(path, data_page_size=64)))
    whole = pl.DataFrame(dict(zip(COLUMNS, ROWS["whole"].T.copy(), strict=True)))
    for kind in (pl.Int8, pl.Int64, pl.UInt8, pl.UInt64, pl.Float64, pl.Decimal(10, 2)):
        files.append(File(f"polars {kind}.parquet", whole.cast(kind).write_parquet, "whole"))
        files.append(File(f"polars {kind}.arrow", whole.cast(kind).write_ipc, "whole"))
    return files


class Keys(encryption.KmsClient):
    """Keeps keys as they are."""

    def __init__(self, _: Any) -> None:
        super().__init__()

    def wrap_key(self, key: bytes, _: str) -> bytes:
        return base64.b64encode(key)


def encrypted(name: str, plaintext_footer: bool) -> File:
    table = columns(QUARTERS, pa.float32())

    def write(path: Path) -> None:
        how = encryption.EncryptionConfiguration("key", column_keys={"key": COLUMNS}, plaintext_footer=plaintext_footer)
        factory = encryption.CryptoFactory(Keys)
        properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), how)
        with pq.ParquetWriter(path, table.schema, encryption_properties=properties) as writer:
            writer.write_table(table)

    return File(f"{name}.parquet", write, refusal="encrypted Parquet")


def refused() -> list[File]:
    """What is not read by intention."""
    table = columns(QUARTERS, pa.float32())
    day = [datetime.datetime(2026, 1, 1)] * 3
    odd = {
        "point in time": pa.array(day),
        "time of day": pa.array([datetime.time(12)] * 3),
        "span of time": pa.array([datetime.timedelta(1)] * 3),
        "binary data": pa.array([b"1"] * 3),
        "structure": pa.array([{"a": 1}] * 3),
        "a map": pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int32())),
        "something else than numbers": pa.array([["a"]] * 3),
    }
    files = [parquet(f"{word}", pa.table({"odd": array}), refusal=word) for word, array in odd.items()]
    files.append(parquet("brotli", table, compression="BROTLI", refusal="brotli"))
    files += [encrypted("encrypted", False), encrypted("encrypted columns", True)]
    files.append(parquet("no rows", table.slice(0, 0), refusal="no rows"))
    return files


FILES = [
    *every_page(),
    *every_type(),
    *every_encoding(),
    *every_message(),
    *with_holes(),
    *of_pandas(),
    *of_polars(),
    *refused(),
]
