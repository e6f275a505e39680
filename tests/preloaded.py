"""What takes long to load, for the processes of `tests.commands`: it starts no threads, which a fork would lose."""

import numpy as np
import scipy.special  # noqa: F401

import textveil.jobs
import textveil.text  # noqa: F401
from textveil.vocabulary.search import half_norms

# The first kernel loads more of numba than all its modules.
half_norms(np.eye(2))
