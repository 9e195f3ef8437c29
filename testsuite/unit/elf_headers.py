#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""openmp_inspect.core.elf over whole, cut and crafted files: the right headers, or ValueError."""

import lzma
import mmap
import os
import random
import struct
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.core import elf  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.host import elf_file  # noqa: E402  pylint: disable=wrong-import-position

EXECUTABLE, LOAD, MACHINE = 2, 1, 62
HUGE = (1 << 63, (1 << 64) - 1)
# Fields of a header behind its first two, and of an entry: name, sizes in both classes.
HEADER = (("type", "HH"), ("machine", "HH"), ("version", "II"), ("entry", "QI"), ("table", "QI"),
          ("sections", "QI"), ("flags", "II"), ("size", "HH"), ("entry_size", "HH"),
          ("count", "HH"), ("section_size", "HH"), ("section_count", "HH"), ("names", "HH"))


def image(wide, order, segments, **fields):
    """A file with these (type, offset, size), and with other FIELDS where they are given."""
    layout = struct.Struct(order + "".join(kinds[not wide] for _, kinds in HEADER))
    entry = struct.Struct(order + ("IIQQQQQQ" if wide else "IIIIIIII"))
    values = dict.fromkeys((name for name, _ in HEADER), 0)
    values.update(type=EXECUTABLE, machine=MACHINE, version=1, table=16 + layout.size,
                  entry_size=entry.size, count=len(segments))
    values.update(fields)
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1 if order == "<" else 2, 1]) + bytes(9)
    data = ident + layout.pack(*(values[name] for name, _ in HEADER))
    for address, (kind, offset, size) in enumerate(segments, 0x400):
        data += entry.pack(kind, 5, offset, address, 0, size, size, 8) if wide else \
            entry.pack(kind, offset, address, 0, size, size, 5, 4)
    return data


def refused(data):
    try:
        elf.of_page(data)
    except ValueError as error:
        return str(error)
    return ""


def note(order, owner, kind, content):
    padded = [part + bytes(-len(part) % 4) for part in (owner, content)]
    return struct.pack(order + "III", len(owner), len(content), kind) + b"".join(padded)


tap = Tap()
segments = [(LOAD, 0, 4096), (elf.NOTE, 512, 40), (elf.INTERPRETER, 600, 28)]
for wide, order in ((True, "<"), (True, ">"), (False, "<"), (False, ">")):
    name = "%d bits, %s endian" % (64 if wide else 32, "little" if order == "<" else "big")
    data = image(wide, order, segments)
    found = elf.of_page(data)
    tap.equal(found.header, elf.Header(wide, order, EXECUTABLE, MACHINE), name + ": header")
    tap.equal([one[:3] for one in found.segments], segments, name + ": segments")
    tap.equal([one.address for one in found.segments], [0x400, 0x401, 0x402],
              name + ": addresses")
    head, entry = 16 + (48 if wide else 36), 56 if wide else 32
    wrong = []
    for cut in range(len(data)):
        if cut < head:
            wrong += [] if refused(data[:cut]) else [cut]
        else:
            whole = (cut - head) // entry
            wrong += [] if elf.of_page(data[:cut]).segments == found.segments[:whole] else [cut]
    tap.case(wrong, name + ": cut at every byte")
    for size in (0, entry - 1, 257, 65535):
        tap.ok(refused(image(wide, order, segments, entry_size=size)),
               "%s: entries of %d bytes" % (name, size))
    tap.equal(elf.of_page(image(wide, order, segments, count=65535)).segments, found.segments,
              name + ": more entries than there are")
    tap.equal(elf.of_page(image(wide, order, segments, table=1 << 31)).segments, [],
              name + ": a table behind the end")
    for table in HUGE if wide else ():
        tap.ok(refused(image(wide, order, segments, table=table)),
               "%s: a table at %#x" % (name, table))
    tap.equal([one[:3] for one in elf.of_page(image(
        wide, order, [(LOAD, (1 << 8 * (8 if wide else 4)) - 1, 0)])).segments],
        [(LOAD, (1 << 8 * (8 if wide else 4)) - 1, 0)], name + ": the largest offset")
data = image(True, "<", segments)
for at, name in ((0, "no magic number"), (4, "no class"), (5, "no byte order")):
    tap.ok(refused(data[:at] + b"\0" + data[at + 1:]), name)



def with_sections(*sections):
    """A file with these (name, type, flags, address, link, entry, content), the names in the last."""
    titles = b"\0".join([b"", *(one[0] for one in sections), b".shstrtab", b""])
    contents, headers, at = b"", b"", 0x100
    for name, kind, flags, address, link, entry, content in (
            (b"", 0, 0, 0, 0, 0, b""), *sections, (b".shstrtab", 3, 0, 0, 0, 0, titles)):
        headers += struct.pack("<IIQQQQIIQQ", titles.index(name + b"\0"), kind, flags, address, at,
                               len(content) or 0x100 * bool(address), link, 0, 0, entry)
        contents, at = contents + content, at + len(content)
    return image(True, "<", segments, sections=at, section_size=64, section_count=len(sections) + 2,
                 names=len(sections) + 1).ljust(0x100, b"\0") + contents + headers


names = b"\0work\0$x\0"
symbols = b"".join(struct.pack("<IBBHQQ", *one) for one in (
    (0,) * 6, (1, 0x12, 0, 1, 0x410, 0), (6, 0, 0, 1, 0x420, 0)))
