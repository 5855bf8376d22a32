"""Pure arithmetic of ranking: quantisation, fusion, relevance, decay. No I/O, clock or chance."""
