"""Logs, exports and scores at an address, on a real S3 server on localhost."""

import socket
import subprocess
import sys
import time

import pandas as pd
import pytest
from gateways import free_port
from support.masked_models import bert_folder

import anthrokit as ak
from anthrokit.analysis import profile
from anthrokit.anthroscore import score
from anthrokit.core import RunError, TableError
from anthrokit.judging.any_messages import read_messages


@pytest.fixture(scope="module")
def bucket():
    """The address of an empty bucket."""
    import s3fs

    port, patch = free_port(), pytest.MonkeyPatch()
    server = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", str(port)], stderr=subprocess.DEVNULL)
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        patch.setenv(name, value)
    for _ in range(300):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.2)
    s3fs.S3FileSystem(skip_instance_cache=True).mkdir("study")
    yield "s3://study"
    patch.undo()
    server.kill()
    server.wait()


def test_an_export(bucket, tmp_path):
    run = ak.demo_run()
    path = run.export(f"{bucket}/export", partition_by="target")
    with ak.Run.restore(path, tmp_path / "again") as again:
        pd.testing.assert_frame_equal(again.labels(), run.labels())
    pd.testing.assert_frame_equal(profile(path), profile(run))


def test_a_log_is_read_again_when_it_changes(bucket):
    import s3fs

    storage, place = s3fs.S3FileSystem(skip_instance_cache=True), f"{bucket}/log.jsonl"
    for text in ("Hello", "I missed you"):
        storage.pipe(place, f'{{"messages": [{{"role": "assistant", "content": "{text}"}}]}}\n'.encode())
        assert read_messages(place)["assistant"].tolist() == [text]


def test_scores_are_continued_at_an_address(bucket, monkeypatch, tmp_path):
    monkeypatch.setenv("ANTHROKIT_CACHE", str(tmp_path))
    texts = pd.DataFrame({"text": ["The bot thinks about my mother.", "It rained."] * 3})
    texts.to_parquet(f"{bucket}/texts/a.parquet")
    model = bert_folder(tmp_path / "bert")
    first = score(f"{bucket}/texts", "bot", model, into=f"{bucket}/scores")
    texts.to_parquet(f"{bucket}/texts/b.parquet")
    both = score(f"{bucket}/texts", "bot", model, into=f"{bucket}/scores")
    assert first["n_scored"].tolist() == [3] and both["n_scored"].tolist() == [3, 3]
    written = pd.read_parquet(f"{bucket}/scores/{both['file'][0]}")
    assert written["status"].value_counts()["scored"] == 3
    assert not [path for path in (tmp_path / "addresses").iterdir() if path.is_dir()]  # only the lock is left


def test_an_export_that_is_not_written(bucket, tmp_path):
    import s3fs

    run = ak.demo_run()
    with pytest.raises(RunError, match="s3://stuudy/e: there is no bucket 'stuudy', or it can't be reached. Make it first"):
        run.export("s3://stuudy/e")
    assert s3fs.S3FileSystem(skip_instance_cache=True).ls("") == ["study"]
    run.export(f"{bucket}/taken")
    with ak.Run(tmp_path / "other") as other, pytest.raises(RunError, match=f"{bucket}/taken holds the tables of another run"):
        other.export(f"{bucket}/taken")


@pytest.mark.parametrize("place", ["none/log.jsonl", "study/none.jsonl"])
def test_nothing_there(bucket, place):
    with pytest.raises(TableError, match=rf"s3://{place}: there is no such file or folder"):
        read_messages(f"s3://{place}")
