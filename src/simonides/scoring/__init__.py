"""Pure arithmetic of finding: quantisation, fusion, relevance, decay. No I/O, clock or chance."""
