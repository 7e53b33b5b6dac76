"""Names of columns, classes and models: what looks alike is refused, and nothing is misread."""

import numpy as np
import pandas as pd
import pytest

import metricatlas as ma
from metricatlas.errors import FileError
from metricatlas.files import Asked, read_prediction_file


def read(folder, text, **asked):
    path = folder / "file.csv"
    path.write_text(text)
    return read_prediction_file(str(path), Asked(truth="y", **asked))


def models(found):
    return {model.name: model.kind for model in found.models}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y,m:0,m:1,m:1.0\n0,.6,.4,.4\n1,.3,.7,.7\n", "both are class 1 of model `m`"),
        ("y,m:0,m:1,m:True\n0,.6,.4,.4\n1,.3,.7,.7\n", "`m:1` and `m:True` look alike"),
        ("y,m:1,m:True,m:False\n0,.6,.4,.4\n1,.3,.7,.7\n", "both are class 1 of model `m`"),
        ("y,m:cat,m: cat,m:dog\ncat,.6,.6,.4\ndog,.3,.3,.7\n", "both are class 'cat' of model"),
        ("y,m:cat,m :cat,m:dog\ncat,.6,.6,.4\ndog,.3,.3,.7\n", "both are class 'cat' of model"),
        ("y,m:cat,m:Cat,m:dog\ncat,.6,.6,.4\ndog,.3,.3,.7\n", "classes 'cat' and 'Cat' .* alike"),
    ],
)
def test_two_columns_for_one_class_of_one_model_are_refused(text, message, tmp_path):
    asked = {"pos_label": "dog"} if "dog" in text else {}
    with pytest.raises(FileError, match=message):
        read(tmp_path, text, **asked)
    if "Cat" in text:
        with pytest.raises(FileError, match=message):
            read(tmp_path, text, labels=("cat", "dog"), **asked)


def test_true_and_false_name_the_classes_1_and_0(tmp_path):
    found = read(tmp_path, "y,m:False,m:True\n0,.6,.4\n1,.3,.7\n")
    assert models(found) == {"m": "probabilities"}
    assert found.parts[0].predictions["m"].tolist() == [[0.6, 0.4], [0.3, 0.7]]


@pytest.mark.parametrize(
    ("names", "asked"),
    [
        ("w,W", {"weight": "w"}),
        ("w,W", {"groups": ("w",)}),
        ("w,W", {"groups": ("w",), "models": ("a",)}),
        ("w,Y", {"weight": "w"}),
        ("w,\uff37", {"weight": "w"}),
        ("w,w\u200b", {"weight": "w"}),
        ("w,w\ufeff", {"weight": "w"}),
        ("m\u00e9,me\u0301", {}),
        ("stra\u00dfe,STRASSE", {}),
        ("m 1,m\u00a01", {}),
    ],
)
def test_columns_that_look_alike_are_refused_whatever_they_are_for(names, asked, tmp_path):
    with pytest.raises(FileError, match=r"the columns `.*` and `.*` of .* look alike"):
        read(tmp_path, f"y,a,{names}\n0,.5,1,1\n1,.6,1,1\n", **asked)


@pytest.mark.parametrize(
    "names",
    ["m:0,m:1,M:1", "M:1,m:0,m:1", "m:0,m:1,m:x,M:1", "rf:0,rf:1,m:0,m:1,\uff2d:1"],
)
def test_columns_that_look_like_one_of_a_model_are_refused(names, tmp_path):
    count = names.count(",") + 1
    row = ",".join([".5"] * count)
    with pytest.raises(FileError, match=r"the columns `m:\d` and `.:\d` of .* look alike"):
        read(tmp_path, f"y,{names}\n0,{row}\n1,{row}\n")
    with pytest.raises(FileError, match="`rf:b` and `RF:b`"):
        read(tmp_path, "y,rf:a,rf:b,RF:b\na,.6,.4,.4\nb,.3,.7,.7\n", pos_label="b")
    with pytest.raises(FileError, match="`m:1` and `M:1`"):
        read(tmp_path, "y,m:0,m:1,M:1\n0,.6,.4,1\n1,.3,.7,2\n", groups=("M:1",))


