"""Token ids by Hugging Face's tokenizers: `embed_tokens.py MODEL_FOLDER COUNT` prints a line per text:
the text in hex, a tab, its ids.

Needs the packages of requirements.txt.
"""

import pathlib
import sys

from tokenizers import Tokenizer

from embed_corpus import token_texts


def main(folder, count):
    tokenizer = Tokenizer.from_file(str(pathlib.Path(folder) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    for text in token_texts(int(count)):
        print(text.encode().hex(), " ".join(map(str, tokenizer.encode(text).ids)), sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
