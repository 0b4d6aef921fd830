"""A random MagicBox of a few kilobytes with golden outputs, for tests of the runtime: python3 training/magicbox/tiny.py OUT"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import torch

from magicbox.checkpoint import write_folder, write_golden
from magicbox.model import MagicBox, MagicBoxConfig
from magicbox.rows import token_row
from magicbox.tokens import WordPieces, train_tokenizer

TEXTS = (
    "remind me to call Ana Pop tomorrow at 5 pm about the invoice",
    "book a table for four people on Friday at half past seven under the name of Lee",
    "what time? which day? who should be called? how many people? under which name? what about?",
    "please deliver the blue umbrella to 12 Baker Street before noon, it costs $12.50",
)
QUESTIONS = ("what time?", "who should be called?", "how many people")


def main(out: Path) -> None:
    torch.manual_seed(20)
    train_tokenizer(TEXTS, 256, out)
    pieces = WordPieces(out)
    config = MagicBoxConfig(
        vocab_size=256, hidden_size=64, intermediate_size=96, num_hidden_layers=3, num_attention_heads=2, pointer_size=16, max_position_embeddings=128
    )
    model = MagicBox(config)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "norm" in name:
                value.copy_(1 + 0.2 * torch.randn_like(value))
    write_folder(model, out)
    asked = ((1, TEXTS[0]), (2, TEXTS[1]), (3, TEXTS[3]), (2, "ok"))
    write_golden(out, [token_row(text, list(QUESTIONS[:count]), pieces).ids for count, text in asked])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
