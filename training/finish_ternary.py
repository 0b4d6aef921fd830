"""Plays a packed player's games on a CPU, in the arithmetic of the checkpoint, and writes `golden.json` and the evaluation.

For a run whose time was up before its evaluation. The prompts of `golden.json` are the beginnings of the dense player's: every token
brings more activations close to a tie, and over whole prompts those that a computation in float32 rounds the other way move the scores by up
to 1e-2 of the largest. Its scores are computed in float64, so that only one of two computations has such roundings.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor

import rollouts
from export import reference_logits, write_golden
from model import ModelConfig, Player, rope_tables
from quantization import unpack_codes
from ternary import packed_player
from train import EVALUATION_PIECES, HERE, evaluate


GOLDEN_TOKENS = 24


def exact_logits(weights: dict[str, Tensor], config: ModelConfig, ids: Tensor) -> Tensor:
    """Scores of prompts [batch, tokens] in float64, straight from the packed tensors: AutoBitLinear in a Llama."""
    wide = {name: value.double() if value.is_floating_point() else value for name, value in weights.items()}
    cos, sin = (table.double() for table in rope_tables(config, ids.shape[1]))

    def norm(x: Tensor, name: str) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + config.rms_norm_eps) * wide[f"{name}.weight"]

    def linear(x: Tensor, module: str) -> Tensor:
        scale = 127 / x.abs().amax(-1, keepdim=True).clamp(min=1e-5)
        codes = (x * scale).round().clamp(-128, 127)
        return codes @ unpack_codes(wide[f"{module}.weight"]).double().t() / scale * wide[f"{module}.weight_scale"]

    def heads(x: Tensor, count: int) -> Tensor:
        return x.unflatten(-1, (count, config.head_dim)).transpose(1, 2)

    def rotated(x: Tensor) -> Tensor:
        first, second = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-second, first), dim=-1) * sin

    x = wide["model.embed_tokens.weight"][ids]
    groups = config.num_heads // config.num_kv_heads
    for index in range(config.num_layers):
        layer = f"model.layers.{index}"
        normed = norm(x, f"{layer}.input_layernorm")
        q = rotated(heads(linear(normed, f"{layer}.self_attn.q_proj"), config.num_heads))
        k = rotated(heads(linear(normed, f"{layer}.self_attn.k_proj"), config.num_kv_heads)).repeat_interleave(groups, 1)
        v = heads(linear(normed, f"{layer}.self_attn.v_proj"), config.num_kv_heads).repeat_interleave(groups, 1)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + linear(mixed, f"{layer}.self_attn.o_proj")
        normed = norm(x, f"{layer}.post_attention_layernorm")
        activated = F.silu(linear(normed, f"{layer}.mlp.gate_proj")) * linear(normed, f"{layer}.mlp.up_proj")
        x = x + linear(activated, f"{layer}.mlp.down_proj")
    return norm(x[:, -1], "model.norm") @ wide["score.weight"].t()


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
    with torch.no_grad():
        exact = exact_logits(weights, player.config, ids)
        played, _ = player(ids)
    beginnings = ids[:, :GOLDEN_TOKENS]
    with torch.no_grad():
        golden = exact_logits(weights, player.config, beginnings)
    write_golden(folder, beginnings, golden, f"torch {torch.__version__}, CPU, float64, the arithmetic of AutoBitLinear")
    for name, other in (("player", played), ("transformers", reference_logits(folder, ids))):
        distances = (other - exact).abs().amax(-1).tolist()
        print(f"distance of {name} by prompt", [round(distance, 4) for distance in distances], flush=True)

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
