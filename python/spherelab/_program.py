"""Finds the program, calls it, and turns its errors into exceptions."""

import importlib.metadata
import logging
import os
import subprocess
import sys
import sysconfig

NAME = "spherelab.exe" if sys.platform == "win32" else "spherelab"

log = logging.getLogger("spherelab")


class Error(RuntimeError):
    """What the program says went wrong. `code` is its exit code: 2 for wrong arguments, 130 if it was interrupted."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def find() -> str:
    """Returns the path of the program that was installed with this package."""
    here = os.path.dirname(os.path.abspath(__file__))
    recorded = _recorded(here)
    if recorded:
        return recorded
    folders = [
        os.path.join(os.path.dirname(here), "bin"),  # pip install --target
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
    ]
    for folder in folders:
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            return path
    raise Error(f"the program {NAME} is not in {', '.join(folders)}; install spherelab again")


def _recorded(here: str) -> str:
    """Returns the program that pip's record names for this very package, "" if it names none."""
    try:
        package = importlib.metadata.distribution("spherelab")
        if os.path.realpath(package.locate_file("spherelab")) == os.path.realpath(here):
            for file in package.files or []:
                path = os.path.normpath(file.locate())
                if file.name == NAME and os.path.isfile(path):
                    return path
    except importlib.metadata.PackageNotFoundError:
        pass
    return ""


def call(*arguments: str) -> str:
    """Runs the program to its end and returns what it prints. Its notes go to the logger `spherelab`."""
    done = subprocess.run(
        [find(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace"
    )
    if done.returncode != 0:
        raise failure(done.stderr, done.returncode)
    for line in done.stderr.splitlines():
        log.info("%s", line)
    return done.stdout


def failure(stderr: str, code: int) -> Error:
    """Returns the error of a program that has ended. Its last message may have several lines."""
    _, mark, message = ("\n" + stderr).rpartition("\nspherelab: ")
    if not mark:
        message = stderr.strip() or f"spherelab ended with exit code {code}"
    return Error(message.strip(), code)
