"""Pictures: where a word goes, with its likely replacements around it; and figures for others."""

from textveil.measure.picture.disc import draw_word
from textveil.measure.picture.figures import blank, kind_of, require_matplotlib, save_picture

__all__ = ["blank", "draw_word", "kind_of", "require_matplotlib", "save_picture"]
