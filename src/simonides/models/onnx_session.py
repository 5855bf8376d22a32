"""Sessions of models in ONNX on this machine's processor. Importing it takes onnxruntime.

A session keeps to one thread, so that results do not depend on how many the machine has, and
nothing is reported to anybody. Must not know what a model is for.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

# Its Linux builds report usage to their maker unless set not to before they are loaded.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
from onnxruntime import GraphOptimizationLevel, InferenceSession, OrtValue, SessionOptions

__all__ = ["onnx_session"]


_Arrays = Mapping[str, npt.NDArray[Any]]


def onnx_session(
    model: bytes | Path, *, weights: _Arrays | None = None, fuse: bool = True
) -> InferenceSession:
    """Return a session of a model, given by its bytes or its file.

    Args:
        model: In the ONNX format.
        weights: Arrays by the names of the initializers that the model leaves to be given.
        fuse: Let onnxruntime merge operators into larger ones. Not for graphs that name the larger
            ones already: its own choice takes longer there.
    """
    options = SessionOptions()
    # Without VNNI, x86 processors add 8-bit products in 16 bits, which overflow: other vectors.
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    level = GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if fuse else level.ORT_ENABLE_BASIC
    if weights:
        values = [OrtValue.ortvalue_from_numpy(np.array(one)) for one in weights.values()]
        options.add_external_initializers(list(weights), values)
    return InferenceSession(model, options, providers=["CPUExecutionProvider"])
