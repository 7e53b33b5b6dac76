"""ARFF files: what the format allows is read as it is meant, all else is refused by its line."""

import gzip
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.externals import _arff as liac

from metricatlas.errors import PopulationError
from metricatlas.populations.datasets import arff
from metricatlas.populations.datasets.arff import read_arff
from metricatlas.populations.datasets.keeping import as_arff

HEAD = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n"


@pytest.fixture
def read(tmp_path):
    def reader(text):
        path = tmp_path / "some.arff"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_arff(path)

    return reader


def values(frame):
    """Return the rows as Python's values, what is missing as None."""
    return [
        tuple(None if pd.isna(value) else value for value in row)
        for row in frame.itertuples(index=False, name=None)
    ]


def test_numbers_are_numbers_and_declared_values_are_categories_even_without_rows(read):
    frame = read(HEAD.replace("{x,y}", "{z,x,y}") + "@data\n1,x\n-2.5e-3,?\n?,y\n")
    assert values(frame) == [(1, "x"), (-0.0025, None), (None, "y")]
    assert frame["a"].dtype == np.float64
    assert list(frame["b"].cat.categories) == ["z", "x", "y"]


def test_a_file_without_rows_has_its_columns(read):
    frame = read(HEAD + "@data\n")
    assert (list(frame.columns), len(frame)) == (["a", "b"], 0)
    assert list(frame["b"].cat.categories) == ["x", "y"]


def test_keywords_types_and_spaces_may_be_written_in_many_ways(read):
    text = """% a comment
    @RELATION 'a b'

    @Attribute a\tREAL
    @attribute 'two words' Integer % of them
    @attribute "it's" {x , 'y z',"w,v"}% and more
    @attribute v(g) Numeric
    @attribute tight{p,q}
    % another
    @DATA
    % not a row
    1 , 2 , x , 3 , p

    \t4,5,'y z',?,q
    6,7,"w,v",8,'p'
    """
    frame = read(text)
    assert list(frame.columns) == ["a", "two words", "it's", "v(g)", "tight"]
    assert values(frame) == [
        (1, 2, "x", 3, "p"),
        (4, 5, "y z", None, "q"),
        (6, 7, "w,v", 8, "p"),
    ]


def test_quotes_and_backslashes_hold_what_would_end_a_value(read):
    declared = r"{'it\'s','a\\b','x\ty','%','\u00e9',\"'q'\"}".replace(r"\"", '"')
    frame = read(f"@relation r\n@attribute a {declared}\n@attribute b {{n}}\n@data\n'it\\'s',n\n")
    assert list(frame["a"].cat.categories) == ["it's", "a\\b", "x\ty", "%", "é", "'q'"]
    assert values(frame) == [("it's", "n")]


def test_a_question_mark_in_quotes_is_a_value_and_without_them_is_none(read):
    frame = read("@relation r\n@attribute a {'?',x}\n@attribute b string\n@data\n'?',?\n?,'?'\n")
    assert list(frame["a"].cat.categories) == ["?", "x"]
    assert values(frame) == [("?", None), (None, "?")]


def test_a_row_in_braces_leaves_out_zeros_and_first_values(read):
    frame = read(HEAD + "@attribute c {'?',q r}\n@data\n{0 2.5, 1 y}\n{}\n{ 1 ?,2 'q r' }\n")
    assert values(frame) == [(2.5, "y", "?"), (0, "x", "?"), (0, None, "q r")]


def test_dates_are_seconds_since_1970(read):
    frame = read(
        "@relation r\n@attribute a date\n@attribute b date 'yyyy-MM-dd'\n@data\n"
        "1970-01-02T00:00:01,2000-01-01\n?,?\n"
    )
    assert values(frame) == [(86401, 946684800), (None, None)]


def test_texts_are_categories_of_what_is_found(read):
    frame = read("@relation r\n@attribute a string\n@attribute b {x}\n@data\n'b c',x\na,x\n?,x\n")
    assert values(frame) == [("b c", "x"), ("a", "x"), (None, "x")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(("\ufeff" + HEAD + "@data\n1,x\n").encode(), id="byte order mark"),
        pytest.param((HEAD + "@data\n1,x").replace("\n", "\r\n").encode(), id="lines of Windows"),
        pytest.param((HEAD + "@data\n1,x").encode(), id="no end of the last line"),
    ],
)
def test_files_of_any_system_are_read(read, text):
    assert values(read(text)) == [(1, "x")]


