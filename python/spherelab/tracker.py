"""The tracking server, for MLflow's clients and browsers."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from spherelab._program import failure, find

READY = "serving on "
PATIENCE = 60  # seconds for requests in progress when the context ends


@contextmanager
def serve(listen: str = "127.0.0.1:0", *, token: str | None = None) -> Iterator[str]:
    """Serves the runs while the context lasts, and yields the server's address.

    Port 0 takes a free one. An address that other machines reach needs a token of 16 characters or more, which clients
    send as MLFLOW_TRACKING_TOKEN.
    """
    environment = dict(os.environ)
    if token is not None:
        environment["SPHERELAB_TOKEN"] = token
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [find(), "tracker", "serve", f"--listen={listen}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8", env=environment,
        )  # fmt: skip

        def said() -> str:
            errors.seek(0)
            return errors.read().decode("utf-8", "replace")

        assert process.stdout is not None
        with process.stdout as lines:
            try:
                line = lines.readline().strip()
                if not line.startswith(READY):
                    process.kill()
                    code = process.wait()
                    raise failure(said(), code)
                yield line.removeprefix(READY)
            finally:
                process.terminate()
                try:
                    code = process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()
                    code = process.wait()
        if code != 0 and os.name == "posix":
            raise failure(said(), code)
