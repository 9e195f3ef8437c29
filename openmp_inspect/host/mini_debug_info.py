# SPDX-License-Identifier: MIT
"""`.gnu_debugdata`: an ELF file, compressed by xz, with the symbols of functions alone, which some
distributions leave in files that they strip of all else."""

from __future__ import annotations

import lzma

LARGEST = 1 << 25  # bytes, of the file and of what decompressing it needs


def unpacked(data: bytes) -> bytes:
    """The file; ValueError where DATA is none, or a larger one."""
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, LARGEST)
    try:
        found = decompressor.decompress(data, LARGEST)
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError("mini debug info: %s" % error) from None
    if not decompressor.eof:
        raise ValueError("mini debug info is cut short, or too large")
    return found
