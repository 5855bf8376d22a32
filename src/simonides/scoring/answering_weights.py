"""The weights of `answering`: of `simonides bench relevance --fit`, not by hand.

Fitted on: daniel, meera, nurse, captain.
Vectors of: desk-minilm/1.
"""

INTERCEPT = -7.813
WEIGHTS = {
    "meaning": 3.995,
    "words": 1.055,
    "all_words": 1.144,
    "lead": 5.773,
    "people": 0.558,
    "time": 2.385,
    "source": 0.332,
    "said": 3.557,
    "own": 0.387,
}
