"""Contrastive training of the sentence encoder: a question must be nearest to what answers it.

Knows the loss, the batches and the optimiser. Must not know where pairs come from, nor how the
model is packaged. On one machine, the same pairs and recipe give the same weights.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from encoder import Weights, encode
from pairs import Pair
from tokens import Rows, ids_of, rows_of

QUESTION_TOKENS = 24
"""99 of 100 questions are no longer."""

WIDTHS = ((32, 48), (48, 80), (112,))
"""Tokens of the shortest, the middle and the longest third of a batch's texts: the least width of
each that cuts none short, or the greatest one."""

FAR = -1e9
NORM_MAX = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the model is trained.

    There is one training for each value of `by_person`, from the same weights: with batches each of
    one person, whose other texts a question is then held against, or with batches of all persons.
    The result is the mean of their weights. `frozen_layers` counts the layers, from the first one,
    that stay as they are; word and position tables always do.
    """

    by_person: tuple[bool, ...] = (False, True)
    epochs: int = 2
    batch: int = 24
    rate: float = 4e-5
    temperature: float = 0.05
    frozen_layers: int = 0
    warm_up: float = 0.1
    seed: int = 7


Arrays = tuple[Rows, tuple[Rows, ...], np.ndarray, np.ndarray]
"""A batch: questions and texts as token rows, the first texts answering the questions, in their
order. Texts are in groups of about one length; the i-th one is row `order[i]` of all groups. The
last array is false where a text must not count against a question."""


def train(
    weights: Mapping[str, np.ndarray],
    pairs: Sequence[Pair],
    recipe: Recipe,
    *,
    on_step: Callable[[int, int, float], object] = lambda *_: None,
) -> dict[str, np.ndarray]:
    """Return the mean of the weights after each training.

    `on_step` is called with (step, steps, loss) of each training.
    """
    trained = [
        _train(weights, pairs, recipe, by_person=one, on_step=on_step) for one in recipe.by_person
    ]
    means = {name: np.mean([one[name] for one in trained], axis=0) for name in trained[0]}
    return {**weights, **means}


def _train(
    weights: Mapping[str, np.ndarray],
    pairs: Sequence[Pair],
    recipe: Recipe,
    *,
    by_person: bool,
    on_step: Callable[[int, int, float], object],
) -> dict[str, np.ndarray]:
    """Return the weights that move, after one training."""
    moving, still = _split_parts(weights, recipe)
    draw = np.random.default_rng(recipe.seed)
    portions = [
        one
        for _ in range(recipe.epochs)
        for one in _portions(pairs, recipe.batch, draw, by_person=by_person)
    ]
    steps = len(portions)
    state = _optimiser(recipe, steps).init(moving)
    for step, portion in enumerate(portions, 1):
        batch = batch_of(portion, draw)
        moving, state, loss = _advance(moving, state, still, batch, recipe=recipe, steps=steps)
        on_step(step, steps, float(loss))
    return {name: np.asarray(value) for name, value in moving.items()}


def _split_parts(weights: Mapping[str, np.ndarray], recipe: Recipe) -> tuple[Weights, Weights]:
    """Return the weights that are trained, and those that stay."""
    fixed = ("embeddings.", *(f"encoder.layer.{one}." for one in range(recipe.frozen_layers)))
    arrays = {name: jnp.asarray(value) for name, value in weights.items()}
    still = {name: value for name, value in arrays.items() if name.startswith(fixed)}
    moving = {name: value for name, value in arrays.items() if name not in still}
    return moving, still


def _optimiser(recipe: Recipe, steps: int) -> optax.GradientTransformation:
    """Return Adam with a rate that rises, then falls in a straight line to 0."""
    warm = max(1, round(recipe.warm_up * steps))
    rise = optax.linear_schedule(0.0, recipe.rate, warm)
    fall = optax.linear_schedule(recipe.rate, 0.0, max(1, steps - warm))
    rate = optax.join_schedules([rise, fall], [warm])
    return optax.chain(optax.clip_by_global_norm(NORM_MAX), optax.adam(rate))


@partial(jax.jit, static_argnames=("recipe", "steps"))
def _advance(
    moving: Weights,
    state: optax.OptState,
    still: Weights,
    batch: Arrays,
    *,
    recipe: Recipe,
    steps: int,
) -> tuple[Weights, optax.OptState, jax.Array]:
    """Return weights and optimiser after a step, and the loss before it."""
    value, slopes = jax.value_and_grad(_loss)(moving, still, batch, recipe.temperature)
    changes, after = _optimiser(recipe, steps).update(slopes, state, moving)
    return optax.apply_updates(moving, changes), after, value


def _loss(moving: Weights, still: Weights, batch: Arrays, temperature: float) -> jax.Array:
    """Return how far the texts that answer are from being the nearest ones, on average."""
    questions, texts, order, allowed = batch
    full = {**still, **moving}
    asked = encode(full, *questions)
    answers = jnp.concatenate([encode(full, *rows) for rows in texts])[order]
    near = jnp.where(allowed, asked @ answers.T / temperature, FAR)
    return -jnp.diagonal(jax.nn.log_softmax(near, axis=-1)).mean()


def _portions(
    pairs: Sequence[Pair], size: int, draw: np.random.Generator, *, by_person: bool
) -> Iterator[list[Pair]]:
    """Yield the pairs in batches, in a random order; some are repeated to fill the last ones."""
    groups: dict[str, list[int]] = {}
    for place in draw.permutation(len(pairs)):
        groups.setdefault(pairs[place].person if by_person else "", []).append(place)
    batches = [
        np.resize(own[start : start + size], size)
        for own in groups.values()
        for start in range(0, len(own), size)
    ]
    for number in draw.permutation(len(batches)):
        yield [pairs[place] for place in batches[number]]


def batch_of(pairs: Sequence[Pair], draw: np.random.Generator) -> Arrays:
    """Return a batch: against each question stand the texts of all others, and one of its own."""
    against = [one.against(draw) for one in pairs]
    groups, order = _groups([*(one.text for one in pairs), *against])
    questions = rows_of([one.question for one in pairs], width=QUESTION_TOKENS)
    return questions, groups, order, _mark_allowed(pairs, against)


def _mark_allowed(pairs: Sequence[Pair], against: Sequence[str]) -> np.ndarray:
    """Return bool[questions, texts]: not what answers a question as well as its own text."""
    allowed = np.ones((len(pairs), 2 * len(pairs)), dtype=bool)
    for row, one in enumerate(pairs):
        for column, other in enumerate(pairs):
            if row != column and one.person == other.person:
                allowed[row, column] = other.item not in one.fine
                allowed[row, len(pairs) + column] = against[column] != one.text
    return allowed


def _groups(texts: Sequence[str]) -> tuple[tuple[Rows, ...], np.ndarray]:
    """Return the texts as rows in three groups by length, and where each of them lies."""
    lengths = np.array([len(ids_of(text)) for text in texts])
    thirds = np.array_split(np.argsort(lengths, kind="stable"), len(WIDTHS))
    groups = tuple(
        rows_of([texts[place] for place in third], width=_width(widths, int(lengths[third].max())))
        for third, widths in zip(thirds, WIDTHS, strict=True)
    )
    return groups, np.argsort(np.concatenate(thirds))


def _width(widths: Sequence[int], longest: int) -> int:
    return next((one for one in widths if one >= longest), widths[-1])
