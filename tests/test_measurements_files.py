import datetime as dt
import os
import stat
from math import inf
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measurement_tables import ACC, make_every_kind, make_table, simple

import metricatlas as ma
from metricatlas.errors import FileError
from metricatlas.measurements import Column, Measurements


@pytest.fixture
def table():
    return make_table()


@pytest.fixture
def every_kind():
    return make_every_kind()


def test_a_saved_table_comes_back_whole(table, every_kind, tmp_path):
    for saved in (table, every_kind, every_kind.oriented(), table.where(fold=0).select("auc")):
        saved.save(tmp_path / "m.parquet")
        assert Measurements.load(str(tmp_path / "m.parquet")) == saved
    assert [path.name for path in tmp_path.iterdir()] == ["m.parquet"]


@pytest.mark.parametrize(
    "saved",
    [
        Measurements(np.empty((0, 1)), (ACC,), {"model": []}),
        Measurements(np.empty((2, 0)), (), {"model": ["a", "b"]}),
        Measurements(np.empty((3, 0)), (), {}),
        Measurements(np.ones((1, 1)), (ACC,), {"acc": ["a"]}),
        Measurements(np.ones((1, 2)), (Column("a.b[c]", "a"), Column("\ud800", "ü")), {}),
    ],
    ids=["no rows", "no columns", "nothing", "a key called as a measure", "odd names"],
)
def test_odd_tables_are_saved_as_well(saved, tmp_path):
    saved.save(tmp_path / "m.parquet")
    assert Measurements.load(tmp_path / "m.parquet") == saved


key_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(exclude_categories=())),
    st.dates(),
    st.datetimes(),
    st.tuples(st.text(), st.integers()),
)


@given(st.one_of(st.lists(key_values), *map(st.lists, [st.integers(), st.floats(), st.text()])))
def test_keys_come_back_with_their_types(tmp_path_factory, column):
    path = tmp_path_factory.mktemp("keys") / "m.parquet"
    saved = Measurements(np.ones((len(column), 1)), (ACC,), {"model": column})
    saved.save(path)
    back = Measurements.load(path)
    assert back == saved
    assert list(map(type, back.row_keys["model"])) == list(map(type, column))


def test_values_come_back_bit_for_bit(tmp_path):
    values = np.array([[-0.0, 5e-324, -inf, 0.1 + 0.2, 1e308]])
    table = Measurements(values, tuple(Column(f"m{i}", "m") for i in range(5)), {})
    table.save(tmp_path / "m.parquet")
    assert Measurements.load(tmp_path / "m.parquet").values.tobytes() == values.tobytes()


def test_others_can_read_a_saved_table(table, tmp_path):
    table.save(tmp_path / "m.parquet")
    frame = pl.read_parquet(tmp_path / "m.parquet")
    assert frame.columns[:6] == ["model", "fold", "acc", "auc", "brier", "acc (2)"]
    assert frame["auc, why undefined"].to_list()[:2] == ["there are no positives", None]


def test_keys_that_no_file_can_hold_are_refused(tmp_path):
    with pytest.raises(FileError, match="got frozenset"):
        simple(2, model=[frozenset(), 1]).save(tmp_path / "m.parquet")
    assert not list(tmp_path.iterdir())


def test_what_is_no_saved_table_says_so(tmp_path):
    (tmp_path / "text.parquet").write_text("model,acc\n")
    (tmp_path / "empty.parquet").touch()
    pq.write_table(pa.table({"acc": [1.0]}), tmp_path / "foreign.parquet")
    simple(3).save(tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "half.parquet").write_bytes(whole[: len(whole) // 2])
    for name in ("text", "empty", "half"):
        with pytest.raises(FileError, match=f"{name}.parquet is not a Parquet file, or a broken"):
            Measurements.load(tmp_path / f"{name}.parquet")
    with pytest.raises(FileError, match=r"not saved by metricatlas.*from_frame"):
        Measurements.load(tmp_path / "foreign.parquet")
    with pytest.raises(FileError, match="there is no file"):
        Measurements.load(tmp_path / "none.parquet")
    with pytest.raises(FileError, match="is a directory"):
        Measurements.load(tmp_path)


@pytest.mark.parametrize("place", [30, 0.25, 0.5, 0.75])
def test_a_damaged_file_is_an_error_and_not_other_numbers(tmp_path, place):
    table = simple(500, 3)
    table.save(tmp_path / "m.parquet")
    content = bytearray((tmp_path / "m.parquet").read_bytes())
    place = place if isinstance(place, int) else int(place * len(content))
    content[place : place + 8] = bytes(255 - b for b in content[place : place + 8])
    (tmp_path / "m.parquet").write_bytes(content)
    with pytest.raises(FileError, match=r"m\.parquet"):
        Measurements.load(tmp_path / "m.parquet")


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b"{", "was changed after"),
        (b'{"format": 1}', "was changed after"),
        (b"[]", "was changed after"),
        (b'{"format": 99}', "newer metricatlas"),
    ],
)
def test_metadata_that_does_not_fit_is_refused(tmp_path, metadata, message):
    content = pa.table({"acc": [1.0]}).replace_schema_metadata({"metricatlas": metadata})
    pq.write_table(content, tmp_path / "m.parquet")
    with pytest.raises(FileError, match=message):
        Measurements.load(tmp_path / "m.parquet")


