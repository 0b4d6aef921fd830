"""Completes a trained folder: golden outputs of hand-written messages, results on a CPU: python3 training/magicbox/finish.py FOLDER"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import torch

from magicbox.checkpoint import load_packed, write_golden
from magicbox.evaluate import predictions, scored, written
from magicbox.rows import token_row
from magicbox.tokens import WordPieces

GOLDEN_CASES = 4


def main(folder: Path) -> None:
    pieces = WordPieces(folder)
    model = load_packed(folder).compute_in(torch.float32).eval()
    sets = {name: written(HERE / f"handwritten/{name}.jsonl") for name in ("dev", "test")}
    write_golden(folder, [token_row(example.text, example.questions, pieces).ids for example in sets["dev"][:GOLDEN_CASES]])
    report = json.loads((folder / "report.json").read_text())
    report["packedOnCpu"] = {}
    for name, examples in sets.items():
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
