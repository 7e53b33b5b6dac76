"""Data sets of one's own and of scikit-learn, what they must be, and their digest."""

import gzip
import hashlib
import json
import re
import struct

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from metricatlas.errors import PopulationError
from metricatlas.populations.datasets import dataset_of, load, names, overview
from metricatlas.populations.datasets.keeping import as_arff
from metricatlas.populations.datasets.tasks import Task, derived

HEAD = (
    "@relation r\n@attribute a numeric\n@attribute b {u,v,w}\n@attribute c {no,yes,maybe}\n@data\n"
)


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.delenv("METRICATLAS_DATA", raising=False)
    monkeypatch.setenv("METRICATLAS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "folder"
    place.mkdir()
    return place


def own(**changed):
    """Return a small data set, of which anything may be changed."""
    given = {
        "features": pd.DataFrame(
            {"a": [1.0, np.nan, 3.0], "b": pd.Categorical(["u", "v", None], categories=["u", "v"])}
        ),
        "target": pd.Series(pd.Categorical(["x", "y", "x"], categories=["y", "z", "x"])),
        "name": "own",
    }
    return dataset_of(**(given | changed))


def test_columns_are_numbers_or_categories_and_classes_keep_their_order():
    found = dataset_of(
        pd.DataFrame(
            {
                "whole": [3, 1, 2],
                "text": ["b", None, "a"],
                "truth": [True, False, True],
                "few": pd.array([1, None, 2], dtype="Int64"),
                10: [0.5, 1.5, 2.5],
            }
        ),
        [10, 9, 10],
        name="own",
    )
    kinds = {name: column.dtype.kind for name, column in found.features.items()}
    assert kinds == {"whole": "f", "text": "O", "truth": "O", "few": "f", "10": "f"}
    assert found.nominal == ["text", "truth"]
    assert list(found.features["truth"].cat.categories) == ["False", "True"]
    assert found.features["few"].isna().tolist() == [False, True, False]
    # Whole numbers come in their own order, not in that of their letters.
    assert (found.classes, found.target.tolist()) == (("9", "10"), ["10", "9", "10"])
    assert own().classes == ("y", "x")
    assert repr(own()) == "<DataSet own: 3 rows, 2 attributes, 2 classes>"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"target": ["x", "x", "x"]}, "must have two classes at least; every row is of 'x'"),
        ({"target": ["x", "y"]}, "got 3 rows and 2 classes"),
        ({"target": ["x", None, "y"]}, "1 of 3 have none"),
        ({"target": [0.5, 1.5, 2.5]}, "must be text, whole numbers or booleans; got 0.5"),
        ({"target": [[1], [2], [3]]}, "must be"),
        ({"target": ["1", 1, "2"]}, "two of them are written '1'"),
        ({"positive": "xx"}, "must be one of its classes; got 'xx'; the nearest are 'x'"),
        ({"positive": "z"}, "must be one of its classes; got 'z'"),
        ({"features": pd.DataFrame(index=range(3))}, "must have attributes besides its class"),
        ({"features": [1, 2, 3]}, "must be a frame or a matrix; got 1 dimensions"),
        ({"features": [[1.0], [np.inf], [2.0]]}, "'x1' of own must be finite numbers"),
        ({"features": [[1j], [2j], [3j]]}, "must be real numbers"),
        ({"features": pd.DataFrame({"a": [[1], [2], [3]]})}, "must be single values"),
        ({"features": pd.DataFrame({"a": pd.to_datetime(["2020"] * 3)})}, "must be text, whole"),
        (
            {"features": pd.DataFrame(np.ones((3, 2)), columns=["a", "a"])},
            "'a' is there twice",
        ),
    ],
)
def test_what_is_no_data_set_is_refused(changed, what):
    with pytest.raises(PopulationError, match=re.escape(what)):
        own(**changed)


