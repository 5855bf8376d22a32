"""The ports: protocols of adapters, with their laws.

`space` and what goes with it (`past`, `upkeep`, `memories`) are a store's; `vectors`, `embedder`,
`chat` and `access` stand by themselves. Every adapter passes the contract suite of its port
(`tests/contract`). Must not import an adapter.
"""
