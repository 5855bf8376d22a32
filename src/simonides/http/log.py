"""The log of a server: one JSON object per line. Must not load what takes long."""

import json
import logging
import time
from typing import TextIO

OTHERS = ("uvicorn.error", "asyncio")
"""Loggers of others that may tell of trouble: of theirs the first line is written, no more."""


def log_to(stream: TextIO, *, level: str) -> None:
    """Write the server's log to a stream, one JSON object per line."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLinesFormatter())
    for name in ("simonides.http", "simonides.mcp", *OTHERS):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.WARNING if name in OTHERS else level.upper())


class JsonLinesFormatter(logging.Formatter):
    """A log formatter with one JSON object per line, without stored or requested content."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line of JSON."""
        message = record.getMessage()
        if not record.name.startswith("simonides."):  # what others add may quote anything
            message = message.partition("\n")[0]
        line = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message,
            **getattr(record, "event", {}),
        }
        for name in ("where", "request_id"):
            if hasattr(record, name):
                line[name] = getattr(record, name)
        return json.dumps(line)
