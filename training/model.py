"""The player: a small Llama in plain PyTorch, with the names and the arithmetic of Hugging Face's implementation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

ACTIONS = [
    "left",
    "right",
    "rotate clockwise",
    "rotate counter-clockwise",
    "soft drop",
    "hard drop",
    "hold",
    "wait",
]


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the player. The defaults stay below 5 MB in float32."""

    vocab_size: int
    hidden_size: int = 128
    intermediate_size: int = 256
    num_layers: int = 8
    num_heads: int = 4
    num_kv_heads: int = 2
    head_dim: int = 32
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10000.0
    max_positions: int = 512
    num_labels: int = len(ACTIONS)
    # Blocks whose output scores the menu cells: two are left to turn the chosen placement into an action.
    slot_layers: int = 6


class RMSNorm(nn.Module):
    """Root-mean-square normalisation, computed in float32."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        x = x.float()
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


def rope_tables(config: ModelConfig, length: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines [length, head_dim] of the rotary embedding, half-rotation layout."""
    exponents = torch.arange(0, config.head_dim, 2, dtype=torch.float32) / config.head_dim
    angles = torch.arange(length, dtype=torch.float32)[:, None] / config.rope_theta**exponents[None]
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Applies the rotary embedding to [batch, heads, tokens, head_dim] in float32."""
    first, second = x.float().chunk(2, dim=-1)
    return x.float() * cos + torch.cat((-second, first), dim=-1) * sin


class Block(nn.Module):
    """Pre-norm attention with grouped key/value heads, then a gated MLP; both with a residual."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        query_size = config.num_heads * config.head_dim
        kv_size = config.num_kv_heads * config.head_dim
        self.splits = [query_size, kv_size, kv_size]
        self.attention_norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.qkv = nn.Linear(config.hidden_size, sum(self.splits), bias=False)
        self.attention_out = nn.Linear(query_size, config.hidden_size, bias=False)
        self.mlp_norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.gate_up = nn.Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.down = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        config = self.config
        batch, tokens, _ = x.shape
        q, k, v = self.qkv(self.attention_norm(x)).split(self.splits, dim=-1)
        q = q.view(batch, tokens, config.num_heads, config.head_dim).transpose(1, 2)
        k = k.view(batch, tokens, config.num_kv_heads, config.head_dim).transpose(1, 2)
        v = v.view(batch, tokens, config.num_kv_heads, config.head_dim).transpose(1, 2)
        q = rotate(q, cos, sin).to(v.dtype)
        k = rotate(k, cos, sin).to(v.dtype)
        groups = config.num_heads // config.num_kv_heads
        k = k.repeat_interleave(groups, dim=1)
        v = v.repeat_interleave(groups, dim=1)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.attention_out(mixed.transpose(1, 2).reshape(batch, tokens, -1))
        gate, up = self.gate_up(self.mlp_norm(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


class Player(nn.Module):
    """Scores the actions from the last token, and the menu cells from an inner layer (for training only)."""

    def __init__(self, config: ModelConfig, slot_positions: list[int], num_tokens: int) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.num_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.score = nn.Linear(config.hidden_size, config.num_labels, bias=False)
        self.slot_norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.slot_score = nn.Linear(config.hidden_size, 1)
        cos, sin = rope_tables(config, num_tokens)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self.register_buffer("slot_positions", torch.tensor(slot_positions), persistent=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fan-in initialisation; what adds to the residual stream starts small."""
        nn.init.normal_(self.embedding.weight, std=0.5)
        for name, parameter in self.named_parameters():
            if parameter.dim() != 2 or name.startswith("embedding"):
                continue
            std = parameter.shape[1] ** -0.5
            if name.endswith(("attention_out.weight", "down.weight")):
                std /= math.sqrt(2 * self.config.num_layers)
            if name.endswith("score.weight"):
                std *= 0.1
            nn.init.normal_(parameter, std=std)

    def embed(self, ids: Tensor) -> Tensor:
        """Looks tokens up by a product with one-hot rows.

        The gradient of a lookup sums rows of equal ids one after the other, and most characters of a board are one id;
        the product's gradient is a matmul.
        """
        one_hot = ids[..., None] == torch.arange(self.config.vocab_size, device=ids.device)
        return (one_hot.to(self.embedding.weight.dtype) @ self.embedding.weight).float()

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Token ids [batch, tokens] to action logits [batch, labels] and menu logits [batch, slots], float32."""
        x = self.embed(ids)
        slots = x
        for index, block in enumerate(self.blocks):
            x = block(x, self.cos, self.sin)
            if index + 1 == self.config.slot_layers:
                slots = x.index_select(1, self.slot_positions)
        actions = self.score(self.norm(x[:, -1]))
        return actions.float(), self.slot_score(self.slot_norm(slots)).squeeze(-1).float()


def hugging_face_weights(player: Player) -> dict[str, Tensor]:
    """The weights under the names of LlamaForSequenceClassification; the menu head is left out."""
    weights = {"model.embed_tokens.weight": player.embedding.weight}
    for index, block in enumerate(player.blocks):
        prefix = f"model.layers.{index}."
        q, k, v = block.qkv.weight.split(block.splits)
        gate, up = block.gate_up.weight.chunk(2)
        weights |= {
            prefix + "input_layernorm.weight": block.attention_norm.weight,
            prefix + "self_attn.q_proj.weight": q,
            prefix + "self_attn.k_proj.weight": k,
            prefix + "self_attn.v_proj.weight": v,
            prefix + "self_attn.o_proj.weight": block.attention_out.weight,
            prefix + "post_attention_layernorm.weight": block.mlp_norm.weight,
            prefix + "mlp.gate_proj.weight": gate,
            prefix + "mlp.up_proj.weight": up,
            prefix + "mlp.down_proj.weight": block.down.weight,
        }
    weights |= {"model.norm.weight": player.norm.weight, "score.weight": player.score.weight}
    return {name: value.detach().float().cpu().contiguous().clone() for name, value in weights.items()}


def load_hugging_face_weights(player: Player, weights: dict[str, Tensor]) -> None:
    """Takes over weights that `hugging_face_weights` named; the menu head stays as it is."""
    state = player.state_dict()
    state |= {"embedding.weight": weights["model.embed_tokens.weight"]}
    state |= {"norm.weight": weights["model.norm.weight"], "score.weight": weights["score.weight"]}
    for index in range(player.config.num_layers):
        theirs, ours = f"model.layers.{index}.", f"blocks.{index}."
        stacks = {
            "attention_norm": ["input_layernorm"],
            "qkv": ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
            "attention_out": ["self_attn.o_proj"],
            "mlp_norm": ["post_attention_layernorm"],
            "gate_up": ["mlp.gate_proj", "mlp.up_proj"],
            "down": ["mlp.down_proj"],
        }
        for name, parts in stacks.items():
            state[f"{ours}{name}.weight"] = torch.cat([weights[f"{theirs}{part}.weight"] for part in parts])
    player.load_state_dict(state)
