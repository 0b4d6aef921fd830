"""Completes a trained folder: config.json, golden outputs of hand-written messages, results on a CPU: python3 training/magicbox/finish.py FOLDER"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import torch

from magicbox.checkpoint import load_packed, write_golden
from magicbox.evaluate import predictions, scored, written
from magicbox.messages import Asked, Message
from magicbox.model import MagicBoxConfig
from magicbox.rows import token_row
from magicbox.tokens import WordPieces

GOLDEN_CASES = 4


def main(folder: Path) -> None:
    pieces = WordPieces(folder)
    config = MagicBoxConfig(vocab_size=-(-len(pieces.vocabulary) // 8) * 8)
    (folder / "config.json").write_text(json.dumps(config.hugging_face(), indent=1) + "\n")
    model = load_packed(folder).eval()
    for block in model.blocks:
        block.compute = torch.float32
    dev = written(HERE / "handwritten/dev.jsonl")
    rows = []
    for example in dev[:GOLDEN_CASES]:
        message = Message(example.text, [Asked(question, "", "", None) for question in example.questions])
        rows.append(token_row(message, pieces, example.questions).ids)
    write_golden(folder, rows)
    report = json.loads((folder / "report.json").read_text())
    report["packedOnCpu"] = {}
    for name in ("dev", "test"):
        examples = written(HERE / f"handwritten/{name}.jsonl")
        result = scored(examples, predictions(model, examples, pieces))
        report["packedOnCpu"][name] = result
        print(name, json.dumps(result), flush=True)
    report["text"] = (
        "All training text is synthetic: templates, word lists and messages written for this model. test and dev were written by hand, apart from it; "
        "exact match ignores case, outer marks and a leading article, and takes any of the listed answers."
    )
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
