"""How often MagicBox is right, by how far its answer stands above or below "not stated".

python3 training/magicbox/margins.py FOLDER [--edges 6 14]

The page words an answer by that distance (apps/site/src/magicbox/finding.ts). A word is kept where the share that it stands for lies further from its
neighbour's than their standard errors.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import torch

from magicbox.checkpoint import load_packed
from magicbox.evaluate import Example, best_spans, normal, text_of, written
from magicbox.model import MagicBox
from magicbox.rows import token_row
from magicbox.tokens import WordPieces

Finding = tuple[float, bool]
"""The margin of a question's best span, and whether what it says is right."""


@torch.no_grad()
def findings(model: MagicBox, example: Example, pieces: WordPieces) -> list[Finding]:
    """What the model finds for each question of an example."""
    row = token_row(example.text, example.questions, pieces)
    spans, nothing = best_spans(model(torch.tensor([row.ids]), torch.tensor([row.markers])), [row])
    found = []
    for (score, first, last), none, wanted in zip(spans[0], nothing[0], example.answers):
        stated = score > none
        right = normal(text_of(example.text, row, first, last)) in map(normal, wanted) if stated else not wanted
        found.append((score - none, right))
    return found


def share(found: list[Finding]) -> str:
    """How many are right, and that share with its standard error."""
    if not found:
        return "-"
    count, right = len(found), sum(one for _, one in found)
    part = right / count
    return f"{right} of {count}  {part:4.0%} ± {(part * (1 - part) / count) ** 0.5:3.0%}"


def table(found: list[Finding], edges: list[float]) -> None:
    """A line for each range of distances: of spans that win, of spans that lose, of both."""
    print("".join(f"{title:>24}" for title in ("distance", "stated", "not stated", "both")))
    limits = [0.0, *edges, float("inf")]
    ranges = [*zip(limits, limits[1:]), (0.0, float("inf"))]
    for low, high in ranges:
        inside = [one for one in found if low <= abs(one[0]) < high]
        columns = [one for one in inside if one[0] > 0], [one for one in inside if one[0] <= 0], inside
        print("".join(f"{cell:>24}" for cell in (f"{low:g} to {high:g}", *map(share, columns))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--edges", type=float, nargs="*", default=[2, 4, 6, 8, 10, 14, 18, 24])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    pieces = WordPieces(arguments.folder)
    model = load_packed(arguments.folder).compute_in(torch.float32).eval()
    sets = {name: written(HERE / f"handwritten/{name}.jsonl") for name in ("dev", "test")}
    found = {name: [one for example in examples for one in findings(model, example, pieces)] for name, examples in sets.items()}
    for name, ones in (*found.items(), ("together", found["dev"] + found["test"])):
        print(f"\n{name}: {len(ones)} questions")
        table(ones, sorted(arguments.edges))


if __name__ == "__main__":
    main()
