"""How the work of a worker ended, as it may be told to others.

A scheduler prints, keeps and forwards the exceptions of its workers, and the message of an exception may quote the text
or vector it is about. So nothing is raised in a worker: the outcome says what may be said.
"""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textveil.errors import InvalidInputError, TextveilError


class WorkerError(TextveilError):
    """The work failed in a worker; what it said there is withheld."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a task gave, or why it did not.

    Parameters
    ----------
    value : what it gave
    refused : what textveil says of an input that can't be used; such messages never quote what is private
    system : the number and the words of an error of the operating system
    failed : the kind of any other exception and where it was raised, without its message
    """

    value: Any = None
    refused: str | None = None
    system: tuple[int, str] | None = None
    failed: str | None = None

    def result(self) -> Any:
        """Return the value, or raise here what was not raised there."""
        if self.refused is not None:
            raise InvalidInputError(self.refused)
        if self.system is not None:
            raise OSError(*self.system)
        if self.failed is not None:
            raise WorkerError(
                f"a worker failed with {self.failed}; its message is withheld, since it could quote private data: use "
                "the local engine to see it"
            )
        return self.value


def outcome_of(work: Callable[[], Any]) -> Outcome:
    """Do some work and return how it ended; only that the process is to stop is raised, without a message."""
    stop: type[BaseException]
    try:
        return Outcome(value=work())
    except InvalidInputError as error:
        return Outcome(refused=str(error))
    except OSError as error:
        number = _number(error)
        return Outcome(system=(number, os.strerror(number)))
    except KeyboardInterrupt:
        stop = KeyboardInterrupt
    except SystemExit:
        stop = SystemExit
    except BaseException as error:  # noqa: BLE001 - whatever it is, its message must not pass
        return Outcome(failed=_told(error))
    # Raised out here, it has no context.
    raise stop


def _number(error: OSError) -> int:
    """Return the number of an error; what a store or a library says of its own has none, or a text in its place."""
    number: object = error.errno
    return number if isinstance(number, int) and number in errno.errorcode else errno.EIO


def _told(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} ({Path(last.filename).name}, line {last.lineno})"
