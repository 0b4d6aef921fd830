"""Trains the player of Strata by imitation of a search teacher on states that the student itself reaches (DAgger).

Node processes play the games. Each round the student sees all of them, the teacher says what it would do, and a mixture
of both plays on; everything seen is kept in a replay buffer on the GPU, from which the student learns while the
processes compute the next round.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

import rollouts
from export import check_export, export_player, write_golden
from model import ModelConfig, Player

HERE = Path(__file__).resolve().parent

FIRST_TRAINING_SEED = 1_000_000
EVALUATION_PIECES = 150
GOLDEN_PROMPTS = 8


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    """What every run of this folder takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, required=True, help="folder for the trained model")
    parser.add_argument("--budget-seconds", type=float, default=520, help="wall time for everything")
    parser.add_argument("--reserve-seconds", type=float, default=70, help="part of it for evaluation and export")
    parser.add_argument("--tokenizer", type=Path, default=HERE.parent / "models/polyomino-dense")
    parser.add_argument("--script", type=Path, default=HERE / "dist/rollout.mjs")
    parser.add_argument("--workers", type=int, default=14)
    parser.add_argument("--games", type=int, default=64, help="games of each worker")
    parser.add_argument("--pieces", type=int, default=200, help="pieces after which a training game ends")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--capacity", type=int, default=6_000_000, help="samples in the replay buffer")
    parser.add_argument("--warm-rounds", type=int, default=60, help="rounds by the teacher before training begins")
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--slot-weight", type=float, default=0.5, help="weight of the menu loss")
    parser.add_argument("--slot-temperature", type=float, default=8.0, help="value units that make a placement e times likelier")
    parser.add_argument("--ema", type=float, default=0.999)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--evaluation-games", type=int, default=50)
    parser.add_argument("--device", help="cuda or cpu; a smoke run takes the CPU, any other the GPU")
    parser.add_argument("--threads", type=int, default=2, help="threads of torch on the CPU")
    parser.add_argument("--report-seconds", type=float, default=10, help="time between lines of progress")
    parser.add_argument("--export-seconds", type=float, default=60, help="time between exports")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--resume", type=Path, help="training-state.pt of an earlier run to go on from")
    parser.add_argument("--smoke", action="store_true", help="tiny and on the CPU: checks that everything runs")
    return parser


