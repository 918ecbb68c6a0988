"""What CPython's difflib says about pairs of texts: JSON lines in, JSON lines out.

Input, one line per pair: [a, b, a_start, a_end, b_start, b_end].
Output, one line per pair: the bits of three ratios as hex, the matching blocks, the opcodes, and the longest match
within the given ranges.
"""

import json
import struct
import sys
from difflib import SequenceMatcher


def bits(value):
    return struct.pack(">d", value).hex()


def main():
    source = open(sys.stdin.fileno(), encoding="utf-8", closefd=False)
    out = open(sys.stdout.fileno(), "w", encoding="utf-8", closefd=False)
    for line in source:
        a, b, a_start, a_end, b_start, b_end = json.loads(line)
        matcher = SequenceMatcher(None, a, b)
        answer = {
            "ratio": bits(matcher.ratio()),
            "quick_ratio": bits(matcher.quick_ratio()),
            "real_quick_ratio": bits(matcher.real_quick_ratio()),
            "blocks": [list(block) for block in matcher.get_matching_blocks()],
            "opcodes": [list(opcode) for opcode in matcher.get_opcodes()],
            "longest": list(matcher.find_longest_match(a_start, a_end, b_start, b_end)),
        }
        out.write(json.dumps(answer) + "\n")
    out.flush()


main()
