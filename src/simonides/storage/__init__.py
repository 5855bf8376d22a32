"""Where spaces are kept: one package per backend, each an adapter of `ports.SpaceStore`."""
