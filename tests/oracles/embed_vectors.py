"""Vectors of the unquantised model: `embed_vectors.py MODEL_FOLDER COUNT` prints a line per
text: the text in hex, a tab, its vector.

A BERT encoder in numpy, float32 throughout, mean-pooled and normalised. Needs the packages of requirements.txt.
"""

import json
import math
import pathlib
import struct
import sys

import numpy as np
from tokenizers import Tokenizer

from embed_corpus import sentence_texts


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + length + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[start:end], np.float32).reshape(entry["shape"])
    return tensors


# erf by its library function, tabulated finely enough that interpolation is exact to float32.
STEPS_PER_UNIT = 8192
ERF = np.array([math.erf(i / STEPS_PER_UNIT - 6) for i in range(12 * STEPS_PER_UNIT + 2)], np.float32)


def gelu(x):
    place = np.clip((x / math.sqrt(2) + 6) * STEPS_PER_UNIT, 0, 12 * STEPS_PER_UNIT)
    index = place.astype(np.int32)
    low, high = ERF[index], ERF[index + 1]
    return (0.5 * x * (1 + low + (place - index) * (high - low))).astype(np.float32)


class Encoder:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        config = json.loads((folder / "config.json").read_text())
        self.heads = config["num_attention_heads"]
        self.layers = config["num_hidden_layers"]
        self.epsilon = config["layer_norm_eps"]
        self.tensors = read_safetensors(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(256)

    def linear(self, x, name):
        return x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"]

    def norm(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + self.epsilon)
        return centred / deviation * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]

    def attention(self, x, name):
        def split(part):
            return self.linear(x, f"{name}.{part}").reshape(len(x), self.heads, -1).transpose(1, 0, 2)

        query, key, value = split("query"), split("key"), split("value")
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        return (scores @ value).transpose(1, 0, 2).reshape(len(x), -1)

    def embed(self, text):
        ids = self.tokenizer.encode(text).ids
        x = self.tensors["embeddings.word_embeddings.weight"][ids]
        x = x + self.tensors["embeddings.position_embeddings.weight"][: len(ids)]
        x = x + self.tensors["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}"
            mixed = self.linear(self.attention(x, f"{at}.attention.self"), f"{at}.attention.output.dense")
            x = self.norm(mixed + x, f"{at}.attention.output.LayerNorm")
            inner = gelu(self.linear(x, f"{at}.intermediate.dense"))
            x = self.norm(self.linear(inner, f"{at}.output.dense") + x, f"{at}.output.LayerNorm")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


def main(folder, count):
    encoder = Encoder(folder)
    for text in sentence_texts(int(count)):
        print(text.encode().hex(), " ".join(f"{v:.7f}" for v in encoder.embed(text)), sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
