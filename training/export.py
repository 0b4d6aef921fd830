"""Writes a trained player as an ordinary Hugging Face folder, with outputs to check it against."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import LlamaConfig, LlamaForSequenceClassification

from model import ACTIONS, ModelConfig, Player, hugging_face_weights

TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json"]


def hugging_face_config(config: ModelConfig) -> LlamaConfig:
    """The configuration as transformers writes it."""
    return LlamaConfig(
        architectures=["LlamaForSequenceClassification"],
        dtype="float32",
        vocab_size=config.vocab_size,
        hidden_size=config.hidden_size,
        intermediate_size=config.intermediate_size,
        num_hidden_layers=config.num_layers,
        num_attention_heads=config.num_heads,
        num_key_value_heads=config.num_kv_heads,
        head_dim=config.head_dim,
        rms_norm_eps=config.rms_norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
        max_position_embeddings=config.max_positions,
        tie_word_embeddings=False,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        id2label=dict(enumerate(ACTIONS)),
        label2id={name: index for index, name in enumerate(ACTIONS)},
    )


def export_player(player: Player, folder: Path, tokenizer_folder: Path) -> None:
    """Writes a dense player: configuration, weights and tokenizer."""
    write_folder(hugging_face_config(player.config), hugging_face_weights(player), folder, tokenizer_folder)


def write_folder(config: LlamaConfig, weights: dict[str, Tensor], folder: Path, tokenizer_folder: Path) -> None:
    """Writes configuration, weights and tokenizer. The weights appear under their name only when complete."""
    folder.mkdir(parents=True, exist_ok=True)
    config.save_pretrained(folder)
    partial = folder / "model.safetensors.partial"
    save_file(weights, partial, metadata={"format": "pt"})
    partial.chmod(0o644)
    os.replace(partial, folder / "model.safetensors")
    for name in TOKENIZER_FILES:
        shutil.copyfile(tokenizer_folder / name, folder / name)


def reference_logits(folder: Path, ids: Tensor) -> Tensor:
    """Logits of prompts [batch, tokens] by transformers' own implementation, on the CPU in float32."""
    model = LlamaForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        return model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits


def check_export(player: Player, folder: Path, ids: Tensor, bound: float = 1e-3) -> Tensor:
    """Asserts that transformers computes from the folder what the player computes; returns transformers' logits."""
    expected = reference_logits(folder, ids)
    with torch.no_grad():
        found, _ = player(ids)
    worst = (expected - found).abs().max().item()
    if not worst < bound:
        raise RuntimeError(f"exported player: logits differ from transformers' by {worst}")
    return expected


def write_golden(folder: Path, ids: Tensor, logits: Tensor, source: str | None = None) -> None:
    """Writes prompts and their reference logits; the text is what the tokenizer turns into these ids."""
    import transformers

    vocab = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    characters = {index: token for token, index in vocab.items()}
    cases = [
        {
            "text": "".join(characters[index] for index in row[1:]),
            "input_ids": row,
            "attention_mask": [1] * len(row),
            "logits": scores,
        }
        for row, scores in zip(ids.tolist(), logits.tolist())
    ]
    source = source or f"transformers {transformers.__version__}, torch {torch.__version__}, CPU, float32"
    (folder / "golden.json").write_text(json.dumps({"source": source, "cases": cases}) + "\n")
