"""Auto-encoders of short texts, for Adept: trained with torch, used without."""

from textveil.learn.autoencoder.autoencoder import AutoEncoder

__all__ = ["AutoEncoder"]
