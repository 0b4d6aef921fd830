"""Random models of MagicBox's size, from 1 to 16 layers, with golden outputs: python3 training/magicbox/deep.py OUT

How far rounded activations carry torch's own float32 from its float64, layer by layer. `npx tromino verify OUT/* --backend cpu` gives the runtime's
distances from the same float64 (docs/numerics.md).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import torch

from magicbox.checkpoint import write_folder, write_golden
from magicbox.model import MagicBox, MagicBoxConfig
from magicbox.tokens import CLS, QUESTION, SEP, SPECIAL

LAYERS = (1, 2, 4, 8, 16)
QUESTION_TOKENS = 5
ROW_TOKENS = 111


def random_row(vocabulary_size: int) -> list[int]:
    """Two questions and a text, of random words."""
    words = torch.randint(len(SPECIAL), vocabulary_size, (ROW_TOKENS,)).tolist()
    first, second, text = words[:QUESTION_TOKENS], words[QUESTION_TOKENS : 2 * QUESTION_TOKENS], words[2 * QUESTION_TOKENS : -5]
    return [CLS, QUESTION, *first, QUESTION, *second, SEP, *text, SEP]


def main(out: Path) -> None:
    for layers in LAYERS:
        torch.manual_seed(20)
        config = MagicBoxConfig(num_hidden_layers=layers)
        folder = out / f"{layers:02}"
        write_folder(MagicBox(config), folder)
        write_golden(folder, [random_row(config.vocab_size)])
        error = json.loads((folder / "golden.json").read_text())["f32_error"]
        print(f"{layers} layers: float32 is {error:.1e} from float64", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
