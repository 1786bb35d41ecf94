#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A bperf-mini whose leader no kernel takes, for parts.t.

Usage: spoil.py PLAIN OUT WHAT [TIMES]

PLAIN is the program that does not unpack itself, OUT the copy. WHAT: prog: on_switch begins by reading a register that nothing was
written to; btf: the encoding of its first INT is one that there is none of."""
import struct
import sys

EM_BPF, KIND_INT = 247, 1
INSN = bytes([0xBF, 0x96, 0, 0, 0, 0, 0, 0])  # r6 = r9


def sections(data, at):
    """name -> (offset in data, size) of the object file at `at`"""
    table, = struct.unpack_from("<Q", data, at + 40)
    count, names = struct.unpack_from("<HH", data, at + 60)
    heads = [struct.unpack_from("<IIQQQQ", data, at + table + 64 * i) for i in range(count)]
    text = at + heads[names][4]
    return {data[text + h[0]:data.index(b"\0", text + h[0])].decode(): (at + h[4], h[5]) for h in heads}


def first_int(data, at):
    """The offset of the word behind the first INT of a BTF: encoding << 24 | offset << 16 | bits"""
    head, start, size = struct.unpack_from("<III", data, at + 4)
    here, end = at + head + start, at + head + start + size
    while here < end:
        info, = struct.unpack_from("<I", data, here + 4)
        kind, count = info >> 24 & 31, info & 0xFFFF
        if kind == KIND_INT:
            return here + 12
        here += 12 + {3: 12, 4: 12 * count, 5: 12 * count, 6: 8 * count, 13: 8 * count, 14: 4, 15: 12 * count}.get(kind, 0)
    raise SystemExit("no INT")


data = bytearray(open(sys.argv[1], "rb").read())
magic = b"\x7fELF\x02\x01\x01"
at = -1
while True:
    at = data.index(magic, at + 1)
    if struct.unpack_from("<H", data, at + 18)[0] == EM_BPF:
        break
found = sections(data, at)
if sys.argv[3] == "prog":
    place = next(place for name, (place, size) in found.items() if name.startswith("raw_tp"))
    data[place:place + len(INSN)] = INSN
else:
    place = first_int(data, found[".BTF"][0])
    data[place + 3] = 0xFF
open(sys.argv[2], "wb").write(data)
