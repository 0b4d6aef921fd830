"""Turns the dense player into one with ternary projections and int8 activations, by distillation with both in the loop.

The dense player is the teacher of every hidden state and of the scores; the search teacher's action counts beside them.
States come from games that the ternary player itself plays, as in train.py.
"""

from __future__ import annotations

import argparse
import copy
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor

import rollouts
from export import check_export, hugging_face_config, write_folder
from model import Player, load_hugging_face_weights
from ternary import QUANTIZATION, packed_weights, ternary_player
from train import HERE, Trainer, argument_parser, optimizer_for, parse_arguments, token_ids

LOGITS_BOUND = 0.5
"""Largest difference to transformers' scores, which go up to about 20.

Of the millions of int8 roundings in eight layers some are close to a tie, and fall on the other side where sums are taken in another
order. Each moves the scores by some hundredths; a wrong formula or a wrong layout moves them by several whole numbers.
"""


def hidden_states(player: Player, ids: Tensor) -> tuple[list[Tensor], Tensor]:
    """The residual stream after each block [batch, tokens, hidden], and the action logits [batch, labels]."""
    states = [player.embed(ids)]
    for block in player.blocks:
        states.append(block(states[-1], player.cos, player.sin))
    return states[1:], player.score(player.norm(states[-1][:, -1])).float()


def relative_distance(found: Tensor, wanted: Tensor) -> Tensor:
    """Squared distance of the rows, in units of the wanted rows' squared length."""
    found, wanted = found.float(), wanted.float()
    return ((found - wanted).pow(2).sum(-1) / wanted.pow(2).sum(-1)).mean()


class TernaryTrainer(Trainer):
    """The loop of train.py on a ternary player."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        resume, arguments.resume = arguments.resume, None
        super().__init__(arguments)
        arguments.resume = resume
        if not arguments.smoke:
            load_hugging_face_weights(self.player, load_file(arguments.dense / "model.safetensors"))
        self.dense = self.player.eval().requires_grad_(False)
        self.player = ternary_player(self.dense).requires_grad_(True).to(self.device)
        self.average = copy.deepcopy(self.player).requires_grad_(False)
        if resume is not None:
            state = torch.load(resume, map_location=self.device, weights_only=True)
            self.player.load_state_dict(state["player"])
            self.average.load_state_dict(state["average"])
        self.optimizer = optimizer_for(self.player, arguments.learning_rate, fused=self.device.type == "cuda")
        for group in self.optimizer.param_groups:
            group["weight_decay"] = 0.0

    def loss(self, batch: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """Distance to the dense player's hidden states, and cross-entropy with its scores and the search's action."""
        ids = token_ids(batch)
        with torch.no_grad():
            wanted, wanted_logits = hidden_states(self.dense, ids)
        found, logits = hidden_states(self.player, ids)
        distance = torch.stack([relative_distance(*pair) for pair in zip(found, wanted)]).mean()
        actions = batch[:, rollouts.ACTION].long()
        share = self.arguments.dense_share
        target = share * wanted_logits.softmax(-1) + (1 - share) * F.one_hot(actions, logits.shape[-1])
        action_loss = F.cross_entropy(logits, target)
        match = (logits.argmax(-1) == actions).float().mean()
        loss = action_loss + self.arguments.hidden_weight * distance
        return loss, {"loss": action_loss, "slot": distance, "match": match}

    def train_until_ready(self, pool: rollouts.RolloutPool, end: float) -> None:
        """A fixed number of steps a round where the CPU that trains also plays; else as many as there is time for."""
        if self.arguments.steps_per_round == 0:
            super().train_until_ready(pool, end)
            return
        for _ in range(self.arguments.steps_per_round):
            self.train_step()
            if self.steps == 1:
                self.training_began = time.monotonic()
            if time.monotonic() >= end:
                return

    def export(self, player: Player) -> None:
        """Writes the packed checkpoint."""
        config = hugging_face_config(player.config)
        config.quantization_config = dict(QUANTIZATION)
        write_folder(config, packed_weights(player), self.arguments.out, self.arguments.tokenizer)

    def check(self, player: Player, ids: Tensor) -> Tensor:
        """Asserts that transformers' AutoBitLinear computes from the folder what the player does."""
        return check_export(copy.deepcopy(player).cpu(), self.arguments.out, ids, LOGITS_BOUND)


def ternary_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--dense", type=Path, default=HERE.parent / "models/polyomino-dense", help="the player to start from")
    parser.add_argument("--hidden-weight", type=float, default=4.0, help="weight of the hidden states' distance")
    parser.add_argument("--dense-share", type=float, default=0.7, help="of the action target; the search's action has the rest")
    parser.add_argument("--steps-per-round", type=int, default=0, help="training steps between two rounds of play; 0: while the games compute")
    return parse_arguments(parser)


if __name__ == "__main__":
    TernaryTrainer(ternary_arguments()).run()
