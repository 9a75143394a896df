"""What scripts that measure share: processes, gets of SNMPv2c, and statistics."""

import ctypes
import math
import multiprocessing
import os
import socket
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 30


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        return other.getsockname()[1]


def start(stack, *command, **environment):
    process = subprocess.Popen(
        [str(part) for part in command],
        env=dict(os.environ, **environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def end():
        process.kill()
        process.wait()

    stack.callback(end)
    return process


def eventually(what, holds):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(f"{Path(sys.argv[0]).name}: {what}")
        time.sleep(0.1)


def cpu(*processes):
    """CPU time of processes in seconds, of threads that have ended, too."""
    library, seconds = ctypes.CDLL(None), 0
    for process in processes:
        clock = ctypes.c_int()
        if error := library.clock_getcpuclockid(process.pid, ctypes.byref(clock)):
            raise OSError(error, os.strerror(error))
        seconds += time.clock_gettime(clock.value)
    return seconds


def length(octets):
    return bytes([len(octets)]) + octets


def get_request(number, name):
    """An SNMPv2c GetRequest for one name."""
    arcs = [int(arc) for arc in name.split(".")]
    encoded = bytes([arcs[0] * 40 + arcs[1]])
    for arc in arcs[2:]:
        digits = [arc & 0x7F]
        while arc > 0x7F:
            arc >>= 7
            digits.insert(0, arc & 0x7F | 0x80)
        encoded += bytes(digits)
    var_binds = b"\x30" + length(b"\x30" + length(b"\x06" + length(encoded) + b"\x05\x00"))
    pdu = b"\x02\x04" + struct.pack(">I", number) + b"\x02\x01\x00\x02\x01\x00" + var_binds
    return b"\x30" + length(b"\x02\x01\x01\x04\x06public" + b"\xa0" + length(pdu))


def exchange(channel, number, name, timeout):
    """The time of a get in seconds, or the timeout when there is no response."""
    channel.settimeout(timeout)
    number += 0x10000000  # Four octets for every agent.
    request = get_request(number, name)
    begun = time.perf_counter()
    channel.send(request)
    mark = b"\x02\x04" + struct.pack(">I", number)
    try:
        while mark not in channel.recv(65536):
            pass
    except TimeoutError:
        return timeout
    return time.perf_counter() - begun


def manager(port):
    channel = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    channel.connect(("127.0.0.1", port))
    return channel


class Load:
    """Others who ask, each in a process, so that they do not delay the measuring one, until the end of the block."""

    def __init__(self, *tasks):
        fork = multiprocessing.get_context("fork")  # Tasks are closures.
        self.over = fork.Event()
        self.processes = [fork.Process(target=self.repeat, args=(task,)) for task in tasks]

    def repeat(self, task):
        while not self.over.is_set():
            task()

    def __enter__(self):
        for process in self.processes:
            process.start()

    def __exit__(self, *_):
        self.over.set()
        for process in self.processes:
            process.join()


def interval(values):
    """95 % between order statistics; of few values, all that there is."""
    values = sorted(values)
    count = len(values)
    outside, below = 0.0, 0
    while (outside := outside + 2 * math.comb(count, below) / 2**count) < 0.05:
        below += 1
    return values[max(below - 1, 0)], values[count - max(below, 1)]


def summary(values, unit="s", scale=1):
    low, high = interval(values)
    return f"{statistics.median(values) * scale:.3g} {unit} [{low * scale:.3g}, {high * scale:.3g}]"


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, math.ceil(share * len(values)) - 1)]
