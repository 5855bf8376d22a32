"""Operations on a space, each described once for every interface.

`OPERATIONS` is the table, and `remote.REMOTE` the same as HTTP and MCP offer it. Knows records and
the names of the methods of `Memory`. Must not know any interface.
"""

from simonides.api.operations.operation import Operation
from simonides.api.operations.table import OPERATIONS

__all__ = ["OPERATIONS", "Operation"]
