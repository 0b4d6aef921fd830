"""Reads packed checkpoints with torch alone: NF4 matrices as bitsandbytes stores them, ternary ones as transformers' BitNet does."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

NF4_STATE = ".quant_state.bitsandbytes__nf4"
TERNARY_SCALE = ".weight_scale"
SMALLEST_MAGNITUDE = 1e-5
"""What a row's largest magnitude is raised to before it divides, as in transformers."""


class AutoBitLinear(nn.Module):
    """The arithmetic of transformers' AutoBitLinear: activations rounded to int8 row by row, ternary weights, one scale."""

    def __init__(self, codes: Tensor, scale: Tensor) -> None:
        super().__init__()
        self.register_buffer("codes", codes)
        self.register_buffer("scale", scale)

    def forward(self, x: Tensor) -> Tensor:
        inverse = 127 / x.abs().amax(-1, keepdim=True).clamp(min=SMALLEST_MAGNITUDE)
        rounded = (x * inverse).round().clamp(-128, 127)
        return rounded @ self.codes.t() / inverse * self.scale


def nf4_weight(tensors: dict[str, Tensor], name: str) -> Tensor:
    """The weights of a matrix in float32, every product and sum rounded to it."""
    state = json.loads(bytes(tensors[f"{name}{NF4_STATE}"].tolist()))
    packed = tensors[name].flatten()
    codes = torch.stack((packed >> 4, packed & 15), dim=-1).flatten().long()
    scales = tensors[f"{name}.absmax"]
    if scales.dtype == torch.uint8:
        nested = tensors[f"{name}.nested_absmax"].repeat_interleave(state["nested_blocksize"])[: len(scales)]
        scales = tensors[f"{name}.nested_quant_map"][scales.long()] * nested + state["nested_offset"]
    count = torch.Size(state["shape"]).numel()
    values = tensors[f"{name}.quant_map"][codes[:count]]
    return (values * scales.repeat_interleave(state["blocksize"])[:count]).reshape(state["shape"])


def ternary_codes(packed: Tensor) -> Tensor:
    """Codes −1, 0, 1: the four strips of rows that share bytes, one below the other."""
    return torch.cat([(packed >> shift) & 3 for shift in (0, 2, 4, 6)]).to(torch.int8) - 1


def load_packed(model: nn.Module, folder: Path) -> nn.Module:
    """Fills a model made without quantisation from a packed folder, in the model's own dtype. Ternary layers become AutoBitLinear."""
    tensors = load_file(folder / "model.safetensors")
    dtype = next(model.parameters()).dtype
    state: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        module_name, _, kind = name.rpartition(".")
        if f"{module_name}{TERNARY_SCALE}" in tensors:
            if kind == "weight":
                scale = tensors[f"{module_name}{TERNARY_SCALE}"].to(dtype)
                model.set_submodule(module_name, AutoBitLinear(ternary_codes(tensor).to(dtype), scale))
        elif f"{name}{NF4_STATE}" in tensors:
            state[name] = nf4_weight(tensors, name).to(dtype)
        elif kind == "weight" or kind == "bias":
            state[name] = tensor.to(dtype)
    missing, unexpected = model.load_state_dict(state, strict=False)
    lost = [name for name in missing if not name.endswith((".codes", ".scale"))]
    if lost or unexpected:
        raise ValueError(f"{folder}: missing {lost}, unexpected {unexpected}")
    return model.eval()
