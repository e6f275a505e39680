"""Small wrong patches of textveil, each of which some test must notice: `make mutants`."""
