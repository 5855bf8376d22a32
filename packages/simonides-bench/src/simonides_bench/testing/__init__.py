"""Stand-ins for tests of programs that use the engine: small, deterministic, without a model."""
