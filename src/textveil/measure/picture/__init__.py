"""A picture of where a word goes: its likely replacements around it."""

from textveil.measure.picture.disc import draw_word, kind_of, save_picture

__all__ = ["draw_word", "kind_of", "save_picture"]
