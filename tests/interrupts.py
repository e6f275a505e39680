"""Interrupts in the middle of what is done again and again."""

import signal

import numpy as np


def interrupted(work, times=1000):
    """How often an interrupt came while `work` was repeated."""

    def stop(*_):
        raise KeyboardInterrupt

    before, stopped = signal.signal(signal.SIGALRM, stop), 0
    try:
        for wait in np.random.default_rng(1).uniform(2e-5, 4e-4, times):
            try:
                # Again and again: one that comes while an object is deleted is lost.
                signal.setitimer(signal.ITIMER_REAL, wait, 0.01)
                while True:
                    work()
            except KeyboardInterrupt:
                stopped += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return stopped
