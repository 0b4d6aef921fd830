"""Exports the shipped player to ONNX, with the scores that PyTorch computes from the same weights, in the form of the other peers' models.

usage (on a host with torch, transformers and onnx): python3 export_shipped.py MODEL_FOLDER OUT
Writes OUT/NAME.onnx (input ids [1, 346], output scores [1, 8]) and OUT/NAME.json: {"ids", "scores"}, and "text" where golden.json has it.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from pathlib import Path

# The folder is at hand: nothing is to be looked up anywhere.
os.environ["HF_HUB_OFFLINE"] = "1"
logging.disable(logging.INFO)

import torch
from torch import Tensor
from transformers import LlamaForSequenceClassification

NUM_TOKENS = 346


class Scores(torch.nn.Module):
    """The classifier as ids in, scores out."""

    def __init__(self, model: LlamaForSequenceClassification) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor) -> Tensor:
        return self.model(input_ids=ids, use_cache=False).logits


def benchmark_input(folder: Path, vocab_size: int) -> tuple[list[int], str | None, list[float] | None]:
    """Ids, text and reference logits of the first golden prompt; without golden.json, ids drawn from a fixed seed."""
    golden = folder / "golden.json"
    if golden.exists():
        for case in json.loads(golden.read_text())["cases"]:
            if len(case["input_ids"]) == NUM_TOKENS:
                return case["input_ids"], case.get("text"), case["logits"]
    generator = torch.Generator().manual_seed(0)
    return torch.randint(4, vocab_size, (NUM_TOKENS,), generator=generator).tolist(), None, None


def main(folder: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    model = LlamaForSequenceClassification.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", local_files_only=True
    ).eval()
    ids, text, golden = benchmark_input(folder, model.config.vocab_size)
    batch = torch.tensor([ids])
    wrapped = Scores(model).eval()
    with torch.no_grad():
        scores = wrapped(batch)
    expected = {"ids": ids, "scores": scores[0].tolist()}
    if text is not None:
        expected["text"] = text
    name = folder.name
    (out / f"{name}.json").write_text(json.dumps(expected))
    target = out / name
    if target.resolve() != folder.resolve():
        shutil.copytree(folder, target, dirs_exist_ok=True)
    torch.onnx.export(
        wrapped,
        (batch,),
        str(out / f"{name}.onnx"),
        input_names=["ids"],
        output_names=["scores"],
        dynamo=True,
        external_data=False,
        opset_version=18,
        verbose=False,
    )
    difference = None if golden is None else max(abs(a - b) for a, b in zip(scores[0].tolist(), golden))
    size_bytes = (out / f"{name}.onnx").stat().st_size
    print(json.dumps({"model": name, "onnxBytes": size_bytes, "hasText": text is not None, "errorToGolden": difference}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