def test_packed_files_are_unpacked_and_torn_ones_refused(tmp_path):
    path = tmp_path / "some.arff.gz"
    packed = gzip.compress((HEAD + "@data\n1,x\n").encode())
    path.write_bytes(packed)
    assert values(read_arff(path)) == [(1, "x")]
    path.write_bytes(packed[:-10])
    with pytest.raises(PopulationError, match="must be a whole file of gzip"):
        read_arff(path)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("@attribute a numeric\n@data\n1\n", 1, "must begin with @relation"),
        ("1,2,3\n", 1, "must begin with @relation"),
        ("@relation r\n@data\n1\n", 2, "must have attributes, then @data"),
        ("@relation r\n@attribute a numeric\n1\n", 3, "must have attributes, then @data"),
        ("@relation r\n@attribute a numeric\n", 2, "the file ends before it"),
        ("", 1, "the file ends before it"),
        ("@relation r\n@attribute a\n@data\n", 2, "must have a name and a type; got 'a'"),
        ("@relation r\n@attribute\n@data\n", 2, "must have a name and a type"),
        ("@relation r\n@attribute '' real\n@data\n", 2, "must have a name and a type"),
        ("@relation r\n@attribute 'a real\n@data\n", 2, "must have a name and a type"),
        ("@relation r\n@attribute a floating\n@data\n", 2, "the type of 'a' must be numeric"),
        ("@relation r\n@attribute a relational\n@data\n", 2, "the type of 'a' must be numeric"),
        ("@relation r\n@attribute a {x,y\n@data\n", 2, "must stand in braces that close"),
        ("@relation r\n@attribute a {x,'y}\n@data\n", 2, "must stand in braces that close"),
        ("@relation r\n@attribute a {x} y\n@data\n", 2, "must stand in braces that close"),
        ("@relation r\n@attribute a {}\n@data\n", 2, "none of them empty"),
        ("@relation r\n@attribute a {x,,y}\n@data\n", 2, "none of them empty"),
        ("@relation r\n@attribute a {x,y,x}\n@data\n", 2, "'x' is there twice"),
        ("@relation r\n@attribute a real\n@attribute a {x}\n@data\n", 3, "declared once only"),
        ("@relation r\n@attribute a date 'QQQ'\n@data\n", 2, "a date must be written in yyyy"),
        (HEAD + "@data\n1,x\n1\n", 6, "must have 2 values, one for each attribute; got 1"),
        (HEAD + "@data\n1,x,y\n", 5, "must have 2 values, one for each attribute; got 3"),
        (HEAD + "@data\n1,x\n\n% c\nten,x\n", 8, "'a' is declared numeric; got 'ten'"),
        (HEAD + "@data\n1_0,x\n", 5, "'a' is declared numeric; got '1_0'"),
        (HEAD + "@data\n,x\n", 5, "'a' is declared numeric; got ''"),
        (HEAD + "@data\n1,xx\n", 5, "'b' does not declare the value 'xx'; the nearest are 'x'"),
        (HEAD + "@data\n1,X\n", 5, "'b' does not declare the value 'X'"),
        (HEAD + "@data\n1,'?'\n", 5, "'b' does not declare the value '?'"),
        (HEAD + "@data\n1,'x\n", 5, "quotes must open and close around a whole value"),
        (HEAD + "@data\n1,'x' y\n", 5, "quotes must open and close around a whole value"),
        (HEAD + "@data\n1,x {5}\n", 5, "'b' does not declare the value"),
        (HEAD + "@data\n{0 1\n", 5, "must close them on its line"),
        (HEAD + "@data\n{0 1, 0 2}\n", 5, "each index once"),
        (HEAD + "@data\n{a 1}\n", 5, "must have pairs as in"),
        (HEAD + "@data\n{2 1}\n", 5, "indices must be below 2"),
        (HEAD + "@attribute c string\n@data\n{0 1}\n", 6, "must give the string 'c'"),
        (HEAD + "@attribute c date\n@data\n1,x,today\n", 6, "'c' must be dates written as"),
    ],
)
def test_what_is_broken_is_refused_by_its_line(read, text, line, what):
    with pytest.raises(PopulationError) as caught:
        read(text)
    assert str(caught.value).startswith(f"some.arff, line {line}: ")
    assert what in str(caught.value)


