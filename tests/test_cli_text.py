"""Files of text: what types their columns get, and what is said of text that is none of ours."""

import datetime as dt
import gzip

import pandas as pd
import pytest

from metricatlas.errors import FileError
from metricatlas.files import Asked, read_prediction_file


def read(folder, text, name="file.csv", **asked):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_prediction_file(str(path), Asked(truth="y", **asked))


def kinds(found):
    return {model.name: model.kind for model in found.models}


def test_numbers_padded_with_zeros_stay_text(tmp_path):
    found = read(tmp_path, 'y,a\n"01",.1\n"1",.3\n"01",.9\n', pos_label="01")
    assert found.classes.names == ("01", "1")
    assert found.counts == (2, 1)
    found = read(tmp_path, "y,a,g\n0,.1,007\n1,.3,7\n1,.9,007\n", groups=("g",))
    assert found.groups.names == (("007",), ("7",))
    with pytest.raises(FileError, match=r'`t` must hold numbers; it holds text .*, as in "00"'):
        read(tmp_path, "y,t\n0,00\n1,01\n")
    late = "y,a\n" + "1,0.5\n" * 300_000 + "01,0.75\n"
    assert read(tmp_path, late, pos_label="01").counts == (1, 300_000)


def test_names_of_columns_padded_with_zeros_are_no_classes(tmp_path):
    found = read(tmp_path, "y,run:01,run:02\n0,.2,.3\n1,.6,.7\n")
    assert [m.name for m in found.models] == ["run:01", "run:02"]


def test_a_label_too_large_for_a_number_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"at most 15 digits.*got 1e\+25 in row 0"):
        read(tmp_path, "y,a\n9999999999999999999999999,.1\n1,.2\n")


@pytest.mark.parametrize("asked", [{}, {"models": ("a",)}, {"kind": "scores"}])
@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("abc", "Correct it"),
        ("None", "Drop or fill"),
        ("20%", "percent sign"),
        ('"0,2"', "decimal point"),
        ('"1,200.5"', "separator of thousands"),
    ],
)
def test_a_bad_cell_among_numbers_is_named(asked, cell, hint, tmp_path):
    rows = [f"{i % 2},0.{i:04}" for i in range(1, 900)]
    rows[700] = f"0,{cell}"
    expected = rf"`a` is not numeric: 1 cell, .* in row 700 \(counted from 0\)\..*{hint}"
    with pytest.raises(FileError, match=expected):
        read(tmp_path, "y,a\n" + "\n".join(rows) + "\n", **asked)


def test_a_column_of_numbers_written_otherwise_is_named(tmp_path):
    with pytest.raises(FileError, match=r'3 cells, the first "20%" in row 0 .*percent sign'):
        read(tmp_path, "y,a\n0,20%\n1,30%\n1,20%\n")
    with pytest.raises(FileError, match=r'`a:1` is not numeric: 1 cell, "x" in row 1'):
        read(tmp_path, "y,a:0,a:1\n0,.1,.9\n1,.4,x\n")
    with pytest.raises(FileError, match=r'`1` is not numeric: 1 cell, "x" in row 1'):
        read(tmp_path, "model,y,0,1\nm,0,.1,.9\nm,1,.4,x\n")
    with pytest.raises(FileError, match=r'`w` is not numeric: 1 cell, "x" in row 1'):
        read(tmp_path, "y,a,w\n0,.1,1\n1,.4,x\n", weight="w")
    frame = pd.DataFrame({"y": [0, 1], "a": ["0.5", "0.25"]})
    frame.to_parquet(tmp_path / "file.parquet")
    with pytest.raises(FileError, match="it holds text that spells numbers"):
        read_prediction_file(str(tmp_path / "file.parquet"), Asked(truth="y"))


def test_labels_that_are_no_classes_are_still_named_as_such(tmp_path):
    with pytest.raises(FileError, match=r"`t` holds x besides the classes 0, 1"):
        read(tmp_path, "y,t\n0,1\n1,x\n1,0\n")


def test_a_column_of_nothing_has_missing_values(tmp_path):
    for text in ("y,a\n0,\n1,\n", "y,a:0,a:1\n0,.5,\n1,.5,\n"):
        with pytest.raises(FileError, match=r"got 2 missing values, the first in row 0"):
            read(tmp_path, text)
    with pytest.raises(FileError, match=r"`y` must be complete; got 2 missing values"):
        read(tmp_path, "y,a\n,.5\n,.4\n")