@pytest.mark.parametrize(
    ("names", "left_out"),
    [
        ("m:0,m:1,M", ("M",)),
        ("M,m:0,m:1", ("M",)),
        ("m:0,m:1,M:0,M:1", ("m:0", "m:1")),
        ("rf:0,rf:1,m,M", ("M",)),
    ],
)
def test_what_is_said_to_leave_out_can_be_left_out(names, left_out, tmp_path):
    row = ",".join([".5"] * (names.count(",") + 1))
    text = f"y,{names}\n0,{row}\n1,{row}\n"
    with pytest.raises(FileError, match="look alike") as raised:
        read(tmp_path, text)
    said = " ".join(f"--ignore {name!r}" for name in left_out)
    assert str(raised.value).endswith(f"with {said}.")
    assert "m" in {name.casefold() for name in models(read(tmp_path, text, ignore=left_out))}


@pytest.mark.parametrize("other", ["M1", "m1 ", "m\u200b1"])
def test_models_of_the_long_form_that_look_alike_are_refused(other, tmp_path):
    text = f'model,y,1\nm1,0,.2\nm1,1,.7\n"{other}",0,.2\n"{other}",1,.7\n'
    with pytest.raises(FileError, match=r"the models 'm1' and .* look alike"):
        read(tmp_path, text)
    assert models(read(tmp_path, text, models=("m1",))) == {"m1": "probabilities"}


def test_columns_beside_the_long_form_that_look_alike_are_refused(tmp_path):
    with pytest.raises(FileError, match="`f` and `F`"):
        read(tmp_path, "model,y,1,f,F\na,0,.2,1,x\na,1,.7,1,y\n", groups=("f",))


def test_classes_that_look_alike_are_refused_unless_they_are_named(tmp_path):
    with pytest.raises(FileError, match=r"the classes 'cat' and 'cat ' of the column `y`"):
        read(tmp_path, 'y,a\ncat,.1\n"cat ",.3\ndog,.9\n', pos_label="dog")
    text = "y,m:a,m:A\na,.6,.4\nA,.3,.7\n"
    with pytest.raises(FileError, match=r"name all classes with --labels"):
        read(tmp_path, text, pos_label="A")
    assert models(read(tmp_path, text, labels=("a", "A"), pos_label="A")) == {"m": "probabilities"}


def test_a_class_may_have_a_colon(tmp_path):
    text = "y,m:x:1,m:x:2\nx:1,.8,.2\nx:2,.3,.7\n"
    for asked in ({}, {"models": ("m",)}, {"labels": ("x:1", "x:2")}):
        found = read(tmp_path, text, pos_label="x:2", **asked)
        assert models(found) == {"m": "probabilities"}
        assert found.parts[0].predictions["m"].tolist() == [[0.8, 0.2], [0.3, 0.7]]


def test_a_class_with_a_colon_is_never_read_in_two_ways(tmp_path):
    text = "y,m:x:1,m:1\nx:1,.8,.2\n1,.3,.7\n"
    with pytest.raises(FileError, match=r"the class 'x:1' of `m` or the class '1' of `m:x`"):
        read(tmp_path, text, pos_label="1")
    third = "y,m:x:1,m:x:2,m:x:3\nx:1,.8,.1,.1\nx:2,.3,.6,.1\n"
    with pytest.raises(FileError, match=r"`m:x:3` must be a class of model `m`.*--labels"):
        read(tmp_path, third, pos_label="x:1")
    found = read(tmp_path, third, labels=("x:1", "x:2", "x:3"))
    assert models(found) == {"m": "probabilities"}


