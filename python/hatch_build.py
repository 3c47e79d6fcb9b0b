"""Adds the built program to the wheel, and names the wheel's platform by the program's own header."""

import os
import struct

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "SPHERELAB_WHEEL_BINARY"
ELF_MACHINES = {62: "x86_64", 183: "aarch64"}
MACH_MACHINES = {0x01000007: "x86_64", 0x0100000C: "arm64"}
PE_MACHINES = {0x8664: "amd64", 0xAA64: "arm64"}
PROGRAM_INTERPRETER = 3  # the type of the part of an ELF file that names the loader of shared libraries


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if self.target_name != "wheel" or version == "editable":
            raise SystemExit("spherelab is built as a wheel only, which carries the program: make wheel")
        binary = os.environ.get(VARIABLE, "")
        if not os.path.isfile(binary):
            raise SystemExit(f"{VARIABLE} names no built program: {binary!r}; `make wheel` builds one")
        platform = platform_of(binary)
        name = "spherelab.exe" if platform.startswith("win") else "spherelab"
        build_data["shared_scripts"][binary] = name
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"


def platform_of(binary: str) -> str:
    """Returns the platforms on which a program runs, as wheels name them."""
    with open(binary, "rb") as file:
        head = file.read(4096)
    try:
        if head.startswith(b"\x7fELF\x02\x01"):
            return linux(head)
        if head.startswith(b"\xcf\xfa\xed\xfe"):
            # Go 1.26 needs macOS 12.
            return "macosx_12_0_" + MACH_MACHINES[struct.unpack_from("<I", head, 4)[0]]
        if head.startswith(b"MZ"):
            start = struct.unpack_from("<I", head, 0x3C)[0]
            return "win_" + PE_MACHINES[struct.unpack_from("<H", head, start + 4)[0]]
    except (KeyError, struct.error):
        pass
    raise SystemExit(f"{binary} is not a program of Linux, macOS or Windows on amd64 or arm64")


def linux(head: bytes) -> str:
    machine = ELF_MACHINES[struct.unpack_from("<H", head, 18)[0]]
    (table,) = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    parts = [struct.unpack_from("<I", head, table + i * size)[0] for i in range(count)]
    if PROGRAM_INTERPRETER in parts:  # it needs the C library of the machine that built it
        return f"linux_{machine}"
    return f"manylinux2014_{machine}.manylinux_2_17_{machine}.musllinux_1_1_{machine}"
