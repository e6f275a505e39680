"""A picture of where a word goes: its likely replacements around it."""

from textveil.measure.picture.disc import draw_word
from textveil.measure.picture.figures import blank, kind_of, require_matplotlib, save_picture

__all__ = ["blank", "draw_word", "kind_of", "require_matplotlib", "save_picture"]
