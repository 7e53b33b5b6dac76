"""Data sets of OpenML, as a server on this machine plays it by what OpenML once answered."""

import gzip
import hashlib
import json
import re
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from urllib.parse import urlparse

import pandas as pd
import pytest
import sklearn.datasets._openml as client

from metricatlas.errors import PopulationError
from metricatlas.populations.datasets import fetch, known, load

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


class Answers(BaseHTTPRequestHandler):
    """Answers from a table of paths; what is not in it OpenML refuses by 412."""

    def do_GET(self):
        self.server.asked.append(self.path)
        content = self.server.answers.get(self.path)
        self.send_response(412 if content is None else 200)
        self.end_headers()
        self.wfile.write(content or b"{}")

    def log_message(self, *_):
        pass


@pytest.fixture
def openml(monkeypatch):
    """Start a server, and turn what asks for OpenML to it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.answers, server.asked = {}, []
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

    def opened(request, *rest, **options):
        path = urlparse(request.full_url).path
        url = f"http://127.0.0.1:{server.server_port}{path}"
        return urllib.request.urlopen(url, *rest, **options)  # noqa: S310 - our own server

    monkeypatch.setattr(client, "urlopen", opened)
    yield server
    server.shutdown()
    server.server_close()


def recorded(number):
    """Return what OpenML answered, by path."""
    folder = resources.files("sklearn.datasets.tests.data.openml") / f"id_{number}"
    if not folder.is_dir():
        pytest.skip("this scikit-learn was installed without the answers of OpenML")
    paths = {"jd": "", "jdf": "features/", "jdq": "qualities/"}
    answers = {
        f"/api/v1/json/data/{path}{number}": gzip.decompress(
            (folder / f"api-v1-{kind}-{number}.json.gz").read_bytes()
        )
        for kind, path in paths.items()
    }
    described = json.loads(answers[f"/api/v1/json/data/{number}"])["data_set_description"]
    (data,) = (file for file in folder.iterdir() if file.name.startswith("data-v1-dl"))
    answers[urlparse(described["url"]).path] = gzip.decompress(data.read_bytes())
    return answers


def test_a_fetched_data_set_is_kept_and_not_fetched_again(openml, cache):
    openml.answers |= recorded(61)
    found = fetch("iris")
    assert found.counts == known()["iris"].counts
    assert list(found.features) == ["sepallength", "sepalwidth", "petallength", "petalwidth"]
    assert found.source == f"{cache / 'iris.arff.gz'} (hash checked), from OpenML 61"
    asked = len(openml.asked)
    assert fetch("iris").digest == load("iris").digest == found.digest
    assert len(openml.asked) == asked
    assert fetch("iris", again=True).digest == found.digest
    assert len(openml.asked) > asked
    assert {path.name for path in cache.iterdir()} == {"MANIFEST.csv", "iris.arff.gz"}


def test_iris_of_openml_is_iris_of_the_folder(openml, datasets_folder):
    openml.answers |= recorded(61)
    assert fetch("iris").digest == load("iris", data=datasets_folder).digest


def test_what_openml_says_is_no_attribute_is_left_out_and_declared_values_stay(openml):
    openml.answers |= recorded(62)
    found = fetch("openml-62")
    assert found.name == "openml-62"
    assert (len(found), found.features.shape[1]) == (101, 16)
    assert "animal" not in found.features
    assert found.nominal == [name for name in found.features if name != "legs"]
    declared = re.search(
        rb"ATTRIBUTE type\s+\{(.*)\}", openml.answers[openml.asked[-1]], re.IGNORECASE
    )
    assert list(found.classes) == [name.strip(b" '").decode() for name in declared[1].split(b",")]


def described(number, text, **changed):
    """Return the answers for a data set of our own."""
    read = [line.split(maxsplit=2)[1:] for line in text.splitlines() if line.startswith("@attr")]
    kinds = [(name, "nominal" if kind.startswith("{") else "numeric") for name, kind in read]
    features = [
        {
            "index": str(i),
            "name": name,
            "data_type": kind,
            "is_target": "false",
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for i, (name, kind) in enumerate(kinds)
    ]
    description = {
        "id": str(number),
        "name": "own",
        "version": "1",
        "description": "ours",
        "format": "ARFF",
        "status": "active",
        "url": f"https://www.openml.org/data/v1/download/{number}/own.arff",
        "default_target_attribute": "c",
        "md5_checksum": hashlib.md5(text.encode()).hexdigest(),  # noqa: S324 - OpenML's choice
        **changed,
    }
    rows = len([line for line in text.partition("@data\n")[2].splitlines() if line])
    quality = [{"name": "NumberOfInstances", "value": str(float(rows))}]
    answers = {
        "": {"data_set_description": description},
        "features/": {"data_features": {"feature": features}},
        "qualities/": {"data_qualities": {"quality": quality}},
    }
    return {
        f"/api/v1/json/data/{path}{number}": json.dumps(answer).encode()
        for path, answer in answers.items()
    } | {f"/data/v1/download/{number}/own.arff": text.encode()}


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ("1,u,yes\n?,?,no\n0.1,v,yes\n", "ARFF"),
        ("{0 1, 2 yes}\n{0 ?, 1 ?}\n{0 0.1, 1 v, 2 yes}\n", "Sparse_ARFF"),
    ],
)
def test_missing_values_and_declared_values_come_through(openml, folder, rows, kind):
    openml.answers |= described(7, HEAD + rows, format=kind)
    found = fetch("openml-7")
    (folder / "own.arff").write_text(HEAD + rows)
    read = load("own", data=folder)
    pd.testing.assert_frame_equal(found.features, read.features)
    assert list(found.features["b"].cat.categories) == ["u", "v", "w"]
    assert found.digest == read.digest


def test_a_task_is_derived_from_what_is_fetched_and_its_order_of_rows_is_checked(openml):
    text = HEAD.replace("{no,yes,maybe}", "{0,1}")
    rows = ["1,u,0"] * 40 + ["2,v,1"] * 40
    openml.answers |= described(337, text + "\n".join([*rows, "3,w,1"]) + "\n")
    found = fetch("spectf-80")
    assert (found.name, found.counts) == ("spectf-80", {"0": 40, "1": 40})
    assert load("spectf-80").digest == found.digest
    openml.answers |= described(337, text + "\n".join(["3,w,0", *rows]) + "\n")
    with pytest.raises(PopulationError, match=r"got \{'0': 41, '1': 39\}\. The file"):
        fetch("spectf-80", again=True)


@pytest.mark.filterwarnings("ignore:Invalid cache, redownloading")
def test_a_download_that_is_not_what_openml_has_is_refused(openml, cache):
    openml.answers |= recorded(61)
    path = next(path for path in openml.answers if path.endswith(".arff"))
    openml.answers[path] = openml.answers[path].replace(b"5.1,3.5", b"5.1,3.6", 1)
    with pytest.raises(PopulationError, match=r"data set 61 for iris; it did not \(The md5"):
        fetch("iris")
    assert not cache.exists()


def test_a_kept_file_that_was_changed_is_refused(openml, cache):
    openml.answers |= recorded(61)
    fetch("iris")
    path = cache / "iris.arff.gz"
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(PopulationError, match="must be the file whose SHA-256 begins with"):
        load("iris")


def test_what_openml_cannot_give_is_refused(openml, monkeypatch, cache):
    with pytest.raises(PopulationError, match=r"it did not \(Dataset with data_id 40 not found\)"):
        fetch("sonar")
    for number, target in ((8, "b,c"), (9, "")):
        openml.answers |= described(number, HEAD + "1,u,no\n", default_target_attribute=target)
        with pytest.raises(PopulationError, match="must name one class"):
            fetch(f"openml-{number}")
    for name in ("new-thyroid", "openml-0", "openml-x", "sonarr", "SP1"):
        with pytest.raises(PopulationError, match=r"brought|there is no|not public"):
            fetch(name)
    monkeypatch.setattr(client.time, "sleep", lambda _: None)

    def unreachable(*_):
        raise urllib.error.URLError("no route to host")

    monkeypatch.setattr(client, "urlopen", unreachable)
    with pytest.raises(PopulationError, match=r"no route to host.*Try again, or put its file"):
        fetch("sonar")
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_is_an_error_that_says_so(openml, tmp_path, monkeypatch):
    openml.answers |= recorded(61)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("METRICATLAS_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(PopulationError, match="iris cannot be kept in"):
        fetch("iris")
