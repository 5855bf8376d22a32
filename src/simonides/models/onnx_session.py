"""Sessions of models in ONNX on this machine's processor. Importing it takes onnxruntime.

A session keeps to one thread, so that results do not depend on how many the machine has, and
nothing is reported to anybody. Must not know what a model is for.
"""

import os
from pathlib import Path

# Its Linux builds report usage to their maker unless told not to before they are loaded.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions

__all__ = ["onnx_session"]


def onnx_session(model: bytes | Path) -> InferenceSession:
    """Return a session of a model, given by its bytes or its file."""
    options = SessionOptions()
    # Without VNNI, x86 processors add 8-bit products in 16 bits, which overflow: other vectors.
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    return InferenceSession(model, options, providers=["CPUExecutionProvider"])
