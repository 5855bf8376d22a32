"""The weights of `ranking`: of `simonides bench ranking --fit`, not by hand.

Fitted on: daniel, meera, nurse, captain, chef, farmer, lawyer, student, assistant1, assistant2,
assistant3, friends1.
Vectors of: desk-minilm/1, or of all-MiniLM-L6-v2/int8-channel/1
where it was trained on them.
"""

WEIGHTS = {
    "passage": 0.726,
    "meaning": 0.369,
    "words": 4.468,
    "length": 2.12,
    "people": 1.511,
    "when": 1.014,
    "time": 3.284,
    "source": 2.678,
    "before": 4.003,
    "after": 1.641,
    "assistant": -3.176,
    "message": -0.684,
    "cancelled": -1.684,
    "namesake": -5.318,
    "importance": 0.92,
    "conversation": 1.15,
}
RELEVANCE = {
    "score": 5.309,
    "said": 2.345,
    "own": 0.398,
    "intercept": -8.183,
}
