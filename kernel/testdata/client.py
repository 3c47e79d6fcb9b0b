"""Jupyter's client, over libzmq, against the fake engine: restart, interrupts, stdin, bursts, much output, bad signatures, shutdown."""
import queue
import time

from jupyter_client.manager import start_new_kernel

PATIENCE = 120

km, kc = start_new_kernel(kernel_name="fake", startup_timeout=PATIENCE)


def run(code, **options):
    """The reply and everything on iopub for one cell."""
    output = []
    reply = kc.execute_interactive(code, output_hook=output.append, timeout=PATIENCE, **options)
    return reply["content"], output


def text(output, name="stdout"):
    return "".join(m["content"]["text"] for m in output if m["msg_type"] == "stream" and m["content"]["name"] == name)


def listen():
    """Waits until iopub is heard: after a restart its socket may connect after the others, and what it misses is lost."""
    deadline = time.time() + PATIENCE
    while time.time() < deadline:
        asked = kc.kernel_info()
        try:
            while kc.get_iopub_msg(timeout=1)["parent_header"].get("msg_id") != asked:
                pass
            return
        except queue.Empty:
            pass
    raise AssertionError("iopub is silent")


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


def start(code):
    """Sends a cell and waits until it runs."""
    msg_id = kc.execute(code)
    while True:
        m = kc.get_iopub_msg(timeout=PATIENCE)
        if m["parent_header"].get("msg_id") == msg_id and m["msg_type"] == "stream":
            return msg_id


def reply_to(msg_id, get):
    while True:
        m = get(timeout=PATIENCE)
        if m["parent_header"].get("msg_id") == msg_id:
            return m["content"]


try:
    # 100,000 lines
    begin = time.time()
    reply, output = run("lines 100000")
    check(text(output) == "".join("line %06d\n" % i for i in range(100000)), "lines", len(text(output)))
    print("100,000 lines in %d messages, %.2f s" % (len(output), time.time() - begin))

    # stdin
    asked = []

    def answer(message):
        asked.append(message["content"])
        kc.input("Grüße")

    reply, output = run("print before\ninput Name?", allow_stdin=True, stdin_hook=answer)
    check(text(output) == 'before\nread "Grüße"\n', text(output))
    check(asked == [{"prompt": "Name?", "password": False}], asked)
    reply, output = run("input ?", allow_stdin=False)
    check(reply["status"] == "error" and reply["ename"] == "InputError", reply)

    # interrupts
    slowest = 0
    for i in range(20):
        msg_id = start("print running\n" + ["loop", "wait"][i % 2])
        begin = time.time()
        km.interrupt_kernel()
        content = reply_to(msg_id, kc.get_shell_msg)
        slowest = max(slowest, time.time() - begin)
        check(content["status"] == "error" and content["ename"] == "Interrupted", content)
    print("slowest of 20 interrupts: %.1f ms" % (1000 * slowest))

    # stop_on_error with everything sent at once
    ids = [kc.execute(code) for code in ["print running\nwait"] + ["value 1"] * 20]
    while kc.get_iopub_msg(timeout=PATIENCE)["msg_type"] != "stream":
        pass
    check(reply_to(kc.kernel_info(), kc.get_shell_msg)["status"] == "ok", "kernel_info beside a cell")
    km.interrupt_kernel()
    statuses = []
    while len(statuses) < len(ids):
        m = kc.get_shell_msg(timeout=PATIENCE)
        if m["parent_header"]["msg_id"] in ids:
            statuses.append(m["content"]["status"])
    check(statuses == ["error"] + ["aborted"] * 20, statuses)
    check(run("value 1")[0]["status"] == "ok", "after aborted cells")

    # bad signatures
    good, kc.session.key = kc.session.key, b"another key"
    for _ in range(100):
        kc.execute("print forged")
    kc.session.key = good
    reply, output = run("value 1")
    check(reply["status"] == "ok", reply)

    # heartbeat
    kc.hb_channel.unpause()
    deadline = time.time() + PATIENCE
    while not kc.hb_channel.is_beating():
        check(time.time() < deadline, "no heartbeat")
        time.sleep(0.05)

    # output of a goroutine after its cell
    msg_id = kc.execute("sleepthen 200ms late")
    state = None
    while True:
        m = kc.get_iopub_msg(timeout=PATIENCE)
        if m["parent_header"].get("msg_id") != msg_id:
            continue
        if m["msg_type"] == "status":
            state = m["content"]["execution_state"]
        if m["msg_type"] == "stream":
            check(state == "idle" and m["content"]["text"] == "late\n", state, m["content"])
            break

    # round trips
    for _ in range(50):
        run("value 1")
    begin = time.time()
    for _ in range(200):
        run("value 1")
    print("round trip %.2f ms" % ((time.time() - begin) / 200 * 1000))

    # restart: the count begins again, the ports stay
    count = run("value 1")[0]["execution_count"]
    check(count > 200, count)
    km.restart_kernel(now=False)
    kc.wait_for_ready(timeout=PATIENCE)
    listen()
    check(run("value 1")[0]["execution_count"] == 1, "count after restart")

    # shutdown: in good order, so quickly and with exit code 0
    process = km.provisioner.process
    kc.shutdown()
    check(process.wait(timeout=PATIENCE) == 0, process.returncode)
finally:
    kc.stop_channels()
    km.shutdown_kernel(now=True)
print("ok")
