"""Trains MagicBox from nothing with ternary weights and int8 activations in the loop: python3 training/magicbox/train.py --out OUT"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import time
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from magicbox.checkpoint import load_state, save_state, write_folder
from magicbox.evaluate import predictions, scored, test_sets, written
from magicbox.model import MagicBox, MagicBoxConfig
from magicbox.rows import batches
from magicbox.sources import training_messages
from magicbox.tokens import WordPieces, train_tokenizer

SMOKE = MagicBoxConfig(hidden_size=64, intermediate_size=128, num_hidden_layers=3, num_attention_heads=2, pointer_size=32)


class Stream(IterableDataset):
    """Batches, another seed in each worker."""

    def __init__(self, seed: int, rows: int, tokenizer: Path) -> None:
        self.seed, self.rows, self.tokenizer = seed, rows, tokenizer

    def __iter__(self):
        worker = get_worker_info()
        torch.set_num_threads(1)
        return batches(self.seed + 1 + (worker.id if worker else 0), self.rows, self.tokenizer)


class Pool:
    """Batches on the device: fresh ones as they come, and earlier ones again where they do not come fast enough."""

    def __init__(self, loader: DataLoader, device: torch.device, size: int) -> None:
        self.source = iter(loader)
        self.device = device
        self.size = size
        self.batches: list[dict[str, Tensor]] = []
        self.rng = random.Random(5)
        self.fresh = 0
        self.owed = 0.0

    def next(self, fresh_share: float) -> dict[str, Tensor]:
        """A batch that is new with this share; the others were seen before."""
        self.owed += fresh_share
        if len(self.batches) < 8 or self.owed >= 1:
            self.owed = max(self.owed - 1, 0.0)
            batch = {name: torch.as_tensor(value).to(self.device, non_blocking=True) for name, value in next(self.source).items()}
            self.fresh += 1
            if len(self.batches) < self.size:
                self.batches.append(batch)
            else:
                self.batches[self.rng.randrange(self.size)] = batch
            return batch
        return self.rng.choice(self.batches)


def loss_of(model: MagicBox, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Mean cross-entropy of starts and ends, and the share of questions with both right."""
    document = batch["document"]
    mask = (document[:, None] == document[:, :, None])[:, None]
    states = model.states(batch["ids"].long(), batch["position"], mask)
    markers = batch["marker"].long()
    scores = model.scores(states, markers)
    own = document.gather(1, markers)[..., None] == document[:, None]
    scores = scores.masked_fill(~(own & (batch["answerable"][:, None] > 0))[..., None], -1e4)
    asked = batch["asked"] > 0
    logits, first, last = scores[asked], batch["first"].long()[asked], batch["last"].long()[asked]
    loss = F.cross_entropy(logits[..., 0], first) + F.cross_entropy(logits[..., 1], last)
    right = (logits[..., 0].argmax(-1) == first) & (logits[..., 1].argmax(-1) == last)
    return loss, right.float().mean()


def learning_rate(progress: float, peak: float) -> float:
    """A short rise, a plateau, and from three tenths on a fall to nothing."""
    if progress < 0.03:
        return peak * progress / 0.03
    return peak * min(1.0, 0.5 * (1 + math.cos(math.pi * max(0.0, progress - 0.3) / 0.7)))


def optimizer_of(model: MagicBox, device: torch.device) -> torch.optim.Optimizer:
    matrices = [value for name, value in model.named_parameters() if value.ndim == 2 and "embedding" not in name]
    others = [value for name, value in model.named_parameters() if value.ndim != 2 or "embedding" in name]
    groups = [{"params": matrices, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.98), fused=device.type == "cuda")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=500, help="of training")
    parser.add_argument("--rows", type=int, default=256, help="of 256 tokens in a batch")
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--workers", type=int, default=max((os.cpu_count() or 2) - 1, 1))
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--tokenizer", type=Path, help="a folder with tokenizer.json; made anew where left out")
    parser.add_argument("--resume", type=Path, help="the folder of an earlier run, to go on from its weights")
    parser.add_argument("--written", type=Path, nargs="*", default=[], help="hand-written sets to evaluate on")
    parser.add_argument("--fresh-share", type=float, default=1.0, help="of batches that are new; the others are seen again")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--vocab-size", type=int, default=6144)
    parser.add_argument("--smoke", action="store_true", help="a tiny model")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--test-count", type=int, default=2000)
    return parser.parse_args()