def test_the_column_of_models_may_be_meant_but_misspelled(tmp_path):
    text = "Model,y,a,b,c\nrf,a,.5,.5,0\nrf,b,.5,.5,0\nnb,c,.5,.5,0\n"
    with pytest.raises(FileError, match="is named `model`: rename `Model`"):
        read(tmp_path, text)


def test_the_places_of_bad_cells_are_those_in_the_file(tmp_path):
    frame = pd.DataFrame({"y": [0, 1] * 4, "w": [0, 1, 1, 0, 1, 1, 1, 1], "a": 0.5})
    frame.loc[6, "a"] = np.nan
    frame.to_csv(tmp_path / "weighted.csv", index=False)
    with pytest.raises(FileError, match=r"row 6 \(counted from 0\)"):
        read_prediction_file(str(tmp_path / "weighted.csv"), Asked(truth="y", weight="w"))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("y,m:Cat,m:Dog\ncat,.6,.4\ndog,.3,.7\n", {"pos_label": "dog"}),
        ("y,m:00,m:01\n0,.6,.4\n1,.3,.7\n", {}),
        ("y,m:0.0,m:1.0\nFalse,.6,.4\nTrue,.3,.7\n", {}),
    ],
)
def test_columns_that_name_the_classes_otherwise_are_no_models(text, asked, tmp_path):
    with pytest.raises(FileError, match=r"look like the classes .*, but are written otherwise"):
        read(tmp_path, text, **asked)


def test_predicted_labels_that_only_look_like_classes_are_shown_as_they_are(tmp_path):
    with pytest.raises(FileError, match=r"`t` holds 'cat ' besides the classes cat, dog"):
        read(tmp_path, 'y,t\ncat,"cat "\ndog,dog\n', pos_label="dog")


@pytest.mark.parametrize(
    ("truth", "decided", "pos_label", "classes", "positive"),
    [
        ("a", "ab", "a", ("a", "b"), "a"),
        ("b", "ab", "b", ("a", "b"), "b"),
        ("a", "aa", "a", ("a", "not a"), "a"),
        ("a", ".3 .8", "a", ("a", "not a"), "a"),
        ("5", "57", "5", (5, 7), 5),
        ("1", "1 -1", None, (-1, 1), 1),
        ("1", "-1 -1", None, (-1, 1), 1),
        ("1", "1 -1", "1", (-1, 1), 1),
        ("1", "10", None, (0, 1), 1),
    ],
)
def test_the_other_class_of_one_is_what_else_is_decided(
    truth, decided, pos_label, classes, positive, tmp_path
):
    one, other = decided.split() if " " in decided else decided
    found = read(tmp_path, f"y,m\n{truth},{one}\n{truth},{other}\n", pos_label=pos_label)
    assert (found.classes.names, found.classes.positive) == (classes, positive)


def test_one_class_and_several_others_decided_must_be_named(tmp_path):
    for text, pos_label in (("y,m\na,a\na,b\na,c\n", "a"), ("y,m\na,a\na,b\n", None)):
        with pytest.raises(FileError, match=r"holds one class, 'a'.*--labels"):
            read(tmp_path, text, pos_label=pos_label)


def test_one_class_in_a_file_is_what_it_is_in_python(tmp_path):
    for truth, decided, pos_label, recall in (
        (["a", "a"], ["a", "b"], "a", 0.5),
        ([1, 1], [1, -1], None, 0.5),
        ([1, 1, 1], [-1, -1, 1], 1, 1 / 3),
    ):
        rows = "".join(f"{y},{d}\n" for y, d in zip(truth, decided, strict=True))
        found = read(tmp_path, f"y,m\n{rows}", pos_label=pos_label and str(pos_label))
        (part,) = found.parts
        options = {"labels": found.classes.names, "pos_label": found.classes.positive}
        assert ma.measure("recall", part.truth, part.predictions["m"], **options) == recall
        assert ma.measure("recall", truth, decided, pos_label=pos_label) == recall
