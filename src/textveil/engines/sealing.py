"""A secret on its way to a worker: sealed so that only that worker can open it.

A worker makes a key pair that never leaves its memory. What is sent through a scheduler, and may be kept in its tables,
logs or spill files, is the secret encrypted for that pair: X25519 with a fresh pair of the sender, HKDF-SHA256, and
ChaCha20-Poly1305 under a key that is used once.
"""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from textveil.randomness import fresh_key

_PUBLIC_BYTES = 32
# The encryption key is used for one message, so the nonce may be fixed.
_NONCE = bytes(12)


class Recipient:
    """Someone who can open what is sealed for `public`."""

    def __init__(self) -> None:
        self._pair = X25519PrivateKey.from_private_bytes(fresh_key())
        self.public = self._pair.public_key().public_bytes_raw()

    def open(self, sealed: bytes) -> bytes:
        """Return the secret."""
        sender, content = sealed[:_PUBLIC_BYTES], sealed[_PUBLIC_BYTES:]
        shared = self._pair.exchange(X25519PublicKey.from_public_bytes(sender))
        return _cipher(shared, sender, self.public).decrypt(_NONCE, content, None)


def seal(secret: bytes, public: bytes) -> bytes:
    """Return a secret that only the owner of a public key can open."""
    pair = X25519PrivateKey.from_private_bytes(fresh_key())
    sender = pair.public_key().public_bytes_raw()
    shared = pair.exchange(X25519PublicKey.from_public_bytes(public))
    return sender + _cipher(shared, sender, public).encrypt(_NONCE, secret, None)


def _cipher(shared: bytes, sender: bytes, recipient: bytes) -> ChaCha20Poly1305:
    info = b"textveil/engines/secret" + sender + recipient
    return ChaCha20Poly1305(HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(shared))
