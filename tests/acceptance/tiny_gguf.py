"""Makes a GGUF file that llama.cpp really loads: a chat model that babbles like our samples.

`python -m tests.acceptance.tiny_gguf PATH` writes it, some 900 KB. It knows which token followed
which in the sample notes and nothing else, so it shows whether loading, schemas, streams, bounds
and ends work with the real llama.cpp, and never how well a model answers.
"""

import re
import struct
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

NOTES: Final = Path(__file__).parents[2] / "samples" / "desk" / "notes"
MERGES: Final = 1200
WIDTH: Final = 64
HEADS: Final = 4
CONTEXT: Final = 32_768
END: Final = "<|im_end|>"
CONTROL: Final = ("<|endoftext|>", "<|im_start|>", END)
TEMPLATE: Final = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

_PIECE = re.compile(r" ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s")
_U32, _F32, _STRING, _ARRAY, _I32 = 4, 6, 8, 9, 5
_ALIGNMENT = 32

Matrix = npt.NDArray[np.float32]


def written(path: Path) -> Path:
    """Write the file and return its path."""
    text = "\n".join(file.read_text("utf-8") for file in sorted(NOTES.iterdir()))
    pieces = [_shown(piece) for piece in _PIECE.findall(text)]
    merges, spelled = _merged(pieces)
    letters = sorted(set(_letters().values()))
    tokens = list(dict.fromkeys((*letters, *("".join(pair) for pair in merges)))) + list(CONTROL)
    _write(path, _facts(tokens, merges), _tensors(tokens, spelled))
    return path


def _letters() -> dict[int, str]:
    """Return how GPT-2's vocabulary shows each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    odd = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {
        byte: chr(256 + place) for place, byte in enumerate(odd)
    }


def _shown(piece: str, letters: dict[int, str] = _letters()) -> tuple[str, ...]:  # noqa: B008 - made once
    return tuple(letters[byte] for byte in piece.encode())


def _merged(
    pieces: list[tuple[str, ...]],
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the commonest merges of neighbours, and the text in the tokens they make."""
    words = {word: word for word in pieces}
    often = Counter(pieces)
    merges: list[tuple[str, str]] = []
    while len(merges) < MERGES:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, parts in words.items():
            for pair in pairwise(parts):
                pairs[pair] += often[word]
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = {word: _joined(parts, best) for word, parts in words.items()}
    return merges, [part for word in pieces for part in words[word]]


