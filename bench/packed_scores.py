"""Computes what a packed classifier must score: a folder in NF4 or ternary, by PyTorch in float64, or a quantised .onnx, by ONNX Runtime's CPU.

usage (on a host with torch, transformers and onnxruntime): python3 packed_scores.py FOLDER_OR_ONNX INPUT.json OUT.json
INPUT.json has the ids, and maybe the text, of the dense model's scores; OUT.json gets them with the packed model's.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

# The folder is at hand: nothing is to be looked up anywhere.
os.environ["HF_HUB_OFFLINE"] = "1"

import torch

from packed_weights import load_packed

TERNARY_TOLERANCE = 0.03
"""Activations are rounded to int8: over a whole prompt, those near a tie move a float32 computation by up to 1e-2 of the largest score."""


def folder_scores(folder: Path, ids: list[int]) -> tuple[list[float], float | None]:
    """Scores, and the error that they allow where it is not that of floats."""
    from transformers import AutoConfig, AutoModelForSequenceClassification

    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    quantization = config.quantization_config
    del config.quantization_config
    config._attn_implementation = "eager"
    model = AutoModelForSequenceClassification.from_config(config, dtype=torch.float64)
    with torch.no_grad():
        scores = load_packed(model, folder)(input_ids=torch.tensor([ids]), use_cache=False).logits[0].tolist()
    return scores, TERNARY_TOLERANCE if quantization["quant_method"] == "bitnet" else None


def onnx_scores(file: Path, ids: list[int]) -> list[float]:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    return session.run(None, {"ids": [ids]})[0][0].tolist()


def main(model: Path, source: Path, target: Path) -> None:
    given = json.loads(source.read_text())
    expected = {name: given[name] for name in ("ids", "text") if name in given}
    if model.suffix == ".onnx":
        expected["scores"] = onnx_scores(model, given["ids"])
    else:
        expected["scores"], tolerance = folder_scores(model, given["ids"])
        if tolerance is not None:
            expected["tolerance"] = tolerance
    target.write_text(json.dumps(expected))
    distance = max(abs(found - dense) for found, dense in zip(expected["scores"], given["scores"]))
    largest = max(map(abs, given["scores"]))
    print(json.dumps({"model": model.name, "distanceToDense": distance, "largestDense": largest}))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
