"""The weights of `answering`: of `simonides bench relevance --fit`, not by hand.

Fitted on: daniel, meera, nurse, captain.
Vectors of: desk-minilm/1.
"""

INTERCEPT = -7.824
WEIGHTS = {
    "meaning": 4.057,
    "words": 1.122,
    "all_words": 1.205,
    "lead": 5.519,
    "people": 0.554,
    "time": 2.384,
    "source": 0.296,
    "said": 3.612,
    "own": 0.374,
}