def make_tokenizer(out: Path, vocab_size: int, count: int) -> None:
    """A tokenizer of what training reads."""
    messages = training_messages(77)
    drawn = (messages.draw(noise=False) for _ in range(count))
    train_tokenizer((" ".join([m.text, *(a.question for a in m.asked)]) for m in drawn), vocab_size, out)


def make_model(arguments: argparse.Namespace, vocabulary_size: int, device: torch.device) -> MagicBox:
    config = SMOKE if arguments.smoke else MagicBoxConfig()
    model = MagicBox(replace(config, vocab_size=-(-vocabulary_size // 8) * 8)).to(device)
    if device.type == "cpu":
        model.compute_in(torch.float32)
    if arguments.resume:
        load_state(model, arguments.resume)
    for block in model.blocks:
        block.dropout = arguments.dropout
        if not arguments.no_compile and device.type == "cuda":
            block.compile()
    return model


def train(model: MagicBox, pool: Pool, optimizer: torch.optim.Optimizer, arguments: argparse.Namespace, begun: float) -> dict:
    """Steps until the time is up; what the report says of them."""
    curve, steps, started = [], 0, 0.0
    while True:
        now = time.monotonic()
        # The clock starts behind the first steps, which compile.
        started = now if steps <= 3 else started
        progress = (now - started) / arguments.seconds
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(progress, arguments.learning_rate) if steps > 3 else 0.0
        loss, right = loss_of(model, pool.next(arguments.fresh_share))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        steps += 1
        if steps % 200 == 0 or steps in (4, 20, 50, 100):
            row = {"step": steps, "seconds": round(now - begun), "loss": round(loss.item(), 4), "right": round(right.item(), 4), "fresh": pool.fresh}
            curve.append(row)
            print(json.dumps(row), flush=True)
        if steps % 2000 == 0:
            save(model, arguments.out)
    return {"steps": steps, "freshBatches": pool.fresh, "trainingSeconds": round(time.monotonic() - started), "curve": curve}


def save(model: MagicBox, out: Path) -> None:
    write_folder(model, out)
    save_state(model, out)


def evaluate(model: MagicBox, pieces: WordPieces, written_sets: list[Path], count: int) -> dict[str, dict]:
    """Results on every test set."""
    model.eval()
    for block in model.blocks:
        # Lengths differ from batch to batch here; nothing is to be compiled for each.
        block._compiled_call_impl = None
    results = {}
    for name, examples in (test_sets(count) | {path.stem: written(path) for path in written_sets}).items():
        results[name] = scored(examples, predictions(model, examples, pieces))
        print(name, json.dumps(results[name]), flush=True)
    return results


def main() -> None:
    arguments = read_arguments()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(arguments.seed)
    torch.set_float32_matmul_precision("high")

    tokenizer = arguments.tokenizer or out
    if arguments.tokenizer is None:
        make_tokenizer(out, arguments.vocab_size, 2_000 if arguments.smoke else 60_000)
    pieces = WordPieces(tokenizer)
    print(f"{time.monotonic() - begun:.0f} s: tokenizer of {len(pieces.vocabulary)} pieces", flush=True)

    stream = Stream(arguments.seed * 1000, arguments.rows, tokenizer)
    loader = DataLoader(stream, batch_size=None, num_workers=arguments.workers, prefetch_factor=4 if arguments.workers else None)
    model = make_model(arguments, len(pieces.vocabulary), device)
    run = train(model, Pool(loader, device, 400), optimizer_of(model, device), arguments, begun)
    save(model, out)
    report = {
        "seed": arguments.seed,
        **run,
        "tokensPerStep": arguments.rows * 256,
        "learningRate": arguments.learning_rate,
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "CPU",
        "torch": torch.__version__,
        "resumed": arguments.resume is not None,
        "results": evaluate(model, pieces, arguments.written, arguments.test_count),
    }
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    print(f"{time.monotonic() - begun:.0f} s: done", flush=True)


if __name__ == "__main__":
    main()
