"""The laws of `ports.Reranker`, for every adapter."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.contract.onnx_encoder import write_tokenizer

from simonides.errors import InvalidInput, ModelError, ModelTimeout
from simonides.models.reranking.cross_encoder import CrossEncoder
from simonides.models.reranking.endpoint import EndpointReranker
from simonides.ports.models import Reranker

URL = "http://localhost:1/v1/rerank"
WORDS = ("[UNK]", "[CLS]", "[SEP]", "ferry", "quay", "rent")
QUESTION = "ferry"
TEXTS = ("the ferry leaves", "quay", "rent rent rent", "", "été 🙂 \ud800", "word " * 2_000)


def write_model(folder: Path, *, classes: int = 1) -> Path:
    """Write a cross-encoder whose logits are the means of its tokens' weights."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = np.arange(len(WORDS), dtype=np.float32)[:, None] * np.arange(
        1, 1 + classes, dtype=np.float32
    )
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["picked"]),
        helper.make_node("ReduceMean", ["picked", "axes"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes, "cross-encoder",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["n", "tokens"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", classes])],
        [numpy_helper.from_array(weights, "weights"),
         numpy_helper.from_array(np.array([1], dtype=np.int64), "axes")],
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(made, str(folder / "model.onnx"))
    write_tokenizer(folder, WORDS)
    return folder


def scored(documents: Sequence[str]) -> list[dict[str, Any]]:
    """Return what an endpoint answers whose model counts letters, the best first."""
    scores = [{"index": n, "relevance_score": len(one) / 7} for n, one in enumerate(documents)]
    return sorted(scores, key=lambda one: -one["relevance_score"])


def reply(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, json={"results": scored(json.loads(request.content)["documents"])})


def endpoint(answer: Callable[[httpx2.Request], httpx2.Response], **given: Any) -> EndpointReranker:
    return EndpointReranker(URL, transport=httpx2.MockTransport(answer), **given)


@pytest.fixture(params=["onnx", "two classes", "endpoint"])
def reranker(request: pytest.FixtureRequest, tmp_path: Path) -> Reranker:
    if request.param == "endpoint":
        return endpoint(reply, api_key="secret")
    return CrossEncoder(str(write_model(tmp_path / "m", classes=2 if " " in request.param else 1)))


def test_it_is_a_reranker_with_a_name(reranker: Reranker) -> None:
    assert isinstance(reranker, Reranker)
    assert reranker.name


def test_there_is_one_finite_score_a_text(reranker: Reranker) -> None:
    scores = reranker.score(QUESTION, TEXTS, timeout_s=10.0)

    assert len(scores) == len(TEXTS)
    assert np.isfinite(scores).all()
    assert len(set(scores)) > 1


def test_a_score_depends_on_its_text_alone(reranker: Reranker) -> None:
    together = reranker.score(QUESTION, TEXTS, timeout_s=10.0)
    alone = [reranker.score(QUESTION, [text], timeout_s=10.0)[0] for text in TEXTS]

    assert list(together) == alone


def test_no_texts_have_no_scores(reranker: Reranker) -> None:
    assert list(reranker.score(QUESTION, [], timeout_s=10.0)) == []


def test_it_can_be_closed_twice(reranker: Reranker) -> None:
    reranker.score(QUESTION, TEXTS, timeout_s=10.0)
    reranker.close()
    reranker.close()


# ── a cross-encoder ───────────────────────────────────────────────────────────────────────────


def test_a_cross_encoder_reads_question_and_text(tmp_path: Path) -> None:
    model = CrossEncoder(str(write_model(tmp_path / "letters")))

    assert model.name == "letters"
    # [CLS] ferry [SEP] quay [SEP] are the tokens 1, 3, 2, 4 and 2, and of rent the 4 is a 5
    assert model.score("ferry", ["quay", "rent"], timeout_s=10.0) == pytest.approx([2.4, 2.6])


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_its_files_is_refused(tmp_path: Path, missing: str) -> None:
    (write_model(tmp_path) / missing).unlink()

    with pytest.raises(InvalidInput, match=missing):
        CrossEncoder(str(tmp_path))


def test_a_damaged_model_is_a_model_error(tmp_path: Path) -> None:
    (write_model(tmp_path) / "model.onnx").write_bytes(b"no model")

    with pytest.raises(ModelError, match="failed"):
        CrossEncoder(str(tmp_path)).score(QUESTION, TEXTS, timeout_s=10.0)


def test_a_cross_encoder_reports_to_nobody(tmp_path: Path) -> None:
    """onnxruntime leaves a device id and an event store in these folders where it reports."""
    folder, empty = write_model(tmp_path / "m"), tmp_path / "home"
    empty.mkdir()
    program = (
        "import os, sys\n"
        "from simonides.models.reranking.cross_encoder import CrossEncoder\n"
        "CrossEncoder(sys.argv[1]).score('ferry', ['quay'], timeout_s=10.0)\n"
        "print(os.environ['ORT_DISABLE_TELEMETRY'])\n"
    )
    places = {name: str(empty) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}

    ran = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        env={"PATH": os.environ["PATH"], **places}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert ran.stdout.strip() == "1"
    assert list(empty.iterdir()) == []


def test_a_cross_encoder_stops_in_time(tmp_path: Path) -> None:
    ticks = iter(range(100))
    model = CrossEncoder(str(write_model(tmp_path)), clock=lambda: float(next(ticks)))

    with pytest.raises(ModelTimeout, match="3 of 6 passages within 3 s"):
        model.score(QUESTION, TEXTS, timeout_s=3.0)


# ── an endpoint ───────────────────────────────────────────────────────────────────────────────


def test_an_endpoint_gets_question_texts_model_and_key() -> None:
    requests = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(200, json=[{"index": 1, "score": 2}, {"index": 0, "score": 1}])

    model = endpoint(answer, model="judge", api_key="secret")

    assert model.score("ferry", ["a", "b"], timeout_s=1.0) == [1.0, 2.0]
    [request] = requests
    body = {"query": "ferry", "documents": ["a", "b"], "model": "judge"}
    assert json.loads(request.content) == body
    assert request.headers["authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    "answer",
    [
        b"no JSON",
        b"{}",
        b'{"results": [{"index": 0}]}',
        b'{"results": [{"index": 1, "relevance_score": 1}]}',
        b'{"results": [{"index": 0, "relevance_score": "high"}]}',
    ],
)
def test_nonsense_of_an_endpoint_is_a_model_error(answer: bytes) -> None:
    model = endpoint(lambda _: httpx2.Response(200, content=answer))

    with pytest.raises(ModelError, match="reply"):
        model.score(QUESTION, ["a"], timeout_s=1.0)


def test_a_refusal_is_said_without_the_key() -> None:
    model = endpoint(lambda _: httpx2.Response(401, text="not secret"), api_key="secret")

    with pytest.raises(ModelError, match=r"localhost:1 answered 401: not \[key\]"):
        model.score(QUESTION, ["a"], timeout_s=1.0)


@pytest.mark.parametrize(
    ("failure", "raised"),
    [(httpx2.ReadTimeout("slow"), ModelTimeout), (httpx2.ConnectError("none"), ModelError)],
)
def test_an_endpoint_that_fails_is_left_alone(failure: Exception, raised: type[Exception]) -> None:
    asked = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        raise failure

    model = endpoint(answer)
    for _ in range(5):
        with pytest.raises(raised):
            model.score(QUESTION, ["a"], timeout_s=1.0)

    with pytest.raises(ModelError, match="the reranking endpoint failed 5 times"):
        model.score(QUESTION, ["a"], timeout_s=1.0)
    assert len(asked) == 5
