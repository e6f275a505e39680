"""A frontier as a page: one file that asks nothing of the network, whose plot answers to mouse and keyboard."""

from textveil.measure.compare.page.page import page

__all__ = ["page"]
