"""The all-MiniLM-L6-v2 sentence encoder as a differentiable jax function of its weights.

Knows the same architecture as graph.py: six BERT layers, mean pooling, unit length. Must not know
what it is trained on, nor how.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
from graph import EPSILON, HEAD, HEADS, LAYERS

Weights = Mapping[str, jax.Array]


def encode(weights: Weights, ids: jax.Array, mask: jax.Array) -> jax.Array:
    """Return unit vectors, float32[texts, 384], of token ids and their mask, int[texts, tokens]."""
    x = _embeddings(weights, ids)
    bias = (1.0 - mask[:, None, None, :]) * -1e9
    for number in range(LAYERS):
        x = _layer(weights, x, bias, key=f"encoder.layer.{number}")
    total = jnp.einsum("bth,bt->bh", x, mask.astype(x.dtype))
    return total / jnp.maximum(jnp.linalg.norm(total, axis=-1, keepdims=True), EPSILON)


def _embeddings(weights: Weights, ids: jax.Array) -> jax.Array:
    """Return word + position + type 0, normalised."""
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    return _norm(weights, x, "embeddings.LayerNorm")


def _layer(weights: Weights, x: jax.Array, bias: jax.Array, *, key: str) -> jax.Array:
    mixed = _attention(weights, x, bias, key=f"{key}.attention.self")
    attended = x + _linear(weights, mixed, f"{key}.attention.output.dense")
    x = _norm(weights, attended, f"{key}.attention.output.LayerNorm")
    wide = jax.nn.gelu(_linear(weights, x, f"{key}.intermediate.dense"), approximate=False)
    return _norm(
        weights, x + _linear(weights, wide, f"{key}.output.dense"), f"{key}.output.LayerNorm"
    )


def _attention(weights: Weights, x: jax.Array, bias: jax.Array, *, key: str) -> jax.Array:
    """softmax(q kT / sqrt(32) + bias) v, twelve heads side by side."""
    shape = (*x.shape[:2], HEADS, HEAD)
    query, keys, values = (
        _linear(weights, x, f"{key}.{part}").reshape(shape) for part in ("query", "key", "value")
    )
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, keys) * HEAD**-0.5
    shares = jax.nn.softmax(scores + bias, axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", shares, values).reshape(x.shape)


def _linear(weights: Weights, x: jax.Array, key: str) -> jax.Array:
    return x @ weights[f"{key}.weight"].T + weights[f"{key}.bias"]


def _norm(weights: Weights, x: jax.Array, key: str) -> jax.Array:
    mean = x.mean(-1, keepdims=True)
    centred = x - mean
    variance = (centred * centred).mean(-1, keepdims=True)
    scaled = centred * jax.lax.rsqrt(variance + EPSILON)
    return scaled * weights[f"{key}.weight"] + weights[f"{key}.bias"]