def test_dates_are_the_same_text_from_every_kind_of_file(tmp_path):
    days = [dt.datetime(2024, 1, day) for day in (1, 2)]  # noqa: DTZ001 - as files have them
    hours = [dt.datetime(2024, 1, 1, hour) for hour in (1, 2)]  # noqa: DTZ001 - as files have them
    frame = pd.DataFrame({"y": [0, 1], "a": [0.1, 0.2], "day": days, "hour": hours})
    frame.to_parquet(tmp_path / "file.parquet")
    frame.to_csv(tmp_path / "file.csv", index=False)
    names = [
        read_prediction_file(str(tmp_path / name), Asked(truth="y", groups=("day", "hour")))
        for name in ("file.parquet", "file.csv")
    ]
    assert names[0].groups.names == names[1].groups.names
    assert names[0].groups.names[0] == ("2024-01-01", "2024-01-01 01:00:00")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("y,a", "must have at least one row below its names"),
        ("y,mod\u00e8le\n0,.1\n1,.2\n".encode("latin-1"), "another encoding.*Save it as UTF-8"),
        ("y,t\noui,\u00e9t\u00e9\n".encode("latin-1"), "another encoding.*Save it as UTF-8"),
        ("y,a\n0,.1\n".encode("utf-16"), "it is in UTF-16. Save it as UTF-8"),
        ("y,a\n0,.1\n".encode("utf-16-le"), "in UTF-16, save it as UTF-8"),
        ("sep=;\ny;a\n0;.1\n", r"got 'sep=;'. Remove it"),
        ("y|a\n0|.1\n1|.2\n", r"must be separated by commas.*'y\|a'"),
        ("y a\n0 .1\n1 .2\n", r"must be separated by commas.*'y a'"),
        ('y,a\n"two\nlines",.1\n\n1,.2,3\n', "line 5 has 3 where 2 are expected"),
    ],
)
def test_text_of_another_kind_is_refused_in_words(content, message, tmp_path):
    with pytest.raises(FileError, match=message):
        read(tmp_path, content)


def test_the_classes_are_quoted_where_one_of_them_is_asked_for(tmp_path):
    with pytest.raises(FileError, match=r"one of the classes ' dog', 'cat'; got 'dog'"):
        read(tmp_path, "y,a\n dog,.1\ncat,.2\n", pos_label="dog")
    with pytest.raises(FileError, match=r"--pos-label ' dog' or --pos-label cat"):
        read(tmp_path, "y,a\n dog,.1\ncat,.2\n")
    assert read(tmp_path, "y,a\n dog,.1\ncat,.2\n", pos_label=" dog").classes.positive == " dog"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n", "is empty"),
        ("y,rf\n", "must have at least one row"),
        ("y,rf\n1,.5\n0,.4,7\n", r"as many values in every row.*line 3 has 3 where 2 are expected"),
        ("y,rf\n1,.5\n0\n", r"as many values in every row.*line 3 has 1 where 2 are expected"),
        ("truth,rf\n1,.5\n0,.4\n", r"no column `y` for --truth; there are `truth`, `rf`"),
        ("Y,rf\n1,.5\n0,.4\n", r"no column `y` for --truth; the nearest are `Y`"),
        ("y,rf,rf\n1,.5,.5\n0,.4,.5\n", r"different names.*`rf` comes 2 times"),
        ("y,rf,y\n1,.5,1\n0,.4,1\n", r"one column `y` for --truth; it has 2"),
        ("y,rf,RF\n1,.5,.5\n0,.4,.5\n", r"`rf` and `RF` .* look alike"),
        ("y,a b,ab\n1,.5,.5\n0,.4,.5\n", r"`a b` and `ab` .* look alike"),
        (
            "y,rf\n1,\n0,.5\n1,\n",
            r"`rf` must be complete; got 2 missing values, the first in row 0",
        ),
        ("y,rf\n1,.2\n0,nan\n", r"`rf` must be complete; got 1 missing value, the first in row 1"),
        ("y,rf\n1,.2\n0,inf\n", r"`rf` must be complete; got 1 infinite value, the first in row 1"),
        ("y,rf\n1,.2\n,.4\n", r"`y` must be complete; got 1 missing value, the first in row 1"),
        ('y,t\n1,"1"\n0,""\n1,"0"\n', r"must be complete|holds"),
        ("y\n1\n0\n", "must have a column for each model"),
        (
            "y,rf\n1,.2\n0,0.1x\n",
            r'`rf` is not numeric: 1 cell, "0.1x" in row 1 \(counted from 0\)',
        ),
    ],
)
def test_a_bad_text_file_is_refused_in_words(text, message, tmp_path):
    with pytest.raises(FileError, match=message):
        read(tmp_path, text)


def test_a_broken_archive_is_refused_in_words(tmp_path):
    packed = gzip.compress(b"y,rf\n" + b"1,0.25\n0,0.5\n" * 999)
    with pytest.raises(FileError, match="cannot be read"):
        read(tmp_path, packed[: len(packed) // 2], name="file.csv.gz")


def test_types_are_guessed_from_the_whole_file(tmp_path):
    rows = [f"{i % 2},0" for i in range(300_000)] + ["1,0.25"]
    found = read(tmp_path, "y,rf\n" + "\n".join(rows) + "\n")
    assert kinds(found) == {"rf": "probabilities"}


def test_text_may_have_a_mark_quotes_line_breaks_and_other_separators(tmp_path):
    text = '\ufeffy; rf ;tree\n"two\nlines";.5;b\nb;.25;"two\nlines"\n'
    found = read(tmp_path, text, pos_label="b")
    assert found.classes.names == ("b", "two\nlines")
    assert kinds(found) == {"rf": "probabilities", "tree": "labels"}
    assert "It is separated by semicolons." in found.notes


def test_a_class_may_be_called_na_in_quotes(tmp_path):
    found = read(tmp_path, 'y,rf\n"NA",.5\n"EU",.25\n', pos_label="EU")
    assert found.classes.names == ("EU", "NA")
    with pytest.raises(FileError, match="must be complete"):
        read(tmp_path, "y,rf\nNA,.5\nEU,.25\n", pos_label="EU")
