"""CPython's side of the matcher bench: times itself over the pairs it is given.

The first line in is a JSON list of sets, each a list of [a, b]. Then each line names a set by number; the answer is
the nanoseconds for all its pairs and their ratios as hex bits.
"""

import json
import struct
import sys
from difflib import SequenceMatcher
from time import perf_counter_ns


def main():
    source = open(sys.stdin.fileno(), encoding="utf-8", closefd=False)
    sets = json.loads(source.readline())
    for line in source:
        pairs = sets[int(line)]
        start = perf_counter_ns()
        ratios = [SequenceMatcher(None, a, b).ratio() for a, b in pairs]
        spent = perf_counter_ns() - start
        bits = [struct.pack(">d", ratio).hex() for ratio in ratios]
        print(json.dumps([spent, bits]), flush=True)


main()
