"""Draws: from the bits of a stream to noise on a lattice or a choice among words."""
