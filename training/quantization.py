"""Ternary codes of weights and int8 codes of activations: the arithmetic of transformers' AutoBitLinear, and the layout of its packed checkpoints."""

from __future__ import annotations

import torch
from torch import Tensor

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
