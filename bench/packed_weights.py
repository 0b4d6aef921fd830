"""Reads packed checkpoints with torch alone: NF4 matrices as bitsandbytes stores them, ternary ones as transformers' BitNet does."""

from __future__ import annotations

import sys
from pathlib import Path

from safetensors.torch import load_file
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parent.parent / "training"))

from quantization import NF4_STATE, FixedLinear, nf4_matrix, unpack_codes

TERNARY_SCALE = ".weight_scale"


def load_packed(model: nn.Module, folder: Path) -> nn.Module:
    """Fills a model made without quantisation from a packed folder, in the model's own dtype. Ternary layers become FixedLinear."""
    tensors = load_file(folder / "model.safetensors")
    dtype = next(model.parameters()).dtype
    state: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        module_name, _, kind = name.rpartition(".")
        if f"{module_name}{TERNARY_SCALE}" in tensors:
            if kind == "weight":
                scale = tensors[f"{module_name}{TERNARY_SCALE}"].to(dtype)
                model.set_submodule(module_name, FixedLinear(unpack_codes(tensor).to(dtype), scale))
        elif f"{name}{NF4_STATE}" in tensors:
            state[name] = nf4_matrix(tensors, name).to(dtype)
        elif kind == "weight" or kind == "bias":
            state[name] = tensor.to(dtype)
    missing, unexpected = model.load_state_dict(state, strict=False)
    lost = [name for name in missing if not name.endswith((".codes", ".row_scale"))]
    if lost or unexpected:
        raise ValueError(f"{folder}: missing {lost}, unexpected {unexpected}")
    return model.eval()
