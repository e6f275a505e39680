"""How good projected and noisy vectors are: `corrected` has bounds that hold, `published` those of the paper."""
