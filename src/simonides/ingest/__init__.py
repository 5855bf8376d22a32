"""The way of a write: chunk, analyse, embed, then one commit. No model call but the embedder's."""
