"""The HTTP interface for programs on other machines: `/v1/…`. One file per subject; no logic."""
