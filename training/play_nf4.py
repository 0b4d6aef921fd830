"""Plays the evaluation games with an NF4 player, in float32 on its dequantised weights, and writes what came of them into its report."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

import rollouts
from model import ModelConfig, Player, load_hugging_face_weights
from quantization import NF4_STATE, nf4_matrix
from train import EVALUATION_PIECES, HERE, evaluate

PARTS = (".absmax", ".quant_map", ".nested_absmax", ".nested_quant_map", NF4_STATE)


def dequantized(stored: dict[str, Tensor]) -> dict[str, Tensor]:
    """The checkpoint's weights in float32."""
    names = [name for name in stored if not name.endswith(PARTS)]
    return {name: nf4_matrix(stored, name) if name + NF4_STATE in stored else stored[name] for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=HERE.parent / "models/polyomino-nf4")
    parser.add_argument("--out", type=Path, help="where the report goes; the folder's own where left out")
    parser.add_argument("--script", type=Path, default=HERE / "dist/rollout.mjs")
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=3600)
    arguments = parser.parse_args()
    torch.set_flush_denormal(True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    folder: Path = arguments.folder
    weights = dequantized(load_file(folder / "model.safetensors"))
    player = Player(ModelConfig(len(weights["model.embed_tokens.weight"])), rollouts.slot_positions(), rollouts.NUM_TOKENS)
    load_hugging_face_weights(player, weights)
    player.to(device).eval()
    cases = json.loads((folder / "golden.json").read_text())["cases"]
    with torch.no_grad():
        scores = player(torch.tensor([case["input_ids"] for case in cases], device=device))[0].cpu()
    print("largest distance to golden.json:", (scores - torch.tensor([case["logits"] for case in cases])).abs().max().item(), flush=True)
    baseline = rollouts.start_baseline(arguments.script, "teacher", arguments.games, EVALUATION_PIECES)
    played = evaluate(player, arguments.script, arguments.games, device, time.monotonic() + arguments.seconds)
    report = json.loads((folder / "report.json").read_text())
    report["play"] = {
        "games": arguments.games,
        "pieces": EVALUATION_PIECES,
        "seeds": f"1 to {arguments.games}",
        "computedBy": f"torch {torch.__version__} on the dequantised weights, {device.type}, float32; the highest-scoring legal action",
        "nf4": played,
        "teacher": rollouts.baseline_result(baseline),
    }
    (arguments.out or folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report["play"]), flush=True)


if __name__ == "__main__":
    main()