def test_the_digest_is_the_hash_of_what_it_says():
    # Written a second time from its description, by plain means.
    head = {
        "version": "metricatlas data set 1",
        "rows": 3,
        "columns": [["a", None], ["b", ["u", "v"]]],
        "classes": ["y", "x"],
        "positive": None,
        "train": None,
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    nan = bytes.fromhex("000000000000f87f")
    numbers = struct.pack("<d", 1.0) + nan + struct.pack("<d", 3.0)
    codes = struct.pack("<3i", 0, 1, -1) + struct.pack("<3q", 1, 0, 1)
    assert own().digest == hashlib.sha256(text + numbers + codes).hexdigest()


def test_the_digest_tells_every_difference_and_nothing_else():
    frame = own().features
    others = [
        own(features=frame.rename(columns={"a": "A"})),
        own(features=frame[["b", "a"]]),
        own(features=frame.assign(a=[1.0, 2.0, 3.0])),
        own(features=frame.assign(a=[1.0, np.nan, np.nextafter(3.0, 4.0)])),
        own(features=frame.assign(b=frame["b"].cat.add_categories("w"))),
        own(features=frame.assign(b=frame["b"].cat.reorder_categories(["v", "u"]))),
        own(features=frame.assign(b=["u", "v", "u"])),
        own(target=["x", "y", "x"]),
        own(target=["y", "x", "y"]),
        own(positive="x"),
        own(train=np.array([0, 1])),
        own(train=np.array([0, 2])),
    ]
    digests = [own().digest, *(other.digest for other in others)]
    assert len(set(digests)) == len(digests)
    assert own(name="another", source="elsewhere").digest == own().digest
    zeros = [own(features=frame.assign(a=[1.0, np.nan, zero])).digest for zero in (0.0, -0.0)]
    assert zeros[0] == zeros[1]


def test_the_digest_does_not_depend_on_the_kind_of_file(folder):
    frame = pd.DataFrame(
        {
            "a": [0.1, np.nan, 1e-300, 3.0],
            "b": pd.Categorical(["u", "v", None, "u"], categories=["u", "v"]),
            "c": pd.Categorical(["no", "yes", "yes", "no"], categories=["no", "yes"]),
        }
    )
    (folder / "one.arff").write_text(as_arff(frame, "one"))
    (folder / "two.arff.gz").write_bytes(gzip.compress(as_arff(frame, "two").encode()))
    frame.to_parquet(folder / "three.parquet")
    frame.to_csv(folder / "four.csv", index=False)
    (folder / "five.csv.gz").write_bytes(gzip.compress((folder / "four.csv").read_bytes()))
    found = [load(name, data=folder) for name in ("one", "two", "three", "four", "five")]
    assert len({dataset.digest for dataset in found}) == 1
    assert "(no hash recorded)" in found[0].source


def test_a_csv_file_has_numbers_where_all_are_numbers_and_its_class_is_never_one(folder):
    text = 'a, b,c,"d, e",class\n1,1_0,x,"say ""no""",1\n?,2,,?,0\n2.5,3, y ,"",1\n\n'
    (folder / "own.csv").write_text("\ufeff" + text, encoding="utf-8")
    found = load("own", data=folder)
    assert list(found.features) == ["a", "b", "c", "d, e"]
    assert found.nominal == ["b", "c", "d, e"]
    assert found.features["a"].fillna(-1).tolist() == [1, -1, 2.5]
    assert found.features["c"].astype(object).where(found.features["c"].notna(), None).tolist() == [
        "x",
        None,
        "y",
    ]
    assert found.features["d, e"].cat.categories.tolist() == ['say "no"']
    assert found.classes == ("0", "1")


def test_the_manifest_names_the_class_and_its_absence_means_the_last_column(folder):
    (folder / "own.csv").write_text("kind,a\nx,1\ny,2\n")
    assert load("own", data=folder).classes == ("1", "2")
    (folder / "MANIFEST.csv").write_text("name,file,class_attribute\nmine,own.csv,kind\n")
    found = load("mine", data=folder)
    assert (found.classes, list(found.features)) == (("x", "y"), ["a"])
    assert "own" not in names(folder)


@pytest.mark.parametrize(
    ("file", "content", "what"),
    [
        ("own.csv", "a,class\n1,x\n2\n", "line 3: a row must have 2 values"),
        ("own.csv", 'a,class\n1,"x\n', "line 2: "),
        ("own.csv", "a,a\n1,x\n", "must name two columns or more, each differently"),
        ("own.csv", "a;class\n1;x\n", "must name two columns or more"),
        ("own.csv", "", "must name two columns or more"),
        ("own.csv", b"a,class\n\xe9,x\n", "must be text in UTF-8; byte 8 is not"),
        ("own.csv.gz", "a,class\n", "must be a whole file of gzip"),
        ("own.csv", "a,class\n", "must have rows, and a class for each of them"),
        ("own.csv", "a,class\n1,x\n2,?\n", "1 of 2 have none"),
        ("own.parquet", "a,class\n", "cannot be read as Parquet"),
        ("own.arff", HEAD.replace("{no,yes,maybe}", "real") + "1,u,2\n", "is declared numeric"),
        ("own.arff", HEAD + "1,u,no\n2,v,no\n", "must have two classes at least"),
        ("own.arff", HEAD + "many,u,no\n", "own.arff, line 6: 'a' is declared numeric"),
    ],
)
def test_a_broken_file_is_refused(folder, file, content, what):
    (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PopulationError, match=re.escape(what)):
        load("own", data=folder)


@pytest.mark.parametrize(
    ("manifest", "what"),
    [
        ("name,path\nown,own.csv\n", "must have the columns name, file; 'file' is not there"),
        ("name,file,sha256\nown,own.csv,123\n", "must be 8 to 64 hexadecimal digits"),
        ("name,file,sha256\nown,own.csv,what?!what\n", "must be 8 to 64 hexadecimal digits"),
        ("name,file,class_attribute\nown,own.csv,klass\n", "the nearest are 'class'"),
        ("name,file\nother,own.csv\nown,own.txt\n", "must end in .arff.gz"),
    ],
)
def test_a_broken_manifest_is_refused(folder, manifest, what):
    (folder / "own.csv").write_text("a,class\n1,x\n2,y\n")
    (folder / "own.txt").write_text("a,class\n1,x\n2,y\n")
    (folder / "MANIFEST.csv").write_text(manifest)
    with pytest.raises(PopulationError, match=re.escape(what)):
        load("own", data=folder)


def test_two_files_of_one_name_are_refused(folder):
    for ending in ("csv", "arff"):
        (folder / f"own.{ending}").write_text("a,class\n1,x\n")
    with pytest.raises(PopulationError, match=r"'own' is in own\.arff and in own\.csv"):
        load("own", data=folder)


def test_a_folder_may_list_tasks_of_its_own(folder):
    (folder / "own.csv").write_text("a,class\n1,x\n2,y\n3,z\n4,x\n")
    (folder / "DERIVED.csv").write_text("derived,base,positive_class_values\nnot y,own,x|z\n")
    found = load("not y", data=folder)
    assert (found.positive, found.counts) == ("x|z", {"rest": 1, "x|z": 3})
    assert {"own", "not y"} <= set(names(folder))
    # The word of the folder counts before that of the catalogue, and a file before both.
    (folder / "DERIVED.csv").write_text("derived,base,positive_class_values\nletter-a,own,y\n")
    assert load("letter-a", data=folder).counts == {"rest": 3, "y": 1}
    (folder / "DERIVED.csv").unlink()
    (folder / "letter-a.csv").write_text("a,class\n1,x\n2,y\n")
    assert load("letter-a", data=folder).classes == ("x", "y")


def test_a_task_that_asks_for_what_is_not_there_is_refused(folder):
    (folder / "vehicle.csv").write_text("a,class\n1,opel\n2,buss\n3,saab\n")
    with pytest.raises(PopulationError, match=r"needs the class 'bus' of vehicle.* 'buss'"):
        load("vehicle-3c", data=folder)
    (folder / "splice.csv").write_text("a,class\n1,EI\n2,IE\n3,N\n")
    with pytest.raises(PopulationError, match=r"needs the attribute 'Instance_name' of splice"):
        load("splice-60", data=folder)


def test_a_training_part_stays_with_its_rows():
    base = own(train=np.array([0, 1]), target=["x", "y", "z"])
    found = derived(base, Task("some", "own", without_classes=("x",)))
    assert found.train.tolist() == [0]
    assert found.target[found.train].tolist() == ["y"]


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_the_sets_of_scikit_learn_are_always_there(name):
    theirs = getattr(sklearn.datasets, f"load_{name}")()
    found = load(name)
    assert np.array_equal(found.features.to_numpy(), theirs.data)
    assert found.target.tolist() == [str(theirs.target_names[code]) for code in theirs.target]
    assert found.source == f"scikit-learn's load_{name}"


def test_a_folder_comes_before_what_is_fetched_and_that_before_scikit_learn(
    folder, cache, monkeypatch
):
    assert "scikit-learn" in load("iris").source
    cache.mkdir()
    (cache / "iris.csv").write_text("a,class\n1,x\n2,y\n")
    assert load("iris").source.startswith(str(cache))
    (folder / "iris.csv").write_text("a,class\n1,x\n2,y\n")
    assert load("iris", data=folder).source.startswith(str(folder))
    monkeypatch.setenv("METRICATLAS_DATA", str(folder))
    assert load("iris").source.startswith(str(folder))
    assert "scikit-learn" in load("wine").source


def test_what_is_not_there_is_refused_with_what_to_do(folder, monkeypatch):
    with pytest.raises(PopulationError, match=r"no data set 'sonarr'; the nearest are 'sonar'"):
        load("sonarr")
    with pytest.raises(PopulationError, match="'metricatlas data fetch sonar' gets it from OpenML"):
        load("sonar", data=folder)
    with pytest.raises(PopulationError, match="autos is not here"):
        load("autos-5c", data=folder)
    with pytest.raises(PopulationError, match="so its file must be brought"):
        load("new-thyroid")
    with pytest.raises(PopulationError, match="SP3 of seliya2009 is not public"):
        load("SP3")
    with pytest.raises(PopulationError, match="data must be a folder of data sets"):
        load("iris", data=folder / "none")
    monkeypatch.setenv("METRICATLAS_DATA", str(folder / "none"))
    with pytest.raises(PopulationError, match="METRICATLAS_DATA must be a folder"):
        load("iris")


def test_the_overview_says_of_every_set_where_it_is(folder, cache):
    (folder / "own.csv").write_text("a,class\n1,x\n2,y\n")
    cache.mkdir()
    (cache / "vehicle.csv").write_text("a,class\n1,x\n2,y\n")
    there = {line.name: line for line in overview(folder)}
    places = {name: (there[name].here, there[name].place) for name in there}
    assert places["own"] == (True, "folder")
    assert places["vehicle"] == places["vehicle-1"] == (True, "fetched")
    assert places["digits"] == (True, "scikit-learn")
    assert places["autos-5c"] == (False, "OpenML 9")
    assert places["new-thyroid"] == (False, "file needed")
    assert places["SP3"] == (False, "no public set")
    assert {line.name for line in there.values() if line.here} == set(names(folder))
    assert there["vehicle-1"].studies == ("seliya2009",)
    with pytest.raises(PopulationError, match="the nearest are 'ferri2009'"):
        overview(study="ferri")
