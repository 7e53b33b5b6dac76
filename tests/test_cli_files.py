"""What prediction files may look like, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from metricatlas.cli.parts import evaluate_file
from metricatlas.errors import FileError, MetricAtlasError, OptionError
from metricatlas.files import Asked, read_prediction_file

TRUTH = [1, 0, 1, 0, 0, 1]
SCORES = [0.9, 0.2, 0.6, 0.7, 0.1, 0.3]
NAMES = ["a", "b", "c", "a", "b", "c"]


@pytest.fixture
def frame():
    return pd.DataFrame({"y": TRUTH, "rf": SCORES, "tree": [1, 0, 1, 1, 0, 0]})


def three_classes(**columns):
    shares = np.random.default_rng(0).dirichlet([1, 1, 1], 6)
    made = {f"rf:{name}": shares[:, i] for i, name in enumerate("abc")}
    return pd.DataFrame({"y": NAMES, **made, **columns})


def read(path, truth="y", **asked):
    return read_prediction_file(str(path), Asked(truth=truth, **asked))


def read_text(folder, text, name="file.csv", **asked):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(path, **asked)


def read_frame(folder, frame, **asked):
    path = folder / "file.parquet"
    frame.to_parquet(path)
    return read(path, **asked)


def kinds(found):
    return {model.name: model.kind for model in found.models}


def write_stream(frame, path):
    table = pa.Table.from_pandas(frame)
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


WRITERS = {
    "file.csv": lambda f, p: f.to_csv(p, index=False),
    "file.tsv": lambda f, p: f.to_csv(p, index=False, sep="\t"),
    "file.csv.gz": lambda f, p: f.to_csv(p, index=False),
    "file.csv.zst": lambda f, p: p.write_bytes(
        pa.compress(f.to_csv().encode(), "zstd").to_pybytes()
    ),
    "file.parquet": lambda f, p: f.to_parquet(p),
    "file.feather": lambda f, p: f.to_feather(p),
    "polars.csv": lambda f, p: pl.from_pandas(f).write_csv(p),
    "polars.parquet": lambda f, p: pl.from_pandas(f).write_parquet(p),
    "polars.arrow": lambda f, p: pl.from_pandas(f).write_ipc(p),
    "stream.arrow": write_stream,
    "parquet-under-another-name.csv": lambda f, p: f.to_parquet(p),
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_of_every_kind_give_the_same_predictions(name, frame, tmp_path):
    path = tmp_path / name
    WRITERS[name](frame, path)
    found = read(path)
    assert found.classes.names == (0, 1)
    assert found.classes.positive == 1
    assert kinds(found) == {"rf": "probabilities", "tree": "labels"}
    assert found.parts[0].truth.tolist() == TRUTH
    assert found.parts[0].predictions["rf"].tolist() == SCORES


@pytest.mark.parametrize("kind", ["category", "string", "object"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_text_of_every_type_is_text(kind, library, tmp_path):
    frame = three_classes(nb=NAMES).astype({"y": kind, "nb": kind})
    path = tmp_path / "file.arrow"
    if library == "pandas":
        frame.to_feather(path)
    else:
        pl.from_pandas(frame).write_ipc(path)
    found = read(path)
    assert found.classes.names == ("a", "b", "c")
    assert kinds(found) == {"rf": "probabilities", "nb": "labels"}
    assert found.parts[0].predictions["nb"].tolist() == NAMES


@pytest.mark.parametrize("long", [False, True])
def test_numbers_of_single_precision_stay_so_even_in_text(long, tmp_path):
    shares = np.random.default_rng(1).dirichlet([1, 1, 1], 300).astype(np.float32)
    assert np.abs(shares.astype(np.float64).sum(axis=1) - 1).max() > 1.5e-8
    names = list("abc") if long else ["rf:a", "rf:b", "rf:c"]
    frame = pd.DataFrame(shares, columns=names).assign(y=NAMES * 50)
    frame = frame.assign(model="rf") if long else frame
    path = tmp_path / "file.csv"
    frame.to_csv(path, index=False)
    written = read(path)
    assert "Read in single precision, as it was written: rf." in written.description()
    for found in (written, read_frame(tmp_path, frame)):
        assert found.parts[0].predictions["rf"].dtype == np.float32
        assert np.array_equal(found.parts[0].predictions["rf"], shares)


def test_other_text_is_of_double_precision(tmp_path):
    frame = three_classes()
    frame.to_csv(tmp_path / "file.csv", index=False)
    assert read(tmp_path / "file.csv").parts[0].predictions["rf"].dtype == np.float64
    (frame.iloc[:, 1:] * 0.9).assign(y=NAMES).round(3).to_csv(tmp_path / "file.csv", index=False)
    assert read(tmp_path / "file.csv").parts[0].predictions["rf"].dtype == np.float64


def test_enumerations_of_polars_are_text(tmp_path):
    frame = pl.from_pandas(three_classes()).with_columns(pl.col("y").cast(pl.Enum(["c", "b", "a"])))
    frame.write_ipc(tmp_path / "file.arrow")
    assert read(tmp_path / "file.arrow").parts[0].truth.tolist() == NAMES


def test_class_columns_stand_in_the_order_of_the_classes(tmp_path):
    frame = three_classes()
    turned = frame[["rf:c", "y", "rf:a", "rf:b"]]
    found = read_frame(tmp_path, turned)
    expected = frame[["rf:a", "rf:b", "rf:c"]].to_numpy()
    assert np.array_equal(found.parts[0].predictions["rf"], expected)
    reversed_labels = read_frame(tmp_path, turned, labels=("c", "b", "a"))
    assert np.array_equal(reversed_labels.parts[0].predictions["rf"], expected[:, ::-1])


def test_columns_split_at_the_last_colon_only_where_every_class_has_one(tmp_path):
    text = "y,a:b:0,a:b:1,run:7,x:y\n0,.9,.1,.2,3.5\n1,.3,.7,.6,-1\n"
    found = read_text(tmp_path, text)
    assert kinds(found) == {"a:b": "probabilities", "run:7": "probabilities", "x:y": "scores"}


def test_a_lone_column_of_the_positive_class_is_a_score(tmp_path):
    assert kinds(read_text(tmp_path, "y,rf:1\n0,.2\n1,.6\n")) == {"rf:1": "probabilities"}


def test_a_class_without_a_column_is_named(tmp_path):
    with pytest.raises(FileError, match=r"`rf` must have a column for every class.*none for 1"):
        read_text(tmp_path, "y,rf:0\n0,.2\n1,.6\n")
    with pytest.raises(FileError, match=r"`rf` .*none for c"):
        read_frame(tmp_path, three_classes().drop(columns="rf:c"))
    assert kinds(read_text(tmp_path, "y,rf:0\n0,.2\n1,.6\n", models=("rf:0",)))


def test_classes_may_be_absent_from_the_truth(tmp_path):
    frame = three_classes().replace({"y": {"c": "a"}})
    found = read_frame(tmp_path, frame)
    assert found.classes.names == ("a", "b", "c")
    assert found.counts == (4, 2, 0)
    with pytest.raises(FileError, match=r"`svm` has none for c, `rf` has `rf:c`"):
        read_frame(tmp_path, frame.assign(**{"svm:a": 0.5, "svm:b": 0.5}))


def test_a_column_and_columns_of_classes_cannot_share_a_name(tmp_path):
    with pytest.raises(FileError, match="two models of one name"):
        read_frame(tmp_path, three_classes(rf=NAMES))


def test_the_long_form_is_known_by_its_columns(tmp_path):
    wide = three_classes().rename(columns=lambda n: n.removeprefix("rf:"))
    parts = [wide.assign(model="rf", note="x"), wide.iloc[::-1].assign(model="nb", note="x")]
    found = read_frame(tmp_path, pd.concat(parts, ignore_index=True))
    assert found.long
    assert [list(part.predictions) for part in found.parts] == [["rf"], ["nb"]]
    assert found.parts[1].truth.tolist() == NAMES[::-1]
    assert found.notes == ("Left out: `note`.",)


def test_models_of_a_long_file_with_the_same_examples_share_a_part(tmp_path):
    text = "model,y,0,1,w\na,0,.8,.2,1\nb,0,.6,.4,1\na,1,.3,.7,2\nb,1,.1,.9,2\n"
    found = read_text(tmp_path, text, weight="w")
    (part,) = found.parts
    assert part.truth.tolist() == [0, 1]
    assert part.weight.tolist() == [1, 2]
    assert part.predictions["b"].tolist() == [[0.6, 0.4], [0.1, 0.9]]
    only = read_text(tmp_path, text, weight="w", models=("b",))
    assert kinds(only) == {"b": "probabilities"}
    with pytest.raises(FileError, match=r"no model `B` for --model; the nearest are `b`"):
        read_text(tmp_path, text, weight="w", models=("B",))


def test_a_long_file_of_two_classes_may_have_the_positive_alone(tmp_path):
    found = read_text(tmp_path, "model,y,1\na,0,.2\na,1,.7\n")
    assert found.long
    assert found.parts[0].predictions["a"].tolist() == [0.2, 0.7]


def test_a_long_file_needs_every_class_and_no_other_numbers(tmp_path):
    with pytest.raises(FileError, match=r"in the long form.*none for c"):
        read_text(tmp_path, "model,y,a,b\nrf,a,.5,.5\nrf,b,.5,.5\nrf,c,.5,.5\n")
    with pytest.raises(FileError, match=r"it is not clear what this column is: `c`.*--labels"):
        read_text(tmp_path, "model,y,a,b,c\nrf,a,.5,.5,0\nrf,b,.5,.5,0\n", pos_label="a")


def test_groups_may_be_of_several_columns(frame, tmp_path):
    frame = frame.assign(fold=[2, 10, 2, 10, 2, 10], site=list("nnssss"))
    found = read_frame(tmp_path, frame, groups=("fold", "site"))
    assert found.groups.keys == ("fold", "site")
    assert found.groups.names == ((2, "n"), (2, "s"), (10, "n"), (10, "s"))
    assert found.parts[0].groups.tolist() == [0, 2, 1, 3, 1, 3]


def test_groups_named_model_and_group_stay_two(tmp_path):
    rows = "0,a,x,.2\n1,a,x,.7\n0,b,x,.3\n1,b,z,.4\n"
    path = tmp_path / "file.csv"
    path.write_text(f"y,model,group,m\n{rows}")
    for groups, keys in (
        (("model", "group"), ("group_model", "group")),
        (("group", "model"), ("group", "group_model")),
    ):
        file = read_prediction_file(str(path), Asked(truth="y", groups=groups))
        assert file.groups.keys == keys
        named = {"group_model": ["a", "b", "b"], "group": ["x", "x", "z"]}
        found = evaluate_file(file, ["acc"]).rows
        assert found[list(keys)].to_dict("list") == {key: named[key] for key in keys}


def test_a_group_of_lists_is_refused(frame, tmp_path):
    with pytest.raises(FileError, match=r"`l` must hold text, numbers, dates .* got the type list"):
        read_frame(tmp_path, frame.assign(l=[[1]] * 6), groups=("l",))


def test_rows_without_weight_may_hold_anything(frame, tmp_path):
    frame = frame.assign(w=[1, 0, 2, 0.5, 1, 1]).astype({"y": object, "rf": float})
    frame.loc[1, ["y", "rf"]] = [None, np.nan]
    found = read_frame(tmp_path, frame, weight="w")
    assert found.parts[0].truth.tolist() == [1, 1, 0, 0, 1]
    assert found.parts[0].weight.tolist() == [1, 2, 0.5, 1, 1]
    assert "Left out: 1 row of weight 0." in found.notes
    frame.loc[3, "rf"] = np.nan
    with pytest.raises(FileError, match=r"`rf` must be complete; got 1 missing.*row 3"):
        read_frame(tmp_path, frame, weight="w")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1, 1, 1, -2], r"must not be negative; got 2 such weights, first in row 1"),
        ([0] * 6, "must have a positive weight somewhere"),
        ([1, np.nan, 1, 1, 1, 1], r"must be complete; got 1 missing value, the first in row 1"),
        ([1, np.inf, 1, 1, 1, 1], r"must be complete; got 1 infinite value"),
        (list("abcabc"), "must hold numbers to be the weight"),
    ],
)
def test_bad_weights_are_refused(weights, message, frame, tmp_path):
    with pytest.raises(FileError, match=message):
        read_frame(tmp_path, frame.assign(w=weights), weight="w")


@pytest.mark.parametrize(
    ("truth", "asked", "names", "positive"),
    [
        ([True, False], {}, (False, True), True),
        ([-1, 1], {}, (-1, 1), 1),
        ([0.0, 1.0], {}, (0, 1), 1),
        ([1, 1], {}, (0, 1), 1),
        ([0, 0], {}, (0, 1), 1),
        ([1, 2], {"pos_label": "2"}, (1, 2), 2),
        ([1, 0], {"pos_label": "0"}, (0, 1), 0),
        ([True, False], {"pos_label": "false"}, (False, True), False),
        (["1", "0"], {"pos_label": "1"}, ("0", "1"), "1"),
        (["yes", "no"], {"pos_label": "no"}, ("no", "yes"), "no"),
        (["yes", "yes"], {"labels": ("no", "yes"), "pos_label": "yes"}, ("no", "yes"), "yes"),
        (["yes", "yes"], {"pos_label": "no"}, ("yes", "no"), "no"),
        ([1, 2], {"labels": ("2", "1"), "pos_label": "1"}, (2, 1), 1),
    ],
)
def test_classes_are_matched_as_text_and_typed_as_the_truth(
    truth, asked, names, positive, tmp_path
):
    found = read_frame(tmp_path, pd.DataFrame({"y": truth, "rf": [0.1, 0.2]}), **asked)
    assert found.classes.names == names
    assert [type(name) for name in found.classes.names] == [type(name) for name in names]
    assert found.classes.positive == positive


def test_predicted_labels_match_the_truth_as_text(tmp_path):
    frame = pd.DataFrame({"y": [0, 1], "text": ["1", "0"], "flag": [True, False]})
    found = read_frame(tmp_path, frame)
    assert kinds(found) == {"text": "labels", "flag": "labels"}
    assert found.parts[0].predictions["text"].tolist() == [1, 0]
    assert found.parts[0].predictions["flag"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("truth", "asked", "message"),
    [
        (["no", "yes"], {}, r"which of the two classes no and yes .* --pos-label no or --pos-l"),
        ([1, 2], {}, "which of the two classes 1 and 2"),
        (["no", "yes"], {"pos_label": "maybe"}, "one of the classes 'no', 'yes'; got 'maybe'"),
        ([0, 1], {"pos_label": "yes"}, "which are whole numbers; got 'yes'"),
        ([0, 1], {"labels": ("0", "2")}, r"must name every class; .* also holds 1"),
        ([0, 1], {"labels": ("0", "0")}, "two or more different classes"),
        (["no", "no"], {}, "the others cannot be known from it"),
        ([0.5, 1], {}, r"must hold labels to be the truth.* got 0.5 in row 0"),
        ([None, "a"], {}, r"`y` must be complete; got 1 missing value, the first in row 0"),
        ([np.nan, 1], {}, r"`y` must be complete; got 1 missing value, the first in row 0"),
    ],
)
def test_a_truth_that_is_not_clear_is_refused(truth, asked, message, tmp_path):
    with pytest.raises(MetricAtlasError, match=message):
        read_frame(tmp_path, pd.DataFrame({"y": truth, "rf": [0.1, 0.2]}), **asked)


def test_a_positive_class_of_three_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"--pos-label is for two classes; .* has 3"):
        read_frame(tmp_path, three_classes(), pos_label="a")


def test_columns_that_are_no_models_are_refused_together(frame, tmp_path):
    frame = frame.assign(
        who=["p1", "p2", "p3", "p4", "p5", "p6"], age=range(40, 46), fold=0, late=["1"] * 5 + ["x"]
    )
    with pytest.raises(FileError) as refused:
        read_frame(tmp_path, frame)
    message = str(refused.value)
    assert "`who` holds text that is no class (p1, p2, p3, ...)" in message
    assert "`age` holds whole numbers that are no classes (40, 41, 42, ...)" in message
    assert "`fold` has a name that models have not (--group fold?)" in message
    assert "`late` holds x besides the classes 0, 1 (--labels names all classes)" in message
    assert "--ignore COLUMN" in message
    found = read_frame(tmp_path, frame, ignore=("who", "late"), models=("age", "rf"))
    assert kinds(found) == {"rf": "probabilities", "age": "scores"}
    found = read_frame(tmp_path, frame, ignore=("who", "late", "fold"), kind="scores")
    assert kinds(found) == {"rf": "scores", "tree": "scores", "age": "scores"}


def test_one_column_of_numbers_is_no_model_of_three_classes(tmp_path):
    with pytest.raises(FileError, match=r"each class needs its own \(`lr:a`, `lr:b`, `lr:c`\)"):
        read_frame(tmp_path, three_classes(lr=SCORES))


def test_the_row_index_of_pandas_is_left_out(frame, tmp_path):
    found = read_frame(tmp_path, frame.set_axis(list("stuvwx")))
    assert found.notes == ("Left out: `__index_level_0__`, the row index of pandas.",)
    path = tmp_path / "file.csv"
    frame.to_csv(path)
    assert read(path).notes == ("Left out: a column without a name.",)


@pytest.mark.parametrize("name", ["file.parquet", "file.arrow", "file.feather", "file.csv"])
@pytest.mark.parametrize("damage", ["half", "other"])
def test_a_broken_file_is_refused_in_words(name, damage, frame, tmp_path):
    path = tmp_path / name
    (frame.to_feather if name.endswith(("arrow", "feather")) else frame.to_parquet)(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage == "half" else b"\0\1" + whole)
    with pytest.raises(FileError, match=r"file\.\w+ (is|cannot)"):
        read(path)


def test_a_missing_file_and_a_directory_are_refused(tmp_path):
    (tmp_path / "preds.csv").write_text("y,rf\n1,.5\n")
    with pytest.raises(FileError, match=r"there is no file .*pred\.csv; near it are preds\.csv"):
        read(tmp_path / "pred.csv")
    with pytest.raises(FileError, match=r"there is no folder"):
        read(tmp_path / "no" / "pred.csv")
    with pytest.raises(FileError, match="is a directory; name one file in it"):
        read(tmp_path)
    (tmp_path / "preds.xlsx").write_bytes(b"PK")
    with pytest.raises(FileError, match=r"must end in .csv"):
        read(tmp_path / "preds.xlsx")


def test_one_column_cannot_have_two_roles(frame, tmp_path):
    for asked in ({"weight": "y"}, {"groups": ("y",)}, {"groups": ("rf", "rf")}):
        with pytest.raises(OptionError, match="one column must have one role"):
            read_frame(tmp_path, frame, **asked)
    with pytest.raises(OptionError, match="ask for the same column"):
        read_frame(tmp_path, frame, ignore=("y",))
    with pytest.raises(OptionError, match="--model rf and another option ask for the same column"):
        read_frame(tmp_path, frame.assign(rf=0), groups=("rf",), models=("rf",))
    with pytest.raises(FileError, match=r"no column `tre` for --ignore; the nearest are `tree`"):
        read_frame(tmp_path, frame, ignore=("tre",))
    with pytest.raises(FileError, match=r"no model `rg` for --model"):
        read_frame(tmp_path, frame, models=("rg",))


def test_the_description_says_what_was_understood(frame, tmp_path):
    frame = frame.assign(fold=[1, 1, 1, 2, 2, 2], w=1.5)
    found = read_frame(tmp_path, frame, groups=("fold",), weight="w")
    assert found.description() == (
        f"Read 6 rows of {tmp_path / 'file.parquet'}: truth `y` (1 3, 0 3; positive: 1), 2 models "
        f"(rf: probabilities, tree: labels), groups by fold (2), weights `w`."
    )


def test_names_that_are_given_in_a_list_are_asked_for_one_by_one(frame, tmp_path):
    with pytest.raises(FileError, match=r"; repeat the option: --ignore rf --ignore tree\."):
        read_frame(tmp_path, frame, ignore=("rf,tree",))
    with pytest.raises(FileError, match=r"; repeat the option: --model tree --model rf\."):
        read_frame(tmp_path, frame, models=("tree, rf",))
    spaced = frame.assign(**{"a b": 1, "c": 2})
    with pytest.raises(FileError, match=r"; repeat the option: --group 'a b' --group c\."):
        read_frame(tmp_path, spaced, groups=("a b,c",))
    with pytest.raises(FileError, match=r"; repeat the option: --model a --model b\."):
        read_text(tmp_path, "model,y,1\na,0,.2\nb,1,.7\n", models=("a,b",))
    with pytest.raises(FileError, match="no column `y,rf` for --truth; the nearest are `rf`"):
        read_frame(tmp_path, frame, truth="y,rf")
