"""The model as an ONNX file, wired as PyTorch exports BERT: `embed_onnx.py MODEL_FOLDER OUT.onnx`.

Weights of linear layers lose their names and are stored inputs by outputs; biases keep theirs. Needs the
packages of requirements.txt.
"""

import json
import math
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from embed_vectors import read_safetensors


class Wiring:
    def __init__(self, tensors):
        self.tensors, self.nodes, self.initializers, self.count = tensors, [], {}, 0

    def constant(self, name, values):
        self.initializers.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def weight(self, name):
        return self.constant(name, self.tensors[name])

    def node(self, kind, *inputs, **attributes):
        self.count += 1
        output = f"{kind}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=f"/{output}", **attributes))
        return output

    def linear(self, x, name):
        weight = self.constant(f"onnx::MatMul_{name}", self.tensors[name + ".weight"].T)
        return self.node("Add", self.weight(name + ".bias"), self.node("MatMul", x, weight))

    def norm(self, x, name, epsilon):
        scale, bias = self.weight(name + ".weight"), self.weight(name + ".bias")
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)

    def gelu(self, x):
        half, one = self.constant("half", np.float32(0.5)), self.constant("one", np.float32(1))
        erf = self.node("Erf", self.node("Div", x, self.constant("sqrt2", np.float32(math.sqrt(2)))))
        return self.node("Mul", self.node("Mul", x, self.node("Add", erf, one)), half)


def build(folder):
    config = json.loads((folder / "config.json").read_text())
    hidden, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    g = Wiring(read_safetensors(folder / "model.safetensors"))
    split = g.constant("split", np.array([0, 0, heads, hidden // heads], np.int64))
    merge = g.constant("merge", np.array([0, 0, hidden], np.int64))
    positions = g.constant("positions", np.arange(config["max_position_embeddings"], dtype=np.int64)[None])
    length = g.node("Slice", g.node("Shape", "input_ids"), *[g.constant(f"n{n}", np.array([n], np.int64)) for n in (1, 2)])
    zero, axis = g.constant("n0", np.array([0], np.int64)), g.constant("n1", np.array([1], np.int64))
    ids = g.node("Slice", positions, zero, length, axis)

    def table(name, rows):
        return g.node("Gather", g.weight(f"embeddings.{name}_embeddings.weight"), rows)

    x = g.node("Add", table("word", "input_ids"), table("token_type", "token_type_ids"))
    x = g.norm(g.node("Add", x, table("position", ids)), "embeddings.LayerNorm", epsilon)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"

        def heads_of(part, order):
            states = g.node("Reshape", g.linear(x, f"{at}.attention.self.{part}"), split)
            return g.node("Transpose", states, perm=order)

        query, key, value = heads_of("query", [0, 2, 1, 3]), heads_of("key", [0, 2, 3, 1]), heads_of("value", [0, 2, 1, 3])
        root = g.constant("root", np.float32(math.sqrt(hidden // heads)))
        scores = g.node("Softmax", g.node("Div", g.node("MatMul", query, key), root), axis=-1)
        mixed = g.node("Transpose", g.node("MatMul", scores, value), perm=[0, 2, 1, 3])
        out = g.linear(g.node("Reshape", mixed, merge), f"{at}.attention.output.dense")
        x = g.norm(g.node("Add", out, x), f"{at}.attention.output.LayerNorm", epsilon)
        inner = g.gelu(g.linear(x, f"{at}.intermediate.dense"))
        x = g.norm(g.node("Add", g.linear(inner, f"{at}.output.dense"), x), f"{at}.output.LayerNorm", epsilon)
    g.nodes[-1].output[0] = "last_hidden_state"
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in ("input_ids", "token_type_ids")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", hidden])
    graph = helper.make_graph(g.nodes, "encoder", inputs, [output], list(g.initializers.values()))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main(folder, out):
    model = build(pathlib.Path(folder))
    onnx.checker.check_model(model)
    onnx.save(model, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
