"""Vectors of the unquantised model for graded pairs: `embed_pairs.py MODEL_FOLDER PAIRS.tsv` prints a line per
sentence, first and second of each pair in the file's order: the sentence in hex, a tab, its vector.

A line of the file is a grade, a tab, a sentence, a tab, a sentence; lines that begin with # are comments. Needs the
packages of requirements.txt.
"""

import pathlib
import sys

from embed_vectors import Encoder


def main(folder, pairs):
    encoder = Encoder(folder)
    for line in pathlib.Path(pairs).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            for text in line.split("\t")[1:]:
                print(text.encode().hex(), " ".join(f"{v:.7f}" for v in encoder.embed(text)), sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
