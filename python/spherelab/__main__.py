"""`python -m spherelab ...` is the program spherelab with these arguments."""

import os
import subprocess
import sys

from spherelab._program import Error, find


def main() -> int:
    try:
        program = find()
    except Error as err:
        print(f"spherelab: {err}", file=sys.stderr)
        return 1
    arguments = [program, *sys.argv[1:]]
    if sys.platform != "win32":
        os.execv(program, arguments)  # this process becomes the program, which so gets every signal
    while True:
        process = subprocess.Popen(arguments)
        try:
            return process.wait()
        except KeyboardInterrupt:  # the console has sent it to the program too, which saves its work
            return process.wait()


if __name__ == "__main__":
    sys.exit(main())
