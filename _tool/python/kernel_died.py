"""Runs cells of which one ends the kernel's process, has Jupyter start it again, and
prints what the next cell writes to standard error.

usage: kernel_died.py KERNEL_NAME < CELLS

CELLS is a JSON list. The last one is the cell of the new process, the one before it
ends the old one.
"""

import json
import sys
import time

from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name=sys.argv[1], startup_timeout=120)


def stderr_of(code):
    texts = []

    def take(message):
        if message["msg_type"] == "stream" and message["content"]["name"] == "stderr":
            texts.append(message["content"]["text"])

    reply = client.execute_interactive(code, timeout=120, output_hook=take)
    if reply["content"]["status"] != "ok":
        sys.exit("\n".join(reply["content"]["traceback"]))
    return "".join(texts)


try:
    *cells, deadly, last = json.load(sys.stdin)
    for code in cells:
        if text := stderr_of(code):
            sys.exit("before: " + text)
    client.execute(deadly)
    until = time.time() + 60
    while manager.is_alive():
        if time.time() > until:
            sys.exit("the kernel lives")
        time.sleep(0.1)
    client.stop_channels()
    # What jupyter_client.restarter does, which the server and its terminals run.
    manager.restart_kernel(now=True)
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    print(json.dumps(stderr_of(last)))
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
