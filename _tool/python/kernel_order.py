"""Runs cells one after the other and prints the text that came, as a JSON list of
[number of the cell, stream, text] in the order of arrival; neighbours of one cell
and stream are one.

usage: kernel_order.py KERNEL_NAME < CELLS

CELLS is a JSON list. Text that comes after the last cell counts for half a second.
"""

import json
import queue
import sys

from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name=sys.argv[1], startup_timeout=120)
cells, order = {}, []


def take(message):
    if message["msg_type"] != "stream":
        return
    cell = cells.get(message["parent_header"].get("msg_id"))
    name, text = message["content"]["name"], message["content"]["text"]
    if order and order[-1][:2] == [cell, name]:
        order[-1][2] += text
    else:
        order.append([cell, name, text])


try:
    for number, code in enumerate(json.load(sys.stdin), 1):
        running = client.execute(code)
        cells[running] = number
        while True:
            message = client.get_iopub_msg(timeout=120)
            take(message)
            if message["msg_type"] == "error":
                sys.exit("\n".join(message["content"]["traceback"]))
            if (
                message["msg_type"] == "status"
                and message["content"]["execution_state"] == "idle"
                and message["parent_header"].get("msg_id") == running
            ):
                break
    try:
        while True:
            take(client.get_iopub_msg(timeout=0.5))
    except queue.Empty:
        pass
    print(json.dumps(order))
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
