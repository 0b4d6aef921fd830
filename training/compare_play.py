"""Compares decisions that the runtime made with those that PyTorch makes in the same states, in float32 on an NF4 player's dequantised weights.

usage: npm run play:evaluate -- --model models/polyomino-nf4 --backend cpu --games 8 --pieces 12 --decisions decisions.jsonl
       python training/compare_play.py decisions.jsonl [--folder models/polyomino-nf4]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

import rollouts
from model import ModelConfig, Player, load_hugging_face_weights
from play_nf4 import dequantized
from train import HERE

BATCH = 32


def token_ids(prompts: list[str], folder: Path) -> Tensor:
    """The tokenizer's ids: one for each character, behind the token that begins a text."""
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    return torch.tensor([[rollouts.BEGIN_ID, *(vocabulary[character] for character in prompt)] for prompt in prompts])


def best_legal(scores: Tensor, legal: Tensor) -> Tensor:
    """The highest-scoring legal action of each state."""
    is_legal = (legal[:, None] >> torch.arange(scores.shape[1])) & 1 > 0
    return scores.masked_fill(~is_legal, -torch.inf).argmax(dim=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decisions", type=Path)
    parser.add_argument("--folder", type=Path, default=HERE.parent / "models/polyomino-nf4")
    arguments = parser.parse_args()
    decisions = [json.loads(line) for line in arguments.decisions.read_text().splitlines()]
    weights = dequantized(load_file(arguments.folder / "model.safetensors"))
    player = Player(ModelConfig(len(weights["model.embed_tokens.weight"])), rollouts.slot_positions(), rollouts.NUM_TOKENS)
    load_hugging_face_weights(player, weights)
    player.eval()
    ids = token_ids([decision["prompt"] for decision in decisions], arguments.folder)
    with torch.no_grad():
        scores = torch.cat([player(batch)[0] for batch in ids.split(BATCH)])
    played = torch.tensor([decision["action"] for decision in decisions])
    legal = torch.tensor([decision["legal"] for decision in decisions])
    distance = (scores - torch.tensor([decision["scores"] for decision in decisions])).abs().max().item()
    agreement = {
        "states": len(decisions),
        "sameMoves": int((best_legal(scores, legal) == played).sum()),
        "largestDistanceOfScores": distance,
        "largestScore": scores.abs().max().item(),
    }
    print(json.dumps(agreement))


if __name__ == "__main__":
    main()
