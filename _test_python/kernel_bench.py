"""Times kernels side by side and prints go's benchmark format on stdout.

usage: kernel_bench.py COUNT KERNEL_NAME...

For each kernel: from exec to the first kernel_info_reply, a round trip of `1+1`,
an interpreted loop of a million additions, a million calls of a compiled
function from interpreted code.
"""

import statistics
import sys
import time

from jupyter_client.manager import KernelManager

CODE = {
    "go": {
        "prepare": 'import "math"\nfunc loop(n int) int { s := 0; for i := 0; i < n; i++ { s += i }; return s }\n'
        "func calls(n int) float64 { s := 0.0; for i := 0; i < n; i++ { s = math.Sqrt(2) }; return s }",
        "round_trip": "1+1",
        "loop_1e6": "loop(1000000)",
        "compiled_calls_1e6": "calls(1000000)",
    },
    "python": {
        "prepare": "import math\ndef loop(n):\n  s = 0\n  for i in range(n): s += i\n  return s\n"
        "def calls(n):\n  s = 0.0\n  for i in range(n): s = math.sqrt(2)\n  return s",
        "round_trip": "1+1",
        "loop_1e6": "loop(1000000)",
        "compiled_calls_1e6": "calls(1000000)",
    },
}


def start(name):
    begin = time.perf_counter()
    manager = KernelManager(kernel_name=name)
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    # Asked again and again: what is sent before the kernel listens may be lost.
    message = client.kernel_info()
    while True:
        try:
            reply = client.get_shell_msg(timeout=0.5)
        except Exception:
            message = client.kernel_info()
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


def show(name, what, seconds):
    print("BenchmarkKernel/%s/%s 1 %.0f ns/op" % (name, what, seconds * 1e9), flush=True)


def main():
    count = int(sys.argv[1])
    for name in sys.argv[2:]:
        for _ in range(count):
            manager, client, language, seconds = start(name)
            try:
                show(name, "start", seconds)
                code = CODE[language]
                execute(client, code["prepare"])
                for _ in range(20):
                    execute(client, code["round_trip"])
                show(name, "round_trip", statistics.median(execute(client, code["round_trip"]) for _ in range(100)))
                for what in ("loop_1e6", "compiled_calls_1e6"):
                    show(name, what, min(execute(client, code[what]) for _ in range(3)))
            finally:
                client.stop_channels()
                manager.shutdown_kernel(now=True)


main()
