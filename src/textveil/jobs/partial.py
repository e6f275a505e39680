"""The folder beside the output where a run keeps what it has done so far: TARGET.partial.

It holds `lock`, `journal`, `key` (unless the user gave one), `output` (what becomes TARGET), `spool` (vectors that are
not in their format yet), `attempts` (files that workers are writing) and, while a folder is being replaced, `replaced`.
Only its owner can read it, and a folder that others can write to is refused: the key might be one that they know.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from textveil.durable import sync_folder
from textveil.errors import InvalidInputError
from textveil.jobs.keys import unfinished_keys
from textveil.jobs.stopping import RunBusyError


class PartialFolder:
    """What a run to a target has done so far."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.folder = target.with_name(target.name + ".partial")
        self.journal = self.folder / "journal"
        self.key = self.folder / "key"
        self.output = self.folder / "output"
        self.spool = self.folder / "spool"
        self.attempts = self.folder / "attempts"
        self.replaced = self.folder / "replaced"
        self.receipt = self.folder / "receipt"
        self._lock = self.folder / "lock"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs away from the target; the lock goes with the process, however it ends."""
        descriptor = self._take_lock()
        try:
            yield
        finally:
            if not self.is_begun():
                self.key.unlink(missing_ok=True)
                self._lock.unlink(missing_ok=True)
                # Another run may have come in and made its own lock.
                with suppress(OSError):
                    self.folder.rmdir()
            os.close(descriptor)

    def is_begun(self) -> bool:
        """Return whether there is anything to go on with."""
        return self.journal.exists() or self.output.exists()

    def clear(self) -> None:
        """Delete all but the lock: the key first, the journal last, so that a crash in between is finished.

        Only what a run makes is deleted: the folder may be someone's own that happens to have this name.
        """
        made = (self.key, *unfinished_keys(self.key), self.replaced, self.receipt)
        for path in (*made, self.spool, self.attempts, self.output):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        sync_folder(self.folder)
        # If a power cut brings the journal back, the next run clears up once more.
        self.journal.unlink(missing_ok=True)

    def bring_back(self) -> None:
        """Undo half of a replacement: what was moved away gets its name again."""
        if os.path.lexists(self.replaced) and not os.path.lexists(self.target):
            self.replaced.rename(self.target)

    def clear_attempts(self) -> None:
        """Make room for what workers write; what they left when a run stopped is not gone on with."""
        if self.attempts.exists():
            shutil.rmtree(self.attempts)
        self.attempts.mkdir()

    def _take_lock(self) -> int:
        while True:
            with suppress(FileExistsError):
                self.folder.mkdir(mode=0o700)
            try:
                self._require_own()
                descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o600)
            except FileNotFoundError:
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                raise RunBusyError(
                    f"another run is writing {self.target}; wait for it, or give another output"
                ) from None
            # A run that just ended has deleted this lock: it is nobody's.
            if os.fstat(descriptor).st_nlink:
                sync_folder(self.folder.parent)
                return descriptor
            os.close(descriptor)

    def _require_own(self) -> None:
        """Refuse a folder that somebody else has made, or could have put anything into."""
        facts = self.folder.lstat()
        others = facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid() or others:
            raise InvalidInputError(
                f"{self.folder} is not a folder that only you can open, so the key of this run could be known to "
                "others; delete it, or give another output"
            )
