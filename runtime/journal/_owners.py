"""Who holds trees, told by lock files that the system lets go of when their process dies.

One lock file per open journal object, held with `flock` from its first claim until it is closed. The name is the
owner's id. A number of a process would not do: the system gives it to somebody else later. Locks belong to the open
file and not to the process, so two journals of one process tell each other apart as well.
"""

from __future__ import annotations

import fcntl
import os
import re
import socket
import tempfile
from pathlib import Path

from runtime.errors import JournalError

_SUFFIX = ".lock"


def host_name() -> str:
    """Return the name of this machine, as it begins the ids of its owners."""
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname()) or "host"


class Owners:
    """The folder of lock files beside one journal."""

    def __init__(self, journal: Path) -> None:
        self._folder = journal.with_name(f"{journal.name}.owners")
        self.host = host_name()

    def acquire(self) -> OwnerLock:
        """Make a new owner and hold its lock.

        Raises:
            JournalError: The folder cannot be used.
        """
        try:
            while True:
                self._folder.mkdir(exist_ok=True)
                lock = OwnerLock(*tempfile.mkstemp(_SUFFIX, f"{self.host}.", self._folder))
                if lock.take():
                    return lock
        except OSError as error:
            raise JournalError(
                f"cannot keep a lock in {self._folder}: {error.strerror}; let this user write that folder, "
                "or name another file for the journal"
            ) from error

    def alive(self, owner: str) -> bool:
        """Tell whether an owner of this host still lives."""
        try:
            handle = os.open(self._path(owner), os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            # Shared, so that two who look at the same time do not take each other for the owner.
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False

    def left_behind(self) -> list[str]:
        """Return the owners of this host that died, by their lock files."""
        names = [path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"{self.host}.*{_SUFFIX}")]
        return [name for name in names if not self.alive(name)]

    def forget(self, owner: str) -> None:
        """Remove the lock file of an owner that died."""
        self._path(owner).unlink(missing_ok=True)

    def _path(self, owner: str) -> Path:
        return self._folder / f"{owner}{_SUFFIX}"


class OwnerLock:
    """A lock file that this process made."""

    def __init__(self, handle: int, path: str) -> None:
        self._handle = handle
        self._path = Path(path)
        self.id = self._path.name.removesuffix(_SUFFIX)

    def take(self) -> bool:
        """Lock the file; False if somebody who cleaned up took it for a dead owner's before it was locked."""
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        if self._path.exists():
            return True
        os.close(self._handle)
        return False

    def let_go(self) -> None:
        """Remove the file and its lock."""
        self._path.unlink(missing_ok=True)
        os.close(self._handle)
