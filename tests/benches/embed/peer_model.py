"""The peers' own int8 model, laid out as transformers.js loads it: `peer_model.py MODEL_FOLDER OUT`.

Built of the same weights as the engine's pack, quantised by onnxruntime's `quantize_dynamic`: int8 per
output channel, which comes closest to the unquantised model. In onnxruntime-web no other setting
(unsigned, per tensor, `reduce_range`, attention fused beforehand) is faster beyond the noise. The
tokenizer comes without the fixed padding that the published file asks for: padding would only slow
the peers down. Needs the packages of requirements.txt.
"""

import json
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracles"))

import onnx  # noqa: E402
from embed_onnx import build  # noqa: E402
from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: E402

NAME = "minilm"


def main(weights, out):
    weights, out = pathlib.Path(weights), pathlib.Path(out) / NAME
    (out / "onnx").mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder) / "model.onnx"
        onnx.save(build(weights), plain)
        quantize_dynamic(plain, out / "onnx" / "model_quantized.onnx", weight_type=QuantType.QInt8, per_channel=True)
    tokenizer = json.loads((weights / "tokenizer.json").read_text())
    tokenizer["padding"] = None
    tokenizer["truncation"] = None
    (out / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False))
    for name in ("config.json", "tokenizer_config.json"):
        shutil.copyfile(weights / name, out / name)


if __name__ == "__main__":
    main(*sys.argv[1:])
