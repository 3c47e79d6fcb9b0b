"""Times kernels side by side, in turns, and prints a JSON object on stdout:
for each measure, for each kernel, its times in seconds, one for each round.

usage: kernel_bench.py ROUNDS KERNEL_NAME...
       kernel_bench.py --rows PROGRAM ROUNDS KERNEL_NAME...

With --rows, it prints a Markdown table instead: the processor time of cells in
each kernel and in PROGRAM, which is rows/ compiled. A row of rows/rows.txt is a
call of a function that rows.go and rows.py declare. All run it in turn and must
return the same number. The last column is the first kernel's
time as a part of the second's.

The measures are: from exec to the first kernel_info_reply; the round trip of
`1+1`; an interpreted loop of a million additions; a million calls, from
interpreted code, of a compiled function with one argument and of one with two.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import time

from jupyter_client.manager import KernelManager

CODE = {
    "go": {
        "prepare": 'import "math"\n'
        "func loop(n int) int { s := 0; for i := 0; i < n; i++ { s += i }; return s }\n"
        "func call1(n int) float64 { s := 0.0; for i := 0; i < n; i++ { s = math.Sqrt(2) }; return s }\n"
        "func call2(n int) float64 { s := 0.0; for i := 0; i < n; i++ { s = math.Atan2(1, 2) }; return s }",
        "round_trip": "1+1",
        "loop_1e6": "loop(1000000)",
        "calls_1e6": "call1(1000000)",
        "calls_two_arguments_1e6": "call2(1000000)",
    },
    "python": {
        "prepare": "import math\n"
        "def loop(n):\n  s = 0\n  for i in range(n): s += i\n  return s\n"
        "def call1(n):\n  s = 0.0\n  for i in range(n): s = math.sqrt(2)\n  return s\n"
        "def call2(n):\n  s = 0.0\n  for i in range(n): s = math.atan2(1, 2)\n  return s",
        "round_trip": "1+1",
        "loop_1e6": "loop(1000000)",
        "calls_1e6": "call1(1000000)",
        "calls_two_arguments_1e6": "call2(1000000)",
    },
}

ROWS = pathlib.Path(__file__).with_name("rows")


def start(name):
    begin = time.perf_counter()
    manager = KernelManager(kernel_name=name)
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    # Asked again and again: what is sent before the kernel listens may be lost.
    client.kernel_info()
    while True:
        try:
            reply = client.get_shell_msg(timeout=0.5)
        except Exception:
            client.kernel_info()
            continue
        if reply["msg_type"] == "kernel_info_reply":
            break
    seconds = time.perf_counter() - begin
    client.wait_for_ready(timeout=60)
    return manager, client, reply["content"]["language_info"]["name"], seconds


def execute(client, code):
    begin = time.perf_counter()
    message = client.execute(code)
    while True:
        reply = client.get_shell_msg(timeout=120)
        if reply["parent_header"].get("msg_id") == message:
            break
    seconds = time.perf_counter() - begin
    if reply["content"]["status"] != "ok":
        sys.exit("%r failed: %s" % (code, reply["content"]))
    return seconds


def seconds_of(pid):
    """The processor time of a process, by its own clock (Linux)."""
    return time.clock_gettime((~pid << 3) | 2)


class Cells:
    """A kernel that runs rows."""

    def __init__(self, name):
        self.manager, self.client, self.language, _ = start(name)
        suffix, drop = (".go", "package main\n") if self.language == "go" else (".py", "")
        text = ROWS.joinpath("rows" + suffix).read_text()
        execute(self.client, text.replace(drop, "", 1))
        self.pid = self.manager.provisioner.pid

    def run(self, call):
        """Returns the value of a call, and its seconds."""
        begin = seconds_of(self.pid)
        message = self.client.execute(call)
        while True:
            reply = self.client.get_shell_msg(timeout=120)
            if reply["parent_header"].get("msg_id") == message:
                break
        seconds = seconds_of(self.pid) - begin
        if reply["content"]["status"] != "ok":
            sys.exit("%r failed: %s" % (call, reply["content"]))
        while True:
            shown = self.client.get_iopub_msg(timeout=120)
            if shown["msg_type"] == "execute_result" and shown["parent_header"].get("msg_id") == message:
                return float(shown["content"]["data"]["text/plain"]), seconds

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


class Compiled:
    """The program that runs rows compiled."""

    def __init__(self, path):
        self.path = path

    def run(self, call):
        return json.loads(subprocess.check_output([self.path, call]))

    def stop(self):
        pass


def write_rows(program, rounds, names):
    print("| CPU time, ms | %s | compiled | %s / %s |" % (" | ".join(names), names[0], names[1]))
    print("|---" * (len(names) + 3) + "|")
    ways = []
    try:
        for name in names:
            ways.append(Cells(name))
        ways.append(Compiled(program))
        for row in ROWS.joinpath("rows.txt").read_text().splitlines():
            call, words = row.split(maxsplit=1)
            values = {way.run(call)[0] for way in ways}  # which also compiles the functions
            if len(values) > 1:
                sys.exit("%s returns %s" % (call, values))
            times = zip(*[[way.run(call)[1] for way in ways] for _ in range(rounds)])
            times = [statistics.median(t) for t in times]
            cells = ["%.3g" % (1e3 * t) for t in times]
            print("| %s | %s | %.2f |" % (words, " | ".join(cells), times[0] / times[1]), flush=True)
    finally:
        for way in ways:
            way.stop()


def measure(name):
    """One round of one kernel: yields measure and seconds."""
    manager, client, language, seconds = start(name)
    try:
        yield "start", seconds
        code = CODE[language]
        execute(client, code["prepare"])
        for _ in range(20):
            execute(client, code["round_trip"])
        yield "round_trip", statistics.median(execute(client, code["round_trip"]) for _ in range(100))
        for what in ("loop_1e6", "calls_1e6", "calls_two_arguments_1e6"):
            yield what, execute(client, code[what])
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def main():
    if sys.argv[1] == "--rows":
        return write_rows(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
    times = {}
    for _ in range(int(sys.argv[1])):
        for name in sys.argv[2:]:
            for what, seconds in measure(name):
                times.setdefault(what, {}).setdefault(name, []).append(seconds)
    json.dump(times, sys.stdout)


main()