def test_a_wrong_value_among_thousands_of_rows_is_refused_by_its_line(read):
    rows = ["1,x"] * (2 * arff.ROWS)
    rows[arff.ROWS + 5] = "1,z"
    with pytest.raises(PopulationError, match=f"line {5 + arff.ROWS + 5}: 'b' does not declare"):
        read(HEAD + "@data\n" + "\n".join(rows))


def test_text_that_is_not_utf_8_is_refused_by_its_line(read):
    with pytest.raises(PopulationError, match=r"line 5: the text must be UTF-8"):
        read((HEAD + "@data\n1,").encode() + b"\xe9\n")


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.none()


@st.composite
def frames(draw):
    categories = draw(st.lists(TEXTS.filter(bool), min_size=1, max_size=4, unique=True))
    codes = st.integers(-1, len(categories) - 1)
    rows = draw(st.lists(st.tuples(NUMBERS, codes), max_size=6))
    return pd.DataFrame(
        {
            draw(TEXTS.filter(bool)) + "1": np.array([x for x, _ in rows], dtype=np.float64),
            "b": pd.Categorical.from_codes(
                np.array([c for _, c in rows], dtype=np.int32),
                categories=pd.Index(categories, dtype=object),
            ),
        }
    )


@given(frame=frames(), name=TEXTS)
def test_what_is_written_is_read_again_bit_for_bit(tmp_path_factory, frame, name):
    path = tmp_path_factory.mktemp("arff") / "some.arff"
    path.write_bytes(as_arff(frame, name or "r").encode())
    again = read_arff(path)
    assert list(again.columns) == list(frame.columns)
    first = frame.columns[0]
    assert again[first].to_numpy().tobytes() == frame[first].to_numpy().tobytes()
    assert list(again["b"].cat.categories) == list(frame["b"].cat.categories)
    assert again["b"].cat.codes.tolist() == frame["b"].cat.codes.tolist()


#: What both readers take to mean the same: LIAC's knows fewer escapes and no quoted question mark.
SHARED = st.text("ab ,%'\"{}é", min_size=1, max_size=5).filter(lambda text: text.strip() == text)


@given(
    names=st.lists(SHARED, min_size=1, max_size=4, unique=True),
    rows=st.lists(st.tuples(NUMBERS, st.integers(0, 3)), min_size=1, max_size=5),
)
def test_an_independent_reader_reads_what_is_written(names, rows):
    codes = np.array([code % len(names) for _, code in rows], dtype=np.int32)
    numbers = np.array([x for x, _ in rows], dtype=np.float64)
    nominal = pd.Categorical.from_codes(codes, categories=pd.Index(names, dtype=object))
    text = as_arff(pd.DataFrame({"a": numbers, "b": nominal}), "some name")
    read = liac.loads(text)
    assert read["attributes"] == [("a", "NUMERIC"), ("b", names)]
    for (number, name), x, code in zip(read["data"], numbers, codes, strict=True):
        assert (number is None and math.isnan(x)) or number == x
        assert name == names[code]


@given(
    rows=st.lists(
        st.tuples(
            NUMBERS.map(lambda x: "?" if x is None else repr(x)),
            st.sampled_from(["x", "y", "?", "z", "x,", ""]),
        ),
        max_size=5,
    )
)
def test_the_quick_way_of_reading_gives_what_the_careful_one_gives(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("arff") / "some.arff"
    path.write_text(HEAD + "@data\n" + "".join(f"{a},{b}\n" for a, b in rows))
    found = []
    for plain in (arff.read_plain, lambda *_: None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arff, "read_plain", plain)
            try:
                found.append(repr(values(read_arff(path))))
            except PopulationError as error:
                found.append(str(error))
    assert found[0] == found[1]
