"""The weights of `answering`: of `simonides bench relevance --fit`, not by hand.

Fitted on: daniel, meera, captain, chef, farmer, lawyer, nurse, student.
Vectors of: minilm.
"""

INTERCEPT = -7.887
WEIGHTS = {
    "meaning": 4.427,
    "words": 1.475,
    "all_words": 1.655,
    "lead": 4.797,
    "people": 0.386,
    "time": 2.609,
    "source": 0.283,
    "said": 3.687,
    "own": 0.453,
}
