"""Ternary linear layers with int8 activations: the arithmetic of transformers' AutoBitLinear, and its packed checkpoint."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from model import Player, hugging_face_weights
from quantization import TernaryProduct, activation_codes, pack_codes, ternary_codes, unpack_codes

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


class TernaryLinear(nn.Module):
    """A linear layer without bias that computes with ternary weights; each of its stacked parts has a scale of its own."""

    def __init__(self, dense: nn.Linear, parts: list[int]) -> None:
        super().__init__()
        self.weight = nn.Parameter(dense.weight.detach().clone())
        self.parts = parts

    def forward(self, x: Tensor) -> Tensor:
        device = x.device.type
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
        return TernaryProduct.apply(x, self.weight, self.parts, dtype, torch.float32)[0]


def ternary_player(dense: Player) -> Player:
    """A copy of a player whose blocks are ternary, starting from its weights. Embedding, norms and head stay dense."""
    player = copy.deepcopy(dense)
    for block in player.blocks:
        intermediate = player.config.intermediate_size
        block.qkv = TernaryLinear(block.qkv, block.splits)
        block.attention_out = TernaryLinear(block.attention_out, [player.config.hidden_size])
        block.gate_up = TernaryLinear(block.gate_up, [intermediate, intermediate])
        block.down = TernaryLinear(block.down, [player.config.hidden_size])
    return player


def packed_weights(player: Player) -> dict[str, Tensor]:
    """The weights under Hugging Face's names, projections as packed codes with a `weight_scale`."""
    weights: dict[str, Tensor] = {}
    for name, value in hugging_face_weights(player).items():
        if name.split(".")[-2] not in PROJECTIONS:
            weights[name] = value
            continue
        codes, scale = ternary_codes(value)
        weights[name] = pack_codes(codes).contiguous()
        weights[name.removesuffix("weight") + "weight_scale"] = scale.reshape(1)
    return weights


QUANTIZATION = {
    "quant_method": "bitnet",
    "linear_class": "autobitlinear",
    "quantization_mode": "offline",
    "modules_to_not_convert": ["score"],
}
"""What config.json says of such a checkpoint."""


class PackedLinear(nn.Module):
    """A stack of packed matrices, computed in whole numbers: what a runtime with kernels of its own does."""

    def __init__(self, weights: dict[str, Tensor], modules: list[str]) -> None:
        super().__init__()
        codes = [unpack_codes(weights[f"{module}.weight"]) for module in modules]
        scales = [weights[f"{module}.weight_scale"].expand(len(part)) for module, part in zip(modules, codes)]
        self.register_buffer("codes", torch.cat(codes).t().contiguous())
        self.register_buffer("row_scale", torch.cat(scales))

    def forward(self, x: Tensor) -> Tensor:
        x_codes, x_scale = activation_codes(x.float())
        rows = x_codes.to(torch.int8).flatten(0, -2)
        sums = torch._int_mm(rows, self.codes).unflatten(0, x.shape[:-1])
        return sums.float() / x_scale * self.row_scale


def packed_player(player: Player, weights: dict[str, Tensor]) -> Player:
    """A copy of a player with the weights of a packed checkpoint."""
    packed = copy.deepcopy(player)
    packed.embedding.weight.data = weights["model.embed_tokens.weight"]
    packed.norm.weight.data = weights["model.norm.weight"]
    packed.score.weight.data = weights["score.weight"]
    for index, block in enumerate(packed.blocks):
        layer = f"model.layers.{index}"
        attention, mlp = f"{layer}.self_attn", f"{layer}.mlp"
        block.attention_norm.weight.data = weights[f"{layer}.input_layernorm.weight"]
        block.mlp_norm.weight.data = weights[f"{layer}.post_attention_layernorm.weight"]
        block.qkv = PackedLinear(weights, [f"{attention}.{name}" for name in ("q_proj", "k_proj", "v_proj")])
        block.attention_out = PackedLinear(weights, [f"{attention}.o_proj"])
        block.gate_up = PackedLinear(weights, [f"{mlp}.{name}" for name in ("gate_proj", "up_proj")])
        block.down = PackedLinear(weights, [f"{mlp}.down_proj"])
    return packed
