"""The ports: protocols of adapters, with their laws.

`space` and what goes with it (`maintenance`, `memories`, `leases`, `requests`, `lanes`) are a
store's; `models`, `access`, `importer` and `shared_state` stand by themselves. Every adapter passes
the contract suite of its port (`tests/contract`). Must not import an adapter.
"""