def test_a_place_that_cannot_be_written_is_refused(table, tmp_path):
    with pytest.raises(FileError, match=r"there is no folder .*none"):
        table.save(tmp_path / "none" / "m.parquet")
    with pytest.raises(FileError, match="is a directory; name a file in it"):
        table.save(tmp_path)
    with pytest.raises(FileError, match=r"saved as Parquet; got the name .*m\.csv"):
        table.save(tmp_path / "m.csv")
    with pytest.raises(FileError, match="is no plain file"):
        table.save(os.devnull)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(table, tmp_path, monkeypatch):
    table.save(tmp_path / "m.parquet")

    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", full)
    with pytest.raises(FileError, match=r"m\.parquet cannot be written: No space left on device"):
        table.oriented().save(tmp_path / "m.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["m.parquet"]
    assert Measurements.load(tmp_path / "m.parquet") == table


def test_a_saved_file_has_the_usual_rights_and_a_link_stays_one(table, tmp_path):
    (tmp_path / "real.parquet").touch()
    usual = stat.S_IMODE((tmp_path / "real.parquet").stat().st_mode)
    (tmp_path / "link.parquet").symlink_to(tmp_path / "real.parquet")
    table.save(tmp_path / "link.parquet")
    assert (tmp_path / "link.parquet").is_symlink()
    assert stat.S_IMODE((tmp_path / "real.parquet").stat().st_mode) == usual
    assert Measurements.load(tmp_path / "real.parquet") == table


@pytest.mark.parametrize("path", [None, 3])
def test_a_file_is_named_by_a_text_or_a_path(path):
    for door in (make_table().save, Measurements.load):
        with pytest.raises(FileError, match="a file is named by a text or a path; got"):
            door(path)


@pytest.mark.parametrize(
    "groups",
    [
        pd.to_timedelta([1, 1, 2, 2], unit="ns"),
        pd.to_timedelta([1, 1, 2, 2], unit="h").to_numpy(),
        pl.Series([dt.timedelta(days=1)] * 2 + [dt.timedelta(hours=3)] * 2),
        pd.period_range("2024-01", periods=2, freq="M").repeat(2),
        pd.period_range("2024-01-01", periods=2, freq="W-WED").repeat(2),
        pd.interval_range(0, 2).repeat(2),
        pd.interval_range(pd.Timestamp("2024"), periods=2, closed="left").repeat(2),
        [dt.time(1), dt.time(1), dt.time(2, 30), dt.time(2, 30)],
    ],
)
def test_groups_of_every_kind_come_back_from_a_file(groups, tmp_path):
    table = ma.evaluate([0, 1, 0, 1], [0.1, 0.9, 0.3, 0.2], groups=groups, measures=["acc"])
    table.save(tmp_path / "table.parquet")
    loaded = Measurements.load(tmp_path / "table.parquet")
    assert loaded == table
    assert table.to_arrow().num_rows == table.to_polars().height == 2


BERLIN = ZoneInfo("Europe/Berlin")
#: Midnight before and after summer time begins.
DAYS = [dt.datetime(2024, 3, 31, tzinfo=BERLIN), dt.datetime(2024, 4, 1, tzinfo=BERLIN)]
ZONED = {
    "pandas": pd.Series,
    "pandas index": pd.DatetimeIndex,
    "pandas arrow": lambda days: pd.Series(days).astype(
        pd.ArrowDtype(pa.timestamp("us", "Europe/Berlin"))
    ),
    "polars": lambda days: pl.Series(days, dtype=pl.Datetime("us", "Europe/Berlin")),
    "arrow": lambda days: pa.array(days, type=pa.timestamp("us", "Europe/Berlin")),
    "list": list,
}


@pytest.mark.parametrize("container", ZONED)
def test_groups_keep_their_time_zone(container, tmp_path):
    groups = ZONED[container]([DAYS[1], DAYS[0], DAYS[1], DAYS[0]])
    table = ma.evaluate([0, 1, 0, 1], [0.1, 0.9, 0.3, 0.2], groups=groups, measures=["acc"])
    found = table.rows["group"].tolist()
    assert [day.isoformat() for day in found] == [
        "2024-03-31T00:00:00+01:00",
        "2024-04-01T00:00:00+02:00",
    ]
    assert table.where(group=DAYS[0]).values.tolist() == [[0.5]]
    assert table.where(group=DAYS[1]).values.tolist() == [[1.0]]
    table.save(tmp_path / "table.parquet")
    assert Measurements.load(tmp_path / "table.parquet") == table
