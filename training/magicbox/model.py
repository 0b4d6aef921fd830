"""MagicBox: an encoder of ternary layers that points at answers.

A row is `[CLS] [Q] question [Q] question … [SEP] text [SEP]`. The layers are BitNet's, but that every token sees its whole row; each question's
marker stands for it, and four projections give the scores: start[q, t] = ⟨W_sq h(q), W_st h(t)⟩ / √P, and likewise end.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from quantization import TernaryProduct, at_least_float32


@dataclass(frozen=True)
class MagicBoxConfig:
    """Sizes of the model."""

    vocab_size: int = 4096
    hidden_size: int = 256
    intermediate_size: int = 768
    num_hidden_layers: int = 16
    num_attention_heads: int = 4
    pointer_size: int = 128
    max_position_embeddings: int = 256
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10_000.0

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    def hugging_face(self) -> dict:
        """What config.json says."""
        return {
            "architectures": ["MagicBoxForExtraction"],
            "model_type": "magicbox",
            **asdict(self),
            "num_key_value_heads": self.num_attention_heads,
            "hidden_act": "relu2",
            "pad_token_id": 0,
            "cls_token_id": 2,
            "sep_token_id": 3,
            "question_token_id": 4,
            "quantization_config": {
                "quant_method": "bitnet",
                "linear_class": "autobitlinear",
                "quantization_mode": "offline",
                "modules_to_not_convert": ["pointer"],
            },
        }


class TernaryLinear(nn.Module):
    """A linear layer without bias that computes with ternary weights and int8 activations."""

    def __init__(self, inputs: int, parts: list[int]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(sum(parts), inputs) * 0.02)
        self.parts = parts

    def forward(self, x: Tensor) -> Tensor:
        return TernaryProduct.apply(x, self.weight, self.parts, x.dtype, x.dtype)[0]


class RmsNorm(nn.Module):
    """x / rms(x) · weight, in float32."""

    def __init__(self, size: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        x = at_least_float32(x)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class Block(nn.Module):
    """Attention and a gated squared ReLU, each with a norm before it and one inside."""

    def __init__(self, config: MagicBoxConfig) -> None:
        super().__init__()
        hidden, inner, epsilon = config.hidden_size, config.intermediate_size, config.rms_norm_eps
        self.head_dim = config.head_dim
        self.attention_norm = RmsNorm(hidden, epsilon)
        self.qkv = TernaryLinear(hidden, [hidden] * 3)
        self.attention_sub_norm = RmsNorm(hidden, epsilon)
        self.attention_out = TernaryLinear(hidden, [hidden])
        self.mlp_norm = RmsNorm(hidden, epsilon)
        self.gate_up = TernaryLinear(hidden, [inner] * 2)
        self.mlp_sub_norm = RmsNorm(inner, epsilon)
        self.down = TernaryLinear(inner, [hidden])
        self.compute = torch.bfloat16
        self.dropout = 0.0

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor | None) -> Tensor:
        dtype = self.compute
        q, k, v = (
            part.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
            for part in self.qkv(self.attention_norm(x).to(dtype)).chunk(3, dim=-1)
        )
        q, k = rotated(q.to(cos.dtype), cos, sin).to(dtype), rotated(k.to(cos.dtype), cos, sin).to(dtype)
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)
        x = x + F.dropout(self.attention_out(self.attention_sub_norm(attended).to(dtype)), self.dropout, self.training)
        gate, up = self.gate_up(self.mlp_norm(x).to(dtype)).chunk(2, dim=-1)
        return x + F.dropout(self.down(self.mlp_sub_norm(gate.relu().square() * up).to(dtype)), self.dropout, self.training)


class MagicBox(nn.Module):
    """From ids to the start and end scores of each question."""

    def __init__(self, config: MagicBoxConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        nn.init.normal_(self.embedding.weight, std=0.5)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.num_hidden_layers))
        self.norm = RmsNorm(config.hidden_size, config.rms_norm_eps)
        self.question_pointer = nn.Linear(config.hidden_size, 2 * config.pointer_size, bias=False)
        self.token_pointer = nn.Linear(config.hidden_size, 2 * config.pointer_size, bias=False)
        for pointer in (self.question_pointer, self.token_pointer):
            nn.init.normal_(pointer.weight, std=config.hidden_size**-0.5)

    def states(self, ids: Tensor, positions: Tensor, mask: Tensor | None) -> Tensor:
        """[rows, tokens, hidden]: the normed last states."""
        config = self.config
        wide = self.norm.weight.dtype
        half = torch.arange(0, config.head_dim, 2, device=ids.device, dtype=torch.float64)
        angles = positions[..., None].double() * config.rope_theta ** -(half / config.head_dim)
        cos, sin = (torch.cat((table, table), -1)[:, None].to(wide) for table in (angles.cos(), angles.sin()))
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x, cos, sin, mask)
        return self.norm(x)

    def scores(self, states: Tensor, markers: Tensor) -> Tensor:
        """[rows, questions, tokens, 2]: start and end scores, from states and the markers' places [rows, questions]."""
        size = self.config.pointer_size
        asked = states.gather(1, markers[..., None].expand(-1, -1, states.shape[-1]))
        questions = self.question_pointer(asked).unflatten(-1, (2, size))
        tokens = self.token_pointer(states).unflatten(-1, (2, size))
        return torch.einsum("bqsp,btsp->bqts", questions, tokens) / math.sqrt(size)

    def forward(self, ids: Tensor, markers: Tensor) -> Tensor:
        """The same, of rows that are no packs: [rows, tokens] and [rows, questions] in, [rows, questions, tokens, 2] out."""
        positions = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        return self.scores(self.states(ids, positions, None), markers)

    def compute_in(self, dtype: torch.dtype) -> MagicBox:
        """This model, whose layers compute in bfloat16 at first, from now on in `dtype`; its weights too where that is wider than theirs."""
        self.to(torch.promote_types(dtype, self.norm.weight.dtype))
        for block in self.blocks:
            block.compute = dtype
        return self
