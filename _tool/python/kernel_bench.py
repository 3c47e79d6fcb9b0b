"""Times kernels side by side, in turns, and prints a JSON object on stdout:
for each measure, for each kernel, its times in seconds, one for each round.

usage: kernel_bench.py ROUNDS KERNEL_NAME...

The measures are: from exec to the first kernel_info_reply; the round trip of
`1+1`; an interpreted loop of a million additions; a million calls, from
interpreted code, of a compiled function with one argument and of one with two.
"""

import json
import statistics
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
    times = {}
    for _ in range(int(sys.argv[1])):
        for name in sys.argv[2:]:
            for what, seconds in measure(name):
                times.setdefault(what, {}).setdefault(name, []).append(seconds)
    json.dump(times, sys.stdout)


main()
