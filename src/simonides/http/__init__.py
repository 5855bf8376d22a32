"""The door for programs on other machines: `/v1/…` over HTTP. One file per subject; no logic."""
