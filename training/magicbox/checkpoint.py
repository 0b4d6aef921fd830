"""MagicBox as a folder of files: packed codes with their scales under BitNet's names, the tokenizer, and golden outputs."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from magicbox.model import MagicBox, MagicBoxConfig
from magicbox.tokens import QUESTION
from quantization import FixedLinear, pack_codes, ternary_codes, unpack_codes

POINTERS = ("start_question", "end_question", "start_token", "end_token")


def packed_weights(model: MagicBox) -> dict[str, Tensor]:
    """What is shipped: projections as packed codes, the rest in bfloat16."""
    packed: dict[str, Tensor] = {}
    for name, target in named_weights(model).items():
        value = target.detach().float().cpu()
        if not name.endswith("_proj.weight"):
            packed[name] = value.bfloat16().contiguous()
            continue
        codes, scale = ternary_codes(value)
        packed[name] = pack_codes(codes).contiguous()
        packed[name.removesuffix("weight") + "weight_scale"] = scale.reshape(1).float()
    return packed


def load_packed(folder: Path) -> MagicBox:
    """The model of a folder, with its codes and scales as they stand."""
    fields = json.loads((folder / "config.json").read_text())
    names = MagicBoxConfig.__dataclass_fields__
    model = MagicBox(MagicBoxConfig(**{name: value for name, value in fields.items() if name in names}))
    stored = load_file(folder / "model.safetensors")
    with torch.no_grad():
        for name, target in named_weights(model).items():
            target.copy_(unpack_codes(stored[name]) if name.endswith("_proj.weight") else stored[name])
    for index, block in enumerate(model.blocks):
        for attribute, modules in STACKS.items():
            linear = getattr(block, attribute)
            scales = [stored[f"model.layers.{index}.{module}.weight_scale"].expand(rows) for module, rows in zip(modules, linear.parts)]
            setattr(block, attribute, FixedLinear(linear.weight.detach(), torch.cat(scales)))
    return model


STACKS = {
    "qkv": ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    "attention_out": ["self_attn.o_proj"],
    "gate_up": ["mlp.gate_proj", "mlp.up_proj"],
    "down": ["mlp.down_proj"],
}
"""The stacked matrices of a block, by their modules in the checkpoint."""


def named_weights(model: MagicBox) -> dict[str, Tensor]:
    """Views of the model's own weights, by their names in the checkpoint."""
    targets = {"model.embed_tokens.weight": model.embedding.weight, "model.norm.weight": model.norm.weight}
    halves = (*model.question_pointer.weight.chunk(2), *model.token_pointer.weight.chunk(2))
    targets |= {f"pointer.{name}.weight": half for name, half in zip(POINTERS, halves)}
    for index, block in enumerate(model.blocks):
        layer = f"model.layers.{index}"
        targets[f"{layer}.input_layernorm.weight"] = block.attention_norm.weight
        targets[f"{layer}.post_attention_layernorm.weight"] = block.mlp_norm.weight
        targets[f"{layer}.self_attn.attn_sub_norm.weight"] = block.attention_sub_norm.weight
        targets[f"{layer}.mlp.ffn_sub_norm.weight"] = block.mlp_sub_norm.weight
        for attribute, modules in STACKS.items():
            linear = getattr(block, attribute)
            for module, part in zip(modules, linear.weight.split(linear.parts)):
                targets[f"{layer}.{module}.weight"] = part
    return targets


def write_folder(model: MagicBox, out: Path) -> None:
    """config.json and model.safetensors."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(model.config.hugging_face(), indent=1) + "\n")
    save_file(packed_weights(model), out / "model.safetensors", metadata={"format": "pt"})


STATE_BYTES = 12_000_000
"""About how large a file of a training state becomes; hosts limit what a file may be."""


def save_state(model: MagicBox, out: Path) -> None:
    """The weights before quantisation in bfloat16, in several files."""
    shard: dict[str, Tensor] = {}
    count = size = 0
    for name, value in model.state_dict().items():
        shard[name] = value.bfloat16().cpu()
        size += 2 * value.numel()
        if size > STATE_BYTES:
            torch.save(shard, out / f"state-{count}.pt")
            shard, count, size = {}, count + 1, 0
    torch.save(shard, out / f"state-{count}.pt")


def load_state(model: MagicBox, folder: Path) -> None:
    """The weights that `save_state` wrote."""
    state: dict[str, Tensor] = {}
    for path in sorted(folder.glob("state-*.pt")):
        state |= torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state)


def write_golden(folder: Path, rows: list[list[int]]) -> None:
    """Scores of some rows in float64, from the files as they stand, and how far the same in float32 is from them."""
    exact, single = (load_packed(folder).compute_in(dtype).eval() for dtype in (torch.float64, torch.float32))
    cases, error = [], 0.0
    for ids in rows:
        batch = torch.tensor([ids]), torch.tensor([[place for place, token in enumerate(ids) if token == QUESTION]])
        with torch.no_grad():
            scores, rounded = exact(*batch)[0], single(*batch)[0]
        error = max(error, ((rounded - scores).abs().max() / scores.abs().max().clamp(min=1)).item())
        cases.append({"input_ids": ids, "start_logits": scores[..., 0].tolist(), "end_logits": scores[..., 1].tolist()})
    golden = {"made_with": f"torch {torch.__version__}, CPU, float64, the arithmetic of AutoBitLinear", "f32_error": error, "cases": cases}
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")
