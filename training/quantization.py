"""Quantised matrices: ternary codes with int8 activations as in transformers' AutoBitLinear, bitsandbytes' NF4, and how both lie in checkpoints."""

from __future__ import annotations

import json

import torch
from torch import Tensor, nn

SMALLEST_MAGNITUDE = 1e-5
"""What a mean or a maximum is raised to before it divides, as in transformers."""

CODES_PER_BYTE = 4


def ternary_codes(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Codes −1, 0, 1 of a matrix [rows, columns], and the scale that multiplies them: the mean magnitude."""
    inverse = 1.0 / weight.abs().mean().clamp(min=SMALLEST_MAGNITUDE)
    return (weight * inverse).round().clamp(-1, 1), 1.0 / inverse


def activation_codes(x: Tensor) -> tuple[Tensor, Tensor]:
    """Codes −128…127 of each row of x [..., features], and the scale [..., 1] that divides them."""
    scale = 127 / x.abs().amax(dim=-1, keepdim=True).clamp(min=SMALLEST_MAGNITUDE)
    return (x * scale).round().clamp(-128, 127), scale


def pack_codes(codes: Tensor) -> Tensor:
    """Codes [rows, columns] as bytes [rows / 4, columns]: row r is field r div (rows / 4) of byte row r mod (rows / 4)."""
    strips = (codes + 1).to(torch.uint8).chunk(CODES_PER_BYTE)
    packed = torch.zeros_like(strips[0])
    for field, strip in enumerate(strips):
        packed |= strip << (2 * field)
    return packed


def unpack_codes(packed: Tensor) -> Tensor:
    """The inverse of `pack_codes`, as int8."""
    fields = [(packed >> (2 * field)) & 3 for field in range(CODES_PER_BYTE)]
    return torch.cat(fields).to(torch.int8) - 1


class TernaryProduct(torch.autograd.Function):
    """x · wᵀ with both sides quantised; gradients pass as if they were not (straight-through estimator).

    Codes are whole numbers below 129, which bfloat16 holds exactly, so the product of two of them is exact in `dtype` too. Each of the
    stacked parts of w has a scale of its own. The result is in `result_dtype`.
    """

    @staticmethod
    def forward(
        x: Tensor, weight: Tensor, parts: list[int], dtype: torch.dtype, result_dtype: torch.dtype
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        x_codes, x_scale = activation_codes(at_least_float32(x))
        pairs = [ternary_codes(part) for part in weight.split(parts)]
        codes = torch.cat([part for part, _ in pairs]).to(dtype)
        row_scale = torch.cat([scale.expand(rows) for (_, scale), rows in zip(pairs, parts)])
        x_codes = x_codes.to(dtype)
        y = (x_codes @ codes.t()) / x_scale * row_scale
        return y.to(result_dtype), x_codes, x_scale, codes, row_scale

    @staticmethod
    def setup_context(ctx: torch.autograd.function.FunctionCtx, inputs: tuple, output: tuple) -> None:
        _, x_codes, x_scale, codes, row_scale = output
        ctx.mark_non_differentiable(x_codes, x_scale, codes, row_scale)
        ctx.save_for_backward(x_codes, x_scale, codes, row_scale)

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, y_grad: Tensor, *_: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        x_codes, x_scale, codes, row_scale = ctx.saved_tensors
        dtype = codes.dtype
        x_grad = ((y_grad.float() * row_scale).to(dtype) @ codes).to(y_grad.dtype)
        scaled = (y_grad.float() / x_scale).to(dtype).flatten(0, -2)
        weight_grad = (scaled.t() @ x_codes.flatten(0, -2)).float()
        return x_grad, weight_grad, None, None, None


class FixedLinear(nn.Module):
    """A linear layer of given codes [rows, columns] and scales ([rows], or one for all), with int8 activations: what a runtime computes."""

    def __init__(self, codes: Tensor, row_scale: Tensor) -> None:
        super().__init__()
        self.register_buffer("codes", codes)
        self.register_buffer("row_scale", row_scale)

    def forward(self, x: Tensor) -> Tensor:
        x = at_least_float32(x)
        x_codes, x_scale = activation_codes(x)
        return x_codes @ self.codes.to(x.dtype).t() / x_scale * self.row_scale.to(x.dtype)


def at_least_float32(x: Tensor) -> Tensor:
    return x if x.dtype == torch.float64 else x.float()


NF4_STATE = ".quant_state.bitsandbytes__nf4"


def nf4_matrix(tensors: dict[str, Tensor], name: str) -> Tensor:
    """A matrix of a checkpoint in float32, every product and sum rounded to it. Source: bitsandbytes, QuantState and dequantize_4bit."""
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