def parse_arguments(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments, made tiny for a smoke run."""
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.workers, arguments.games, arguments.batch = 2, 4, 8
        arguments.capacity, arguments.warm_rounds, arguments.evaluation_games = 500, 4, 4
        arguments.budget_seconds, arguments.reserve_seconds = 40, 20
        arguments.no_compile = True
    return arguments


def teacher_share(fraction: float, resumed: bool) -> float:
    """Probability that the teacher plays a step, by the fraction of training done."""
    if resumed:
        return 0.05
    if fraction < 0.08:
        return 1.0
    if fraction < 0.4:
        return 1.0 + (0.05 - 1.0) * (fraction - 0.08) / (0.4 - 0.08)
    return 0.05


RANDOM_SHARE = 0.02
"""Probability that a random legal action plays a step, so that recoveries are seen."""


def learning_rate(fraction: float, peak: float) -> float:
    """Warm-up over 3 % of the time, then a cosine to zero."""
    warm_up = 0.03
    if fraction < warm_up:
        return peak * max(fraction / warm_up, 0.01)
    return peak * 0.5 * (1 + math.cos(math.pi * min((fraction - warm_up) / (1 - warm_up), 1)))


class Replay:
    """Records in a ring on the GPU."""

    def __init__(self, capacity: int, device: torch.device, generator: torch.Generator) -> None:
        self.records = torch.zeros((capacity, rollouts.RECORD_SIZE), dtype=torch.uint8, device=device)
        self.generator = generator
        self.size = 0
        self.total = 0

    def add(self, records: Tensor) -> None:
        """Adds a round, over the oldest records when full."""
        capacity = len(self.records)
        start = self.total % capacity
        first = min(len(records), capacity - start)
        self.records[start : start + first] = records[:first]
        self.records[: len(records) - first] = records[first:]
        self.total += len(records)
        self.size = min(self.total, capacity)

    def newest(self, count: int) -> Tensor:
        """The latest records."""
        ages = torch.arange(1, min(count, self.size) + 1, device=self.records.device)
        return self.records[(self.total - ages) % len(self.records)]

    def sample(self, count: int) -> Tensor:
        """A batch: half from everything, half from the newest quarter, where the student of today plays."""
        half = count // 2
        ages = torch.cat(
            [
                torch.randint(self.size, (count - half,), device=self.records.device, generator=self.generator),
                torch.randint(max(self.size // 4, 1), (half,), device=self.records.device, generator=self.generator),
            ]
        )
        return self.records[(self.total - 1 - ages) % len(self.records)]


def token_ids(records: Tensor) -> Tensor:
    return records[:, : rollouts.NUM_TOKENS].long()


def legal_actions(records: Tensor) -> Tensor:
    """Whether each action is legal [batch, actions]."""
    bits = torch.arange(8, device=records.device)
    return (records[:, rollouts.LEGAL, None].int() >> bits) & 1 == 1


def losses(player: Player, records: Tensor, slot_temperature: float) -> tuple[Tensor, Tensor, Tensor]:
    """Action loss, menu loss, and the share of right unmasked actions."""
    action_logits, slot_logits = player(token_ids(records))
    actions = records[:, rollouts.ACTION].long()
    action_loss = F.cross_entropy(action_logits, actions)
    costs = records[:, rollouts.COSTS : rollouts.COSTS + rollouts.NUM_SLOTS].float()
    absent = costs == 255
    # -1e9 and not -inf: a record without any placement must give a finite loss.
    wanted = torch.softmax((-costs / slot_temperature).masked_fill(absent, -1e9), dim=-1)
    found = torch.log_softmax(slot_logits.masked_fill(absent, -1e9), dim=-1)
    slot_loss = -(wanted * found.clamp(min=-50)).sum(-1).mean()
    return action_loss, slot_loss, (action_logits.argmax(-1) == actions).float().mean()


def best_legal(player: Player, records: Tensor) -> tuple[Tensor, Tensor]:
    """The student's highest-scoring legal action [batch], and the menu cell it likes best [batch]."""
    action_logits, slot_logits = player(token_ids(records))
    absent = records[:, rollouts.COSTS : rollouts.COSTS + rollouts.NUM_SLOTS] == 255
    actions = action_logits.masked_fill(~legal_actions(records), -math.inf).argmax(-1)
    return actions, slot_logits.masked_fill(absent, -math.inf).argmax(-1)


def optimizer_for(player: Player, peak: float, fused: bool) -> torch.optim.AdamW:
    matrices = [p for name, p in player.named_parameters() if p.dim() == 2 and not name.startswith("embedding")]
    others = [p for name, p in player.named_parameters() if p.dim() != 2 or name.startswith("embedding")]
    groups = [{"params": matrices, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=peak, betas=(0.9, 0.95), fused=fused)


@torch.no_grad()
def update_average(average: Player, player: Player, decay: float) -> None:
    torch._foreach_lerp_(list(average.parameters()), list(player.parameters()), 1 - decay)


@torch.no_grad()
def action_accuracy(player: Player, records: Tensor, batch: int) -> float:
    """Share of records in which the student's best legal action is the teacher's."""
    right = 0
    for part in records.split(batch):
        right += (best_legal(player, part)[0] == part[:, rollouts.ACTION]).sum().item()
    return right / len(records)


@torch.no_grad()
def evaluate(
    player: Player, script: Path, games: int, device: torch.device, deadline: float
) -> dict[str, float]:
    """Plays seeds 1, 2, … with the student's highest-scoring legal action."""
    workers = max(count for count in range(1, 11) if games % count == 0)
    per_worker = games // workers
    first_seeds = [1 + worker * per_worker for worker in range(workers)]
    pool = rollouts.RolloutPool(script, workers, per_worker, EVALUATION_PIECES, first_seeds, once=True)
    records = np.zeros((pool.size, rollouts.RECORD_SIZE), dtype=np.uint8)
    ended: list[rollouts.EndedGame] = []
    agreed = decided = rounds = 0
    while time.monotonic() < deadline:
        pool.read(records)
        ended += rollouts.ended_games(records)
        running = records[:, rollouts.LEGAL] != 0
        if not running.any():
            break
        actions = best_legal(player, torch.from_numpy(records).to(device))[0].cpu().numpy()
        agreed += int((actions == records[:, rollouts.ACTION])[running].sum())
        decided += int(running.sum())
        rounds += 1
        pool.write(actions)
    pool.close()
    return rollouts.summary(ended, games) | {
        "decisions": decided,
        "teacherAgreement": agreed / max(decided, 1),
        "rounds": rounds,
    }


class Trainer:
    """Everything that lives through a run."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.started = time.monotonic()
        self.device = torch.device(arguments.device or ("cpu" if arguments.smoke else "cuda"))
        torch.manual_seed(arguments.seed)
        torch.set_num_threads(arguments.threads)
        vocab_size = len(json.loads((arguments.tokenizer / "tokenizer.json").read_text())["model"]["vocab"])
        self.config = (
            ModelConfig(vocab_size, hidden_size=32, intermediate_size=48, num_layers=3, head_dim=8, slot_layers=2)
            if arguments.smoke
            else ModelConfig(vocab_size)
        )
        self.player = Player(self.config, rollouts.slot_positions(), rollouts.NUM_TOKENS).to(self.device)
        self.average = copy.deepcopy(self.player).requires_grad_(False)
        if arguments.resume is not None:
            state = torch.load(arguments.resume, map_location=self.device, weights_only=True)
            self.player.load_state_dict(state["player"])
            self.average.load_state_dict(state["average"])
        self.generator = torch.Generator(self.device).manual_seed(arguments.seed)
        self.replay = Replay(arguments.capacity, self.device, self.generator)
        self.optimizer = optimizer_for(self.player, arguments.learning_rate, fused=self.device.type == "cuda")
        self.steps = 0
        self.rounds = 0
        self.training_began = self.started
        self.curves: list[dict[str, float]] = []
        self.ended: list[rollouts.EndedGame] = []
        self.running = {key: torch.zeros((), device=self.device) for key in ("loss", "slot", "match", "student", "menu")}
        self.counts = {"steps": 0, "rounds": 0}

    def elapsed(self) -> float:
        return time.monotonic() - self.started

    def fraction(self) -> float:
        """Share of the training time that is over; the first step, which compiles, comes before it."""
        if self.steps == 0:
            return 0.0
        budget = self.arguments.budget_seconds - self.arguments.reserve_seconds
        began = self.training_began - self.started
        return min(max((self.elapsed() - began) / (budget - began), 0.0), 1.0)

    def autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, dtype=torch.bfloat16)

    @torch.no_grad()
    def choose(self, records: Tensor) -> Tensor:
        """Actions [batch] by the mixture of teacher, student and chance."""
        with self.autocast():
            student, menu = best_legal(self.player, records)
        teacher = records[:, rollouts.ACTION].long()
        self.running["student"] += (student == teacher).float().mean()
        self.running["menu"] += (menu == records[:, rollouts.SLOT]).float().mean()
        self.counts["rounds"] += 1
        chance = torch.rand(len(records), device=self.device, generator=self.generator)
        return torch.where(chance < teacher_share(self.fraction(), self.arguments.resume is not None), teacher, student)

    @torch.no_grad()
    def with_random(self, records: Tensor, actions: Tensor) -> Tensor:
        """Replaces a few actions by random legal ones."""
        noise = torch.rand((len(records), 8), device=self.device, generator=self.generator)
        random = noise.masked_fill(~legal_actions(records), -1).argmax(-1)
        chance = torch.rand(len(records), device=self.device, generator=self.generator)
        return torch.where(chance < RANDOM_SHARE, random, actions)

    def train_step(self) -> None:
        rate = learning_rate(self.fraction(), self.arguments.learning_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch = self.replay.sample(self.arguments.batch)
        with self.autocast():
            loss, measured = self.loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.player.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.steps += 1
        self.counts["steps"] += 1
        update_average(self.average, self.player, min(self.arguments.ema, (1 + self.steps) / (10 + self.steps)))
        for key, value in measured.items():
            self.running[key] += value.detach()

    def loss(self, batch: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """What a step descends, and what progress shows of it."""
        action_loss, slot_loss, match = losses(self.player, batch, self.arguments.slot_temperature)
        loss = action_loss + self.arguments.slot_weight * slot_loss
        return loss, {"loss": action_loss, "slot": slot_loss, "match": match}

    def export(self, player: Player) -> None:
        """Writes the shipped folder."""
        export_player(player, self.arguments.out, self.arguments.tokenizer)

    def check(self, player: Player, ids: Tensor) -> Tensor:
        """Asserts that the folder computes what the player does; returns the folder's logits."""
        return check_export(copy.deepcopy(player).cpu(), self.arguments.out, ids)

    def report_progress(self) -> None:
        steps, rounds = max(self.counts["steps"], 1), max(self.counts["rounds"], 1)
        means = {key: value.item() / (rounds if key in ("student", "menu") else steps) for key, value in self.running.items()}
        ended = self.ended
        row = {
            "seconds": round(self.elapsed(), 1),
            "steps": self.steps,
            "samples": self.replay.total,
            "learningRate": round(learning_rate(self.fraction(), self.arguments.learning_rate), 6),
            "teacherShare": round(teacher_share(self.fraction(), self.arguments.resume is not None), 3),
            "actionLoss": round(means["loss"], 4),
            "slotLoss": round(means["slot"], 4),
            "batchAccuracy": round(means["match"], 4),
            "actionAccuracy": round(means["student"], 4),
            "slotAccuracy": round(means["menu"], 4),
            "endedGames": len(ended),
            "meanPieces": round(sum(game.pieces for game in ended) / max(len(ended), 1), 1),
            "meanLines": round(sum(game.lines for game in ended) / max(len(ended), 1), 1),
        }
        if not math.isfinite(row["actionLoss"]):
            raise RuntimeError(f"loss is not finite at step {self.steps}")
        self.curves.append(row)
        print(json.dumps(row), flush=True)
        self.ended = []
        self.counts = {"steps": 0, "rounds": 0}
        for value in self.running.values():
            value.zero_()

    def report(self, **more: object) -> dict[str, object]:
        arguments = {key: value for key, value in vars(self.arguments).items() if not isinstance(value, Path)}
        arguments["resume"] = self.arguments.resume is not None
        name = torch.cuda.get_device_name() if self.device.type == "cuda" else "CPU"
        return {
            "arguments": arguments,
            "parameters": sum(p.numel() for p in self.average.parameters()),
            "device": name,
            "torch": torch.__version__,
            "steps": self.steps,
            "rounds": self.rounds,
            "samples": self.replay.total,
            "data": "states of self-played games labelled by the two-piece search teacher, no outside data",
            "wallSeconds": round(self.elapsed(), 1),
            "curves": self.curves,
            **more,
        }

    def train(self) -> None:
        arguments = self.arguments
        first_seeds = [FIRST_TRAINING_SEED + worker * rollouts.SEEDS_PER_WORKER for worker in range(arguments.workers)]
        pool = rollouts.RolloutPool(arguments.script, arguments.workers, arguments.games, arguments.pieces, first_seeds)
        pinned = torch.zeros((pool.size, rollouts.RECORD_SIZE), dtype=torch.uint8)
        if self.device.type == "cuda":
            pinned = pinned.pin_memory()
        staging = pinned.numpy()
        end = self.started + arguments.budget_seconds - arguments.reserve_seconds
        next_report = next_export = None
        try:
            while time.monotonic() < end:
                pool.read(staging)
                self.ended += rollouts.ended_games(staging)
                records = pinned.to(self.device, non_blocking=True)
                warming = self.rounds < arguments.warm_rounds
                actions = records[:, rollouts.ACTION].long() if warming else self.choose(records)
                # The copy back waits for the copy of the records too, so the staging memory is free again.
                pool.write(self.with_random(records, actions).to(torch.uint8).cpu().numpy())
                self.replay.add(records)
                self.rounds += 1
                if warming:
                    continue
                if next_report is None:
                    next_report = time.monotonic() + arguments.report_seconds
                    next_export = time.monotonic() + arguments.export_seconds
                self.train_until_ready(pool, end)
                if time.monotonic() >= next_report:
                    next_report = time.monotonic() + arguments.report_seconds
                    self.report_progress()
                if time.monotonic() >= next_export:
                    next_export = time.monotonic() + arguments.export_seconds
                    self.export(self.average)
                    self.save_state()
                    self.write_report(finished=False)
            self.report_progress()
        finally:
            pool.close()

    def train_until_ready(self, pool: rollouts.RolloutPool, end: float) -> None:
        """Takes at least one step, and more while the workers are still computing."""
        # A worker that is stuck must be found out by the next read, not trained around for ever.
        patience = time.monotonic() + pool.timeout_seconds
        while True:
            self.train_step()
            # Without waiting, the queue of the GPU would grow and the next actions would come late.
            self.synchronize()
            now = time.monotonic()
            if self.steps == 1:
                self.training_began = now
                patience = now + pool.timeout_seconds
                print(f"first step done after {self.elapsed():.1f} s", flush=True)
            if pool.ready() or now >= min(end, patience):
                return

    def synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def save_state(self) -> None:
        """Writes what `--resume` reads: the menu head is in it, which the exported model lacks."""
        state = {"player": self.player.state_dict(), "average": self.average.state_dict()}
        torch.save(state, self.arguments.out / "training-state.pt")

    def write_report(self, **more: object) -> None:
        self.arguments.out.mkdir(parents=True, exist_ok=True)
        (self.arguments.out / "report.json").write_text(json.dumps(self.report(**more), indent=1) + "\n")

    def golden_ids(self) -> Tensor:
        """Prompts from the run, spread over what is in the buffer."""
        picks = torch.linspace(0, self.replay.size - 1, GOLDEN_PROMPTS, device=self.device).long()
        return token_ids(self.replay.records[picks]).cpu()

    def finish(self) -> None:
        """Picks the better of the averaged and the last weights, exports, checks and evaluates them."""
        arguments = self.arguments
        chosen = self.average
        newest = self.replay.newest(16 * arguments.workers * arguments.games)
        last = copy.deepcopy(self.average)
        last.load_state_dict(self.player.state_dict())
        accuracies = {
            "average": action_accuracy(self.average, newest, arguments.batch),
            "last": action_accuracy(last, newest, arguments.batch),
        }
        if accuracies["last"] > accuracies["average"]:
            chosen = last
        self.export(chosen)
        self.save_state()
        self.write_report(finished=False, newestAccuracy=accuracies)
        print(f"exported after {self.elapsed():.1f} s, newest accuracy {accuracies}", flush=True)

        ids = self.golden_ids()
        write_golden(arguments.out, ids, self.check(chosen, ids))
        print(f"checked against transformers after {self.elapsed():.1f} s", flush=True)

        deadline = self.started + arguments.budget_seconds - 5
        student = evaluate(chosen, arguments.script, arguments.evaluation_games, self.device, deadline)
        evaluation = {"pieces": EVALUATION_PIECES, "student": student}
        evaluation |= {policy: rollouts.baseline_result(process) for policy, process in self.baselines.items()}
        evaluation["linesOfTeacher"] = student["totalLines"] / max(evaluation["teacher"]["totalLines"], 1)
        self.write_report(finished=True, newestAccuracy=accuracies, evaluation=evaluation)
        print(json.dumps(evaluation, indent=1), flush=True)

    def run(self) -> None:
        arguments = self.arguments
        games = arguments.evaluation_games
        self.baselines = {
            policy: rollouts.start_baseline(arguments.script, policy, games, EVALUATION_PIECES)
            for policy in ("teacher", "random")
        }
        # A wrong name or formula must show now, not when the time is spent.
        self.export(self.average)
        ids = torch.randint(4, self.config.vocab_size, (2, rollouts.NUM_TOKENS))
        self.check(self.average, ids)
        print(f"export agrees with transformers after {self.elapsed():.1f} s", flush=True)
        if not arguments.no_compile:
            # The blocks are alike: each compiled shape serves all of them. A compiler that fails costs speed, not the run.
            torch._dynamo.config.suppress_errors = True
            for block in self.player.blocks:
                block.compile(dynamic=False)
        self.train()
        self.finish()


if __name__ == "__main__":
    Trainer(parse_arguments(argument_parser(__doc__))).run()
