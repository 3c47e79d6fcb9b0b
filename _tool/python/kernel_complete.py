"""Asks a kernel for completions, between cells and while a cell runs, as a front
end does. Prints a JSON object on stdout: the matches by code.

usage: kernel_complete.py KERNEL_NAME < PLAN

PLAN is a JSON object: "before", cells that run one after the other; "running", a
cell that is still running when completions are asked for; "code", what is
completed at its end. Code that gets no match is asked for again, a few times: the
kernel loads a graph in the background.
"""

import json
import sys

from jupyter_client.manager import start_new_kernel

plan = json.load(sys.stdin)
manager, client = start_new_kernel(kernel_name=sys.argv[1], startup_timeout=120)


def check(reply):
    if reply["content"]["status"] != "ok":
        sys.exit(f"{reply['content']['ename']}: {reply['content']['evalue']}")


def wait_for(kind, parent):
    while True:
        message = client.get_iopub_msg(timeout=120)
        if message["parent_header"].get("msg_id") == parent and message["msg_type"] == kind:
            return


def matches(code):
    for _ in range(20):
        content = client.complete(code, len(code), reply=True, timeout=60)["content"]
        if content["matches"]:
            break
    return [code[: content["cursor_start"]] + match for match in content["matches"]]


try:
    for cell in plan["before"]:
        check(client.execute(cell, reply=True, timeout=120))
    answers = {"idle": {code: matches(code) for code in plan["code"]}}
    running = client.execute(plan["running"])
    wait_for("display_data", running)
    answers["busy"] = {code: matches(code) for code in plan["code"]}
    manager.interrupt_kernel()
    reply = client.get_shell_msg(timeout=120)
    while reply["parent_header"]["msg_id"] != running:
        reply = client.get_shell_msg(timeout=120)
    answers["ended"] = reply["content"]["status"]
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
json.dump(answers, sys.stdout)
