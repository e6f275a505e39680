"""An audit as a page: one file that asks nothing of the network, for light and dark screens."""

from textveil.auditing.page.page import page

__all__ = ["page"]