def _joined(parts: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    out: list[str] = []
    for part in parts:
        if out and (out[-1], part) == pair:
            out[-1] += part
        else:
            out.append(part)
    return tuple(out)


def _tensors(tokens: list[str], spelled: list[str]) -> dict[str, Matrix]:
    """Return weights by which each token is followed as in the text, whatever stood before it.

    Embedding times output is the table of logarithms of chances, as near as the width allows.
    Attention and feed-forward add nothing; the last column makes all embeddings equally long, so
    that llama.cpp's normalisation only scales.
    """
    left, right = _factors(tokens, spelled)
    lengths = np.sum(left**2, axis=1)
    radius = float(lengths.max()) + 1.0
    embedding = np.column_stack([left, np.sqrt(radius - lengths)])
    output = np.column_stack([right, np.zeros(len(tokens))]) * np.sqrt(radius / WIDTH)
    square, tall = np.zeros((WIDTH, WIDTH)), np.zeros((WIDTH * 2, WIDTH))
    ones = np.ones(WIDTH)
    block = {
        "attn_norm": ones, "attn_q": square, "attn_k": square, "attn_v": square,
        "attn_output": square, "ffn_norm": ones, "ffn_gate": tall, "ffn_up": tall,
        "ffn_down": tall.T,
    }  # fmt: skip
    named = {"token_embd.weight": embedding, "output_norm.weight": ones, "output.weight": output}
    named |= {f"blk.0.{name}.weight": values for name, values in block.items()}
    return {name: np.ascontiguousarray(values, dtype=np.float32) for name, values in named.items()}


def _factors(tokens: list[str], spelled: list[str]) -> tuple[Any, Any]:
    """Return two thin matrices whose product is the table of what follows what."""
    places = {token: place for place, token in enumerate(tokens)}
    said = [places[token] for token in spelled]
    followed = np.full((len(tokens), len(tokens)), 0.002)
    np.add.at(followed, (said[:-1], said[1:]), 1.0)
    stop, dot = places[END], [place for token, place in places.items() if token.endswith(".")]
    followed[dot, stop] += followed[dot].sum(axis=1) / 2
    followed[:, places['"']] += followed.sum(axis=1) / 30
    followed[:, [places[token] for token in CONTROL[:2]]] = 1e-6
    chances = np.log(followed / followed.sum(axis=1, keepdims=True))
    u, s, v = np.linalg.svd(chances, full_matrices=False)
    kept = np.sqrt(s[: WIDTH - 1])
    return u[:, : WIDTH - 1] * kept, v[: WIDTH - 1].T * kept


def _facts(tokens: list[str], merges: list[tuple[str, str]]) -> list[bytes]:
    own = {
        "context_length": CONTEXT, "embedding_length": WIDTH, "feed_forward_length": WIDTH * 2,
        "block_count": 1, "attention.head_count": HEADS, "attention.head_count_kv": HEADS,
    }  # fmt: skip
    kinds = [3 if token in CONTROL else 1 for token in tokens]
    name = "tokenizer.ggml."
    return [
        _fact("general.architecture", _STRING, _text("llama")),
        _fact("general.name", _STRING, _text("tiny babble")),
        *(_fact(f"llama.{key}", _U32, struct.pack("<I", value)) for key, value in own.items()),
        _fact("llama.attention.layer_norm_rms_epsilon", _F32, struct.pack("<f", 1e-6)),
        _fact(f"{name}model", _STRING, _text("gpt2")),
        _fact(f"{name}pre", _STRING, _text("gpt-2")),
        _fact(f"{name}tokens", _ARRAY, _array(_STRING, [_text(token) for token in tokens])),
        _fact(f"{name}token_type", _ARRAY, _array(_I32, [struct.pack("<i", one) for one in kinds])),
        _fact(f"{name}merges", _ARRAY, _array(_STRING, [_text(" ".join(pair)) for pair in merges])),
        _fact(f"{name}bos_token_id", _U32, struct.pack("<I", tokens.index(CONTROL[0]))),
        _fact(f"{name}eos_token_id", _U32, struct.pack("<I", tokens.index(END))),
        _fact("tokenizer.chat_template", _STRING, _text(TEMPLATE)),
    ]


def _text(text: str) -> bytes:
    said = text.encode()
    return struct.pack("<Q", len(said)) + said


def _array(kind: int, values: list[bytes]) -> bytes:
    return struct.pack("<IQ", kind, len(values)) + b"".join(values)


def _fact(key: str, kind: int, value: bytes) -> bytes:
    return _text(key) + struct.pack("<I", kind) + value


def _write(path: Path, facts: list[bytes], tensors: dict[str, Matrix]) -> None:
    """Write version 3 of the format: head, facts, where each tensor stands, tensors."""
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(facts)), *facts]
    at = 0
    for name, values in tensors.items():
        shape = values.shape[::-1]  # innermost first
        place = struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at)
        head.append(_text(name) + place)
        at += values.nbytes + -values.nbytes % _ALIGNMENT
    body = b"".join(head)
    with path.open("wb") as file:
        file.write(body + b"\0" * (-len(body) % _ALIGNMENT))
        for values in tensors.values():
            file.write(values.tobytes() + b"\0" * (-values.nbytes % _ALIGNMENT))


if __name__ == "__main__":
    written(Path(sys.argv[1]))
