"""Plays a packed player's games on a CPU, in the arithmetic of the checkpoint, and writes `golden.json` and the evaluation.

For a run whose time was up before its evaluation. The prompts of `golden.json` are those of the dense player's.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch
from safetensors.torch import load_file

import rollouts
from export import reference_logits, write_golden
from model import ModelConfig, Player
from ternary import packed_player
from train import EVALUATION_PIECES, HERE, evaluate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dense", type=Path, default=HERE.parent / "models/polyomino-dense")
    parser.add_argument("--script", type=Path, default=HERE / "dist/rollout.mjs")
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--budget-seconds", type=float, default=3600)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    folder = arguments.folder
    weights = load_file(folder / "model.safetensors")
    vocab_size = len(weights["model.embed_tokens.weight"])
    player = packed_player(Player(ModelConfig(vocab_size), rollouts.slot_positions(), rollouts.NUM_TOKENS), weights).eval()

    cases = json.loads((arguments.dense / "golden.json").read_text())["cases"]
    ids = torch.tensor([case["input_ids"] for case in cases])
    expected = reference_logits(folder, ids)
    write_golden(folder, ids, expected)
    with torch.no_grad():
        found, _ = player(ids)
    print("distance to transformers by prompt", [round(d, 5) for d in (found - expected).abs().amax(-1).tolist()], flush=True)

    deadline = time.monotonic() + arguments.budget_seconds
    student = evaluate(player, arguments.script, arguments.games, torch.device("cpu"), deadline)
    report = json.loads((folder / "report.json").read_text())
    teacher = rollouts.baseline_result(
        rollouts.start_baseline(arguments.script, "teacher", arguments.games, EVALUATION_PIECES)
    )
    report["evaluation"] = {"pieces": EVALUATION_PIECES, "student": student, "teacher": teacher}
    report["evaluation"]["linesOfTeacher"] = student["totalLines"] / max(teacher["totalLines"], 1)
    report["finished"] = student["unfinished"] == 0
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report["evaluation"], indent=1), flush=True)


if __name__ == "__main__":
    main()
