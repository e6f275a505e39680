"""What takes long to load, for the processes of `tests.commands`.

It starts no threads of textveil's, which a fork would lose; those of OpenBLAS and Arrow are made to survive one.
"""

import numpy as np
import scipy.special  # noqa: F401

import textveil.jobs
import textveil.text  # noqa: F401
from textveil.vocabulary.search import half_norms

# The first kernel loads more of numba than all its modules.
half_norms(np.eye(2))
