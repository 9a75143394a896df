"""Runs a command on a terminal of its own, and answers what it asks.

Reads JSON from its arguments: the command, and a list of [what is waited for, what is typed then]; a null is the end of what is
typed (Ctrl-D). Writes JSON: what the terminal showed, and the exit code.
"""

import json
import os
import pty
import select
import sys
import time

PATIENCE = 30

command, dialogue = json.loads(sys.argv[1]), json.loads(sys.argv[2])
child, terminal = pty.fork()
if child == 0:
    os.execv(command[0], command)
shown, seen = "", 0
deadline = time.monotonic() + PATIENCE
while time.monotonic() < deadline:
    if dialogue and dialogue[0][0] in shown[seen:]:
        wanted, answer = dialogue.pop(0)
        seen = shown.index(wanted, seen) + len(wanted)
        os.write(terminal, b"\x04" if answer is None else answer.encode() + b"\n")
        continue
    readable, _, _ = select.select([terminal], [], [], 0.1)
    if readable:
        try:
            octets = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not octets:
            break
        shown += octets.decode()
else:
    os.kill(child, 9)
_, status = os.waitpid(child, 0)
print(json.dumps({"shown": shown, "code": os.waitstatus_to_exitcode(status), "unasked": dialogue}))