code = (b".text", 1, 0, 0x400, 0, 0, b"")
data = with_sections(code, (b".symtab", 2, 0, 0, 3, 24, symbols), (b".strtab", 3, 0, 0, 0, 0, names))
found, with_tables = elf_file.ElfFile(data).at(0x430), data
tap.equal(found and found.name, "work", "what says that code begins is no symbol")

packed = (b".gnu_debugdata", 1, 0, 0, 0, 0, lzma.compress(with_tables))
stripped = elf_file.ElfFile(with_sections(
    code, packed, (b".gnu_debuglink", 1, 0, 0, 0, 0, b"a.debug\0\x04\x03\x02\x01"),
    (b".debug_info", 1, 0x800, 0, 0, 0, struct.pack("<IIQQ", 2, 0, 100, 1))))
tap.equal((stripped.debug_link, stripped.is_zstd(".debug_info"), stripped.is_zstd(".text")),
          (("a.debug", 0x01020304), True, False), "sections by their names")
tap.equal(stripped.symbol("work"), None, "a debug file has symbols of its own alone")
stripped = elf_file.ElfFile(with_sections(code, packed))
stripped.find_debug_file = lambda: None
tap.equal((stripped.symbol("work").value, stripped.has_name("wor"), stripped.at(0x418).name,
           len(stripped.variables_from("wo"))), (0x410, True, "work", 1), "mini debug info")
stripped.use_symbols_of(elf_file.ElfFile(with_sections(code)))
tap.equal((stripped.symbol("work"), stripped.at(0x418)), (None, None), "or a debug file's")
for name, content in (("too large", lzma.compress(bytes(1 << 26))), ("no xz", b"work"), ("", b""),
                      ("cut short", lzma.compress(with_tables)[:-20])):
    stripped = elf_file.ElfFile(with_sections(code, (*packed[:6], content)))
    stripped.find_debug_file = lambda: None
    tap.equal(stripped.symbol("work"), None, "mini debug info that is " + (name or "empty"))

for order in "<>":
    header = elf.Header(True, order, elf.CORE, MACHINE)
    wanted = [(b"CORE", 1, b"x" * 5), (b"", 2, b""), (b"GNU", 3, b"abcd")]
    data = b"".join(note(order, owner and owner + b"\0", kind, content)
                    for owner, kind, content in wanted)
    tap.equal([tuple(one) for one in elf.notes(data, header)], wanted, "notes, " + order)
    wrong = []
    for cut in range(len(data)):
        found = [tuple(one) for one in elf.notes(data[:cut], header)]
        wrong += [] if found == wanted[:len(found)] else [cut]
    tap.case(wrong, "notes, %s, cut at every byte" % order)
    for sizes in ((0xffffffff, 0), (0, 0xffffffff), (0xffffffff, 0xffffffff)):
        tap.equal(list(elf.notes(struct.pack(order + "III", *sizes, 1) + bytes(64), header)), [],
                  "a note of %#x and %#x bytes, %s" % (*sizes, order))

random.seed(3)
data, unexpected = image(True, "<", segments), []
for _ in range(20000):
    spoilt = bytearray(data)
    for _ in range(random.randint(1, 8)):
        spoilt[random.randrange(len(spoilt))] = random.choice((0, 1, 127, 128, 255))
    try:
        found = elf.of_page(bytes(spoilt))
        for one in found.segments:
            list(elf.notes(spoilt[one.offset:one.offset + one.size], found.header))
    except ValueError:
        pass
    except Exception as error:  # pylint: disable=broad-except  # any is a fault here
        unexpected.append("%r of %s" % (error, spoilt.hex()))
tap.case(unexpected[:3], "spoilt at random")

with tempfile.TemporaryDirectory() as scratch:
    def written(name, data):
        path = os.path.join(scratch, name)
        with open(path, "wb") as stream:
            stream.write(data)
        return path

    wrong = []
    for at in range(16, len(with_tables) - 7, 4):  # of headers, tables and what these lead to
        for word in (*HUGE, (1 << 63) - 1, 1 << 40):
            path = written("huge", with_tables[:at] + struct.pack("<Q", word) +
                           with_tables[at + 8:])
            with open(path, "rb") as stream:
                mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            try:
                whole = elf_file.ElfFile(mapped)
                for answer in (whole.symbol, whole.has_name, whole.variables_from):
                    answer("work")
                whole.at(0x430), whole.slot(0x430), whole.build_id, whole.debug_link
                whole.is_zstd(".debug_info"), whole.has_debug_information
            except ValueError:
                pass
            except Exception as error:  # pylint: disable=broad-except  # any is a fault here
                wrong.append("%#x at %#x: %r" % (word, at, error))
    tap.case(wrong, "a word anywhere that is huge")
    static = image(True, "<", segments[:2])
    tap.ok(elf.is_static(written("static", static)), "a static program")
    tap.ok(not elf.is_static(written("dynamic", image(True, "<", segments))), "a dynamic one")
    tap.ok(not elf.is_static(written("ld-linux-x86-64.so.2", static)), "the dynamic linker")
    tap.ok(not elf.is_static(written("far", image(True, "<", segments, table=HUGE[1]))),
           "one whose table is nowhere")
    tap.ok(not elf.is_static(written("none", image(True, "<", []))), "one without segments")
    os.mkfifo(os.path.join(scratch, "fifo"))
    for name in ("fifo", "missing", "", "nul\0"):
        tap.ok(not elf.is_static(os.path.join(scratch, name)), "no program: %r" % name)
    tap.ok(not elf.is_static(None), "no path")
tap.end()
