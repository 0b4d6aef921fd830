"""The game processes: Node workers that play, show what they see, and take the learner's actions."""

from __future__ import annotations

import json
import os
import select
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# The record of packages/strata/src/rollout.ts; the checks in `Records` catch a drift.
NUM_TOKENS = 346
NUM_SLOTS = 80
COSTS = NUM_TOKENS
ACTION = NUM_TOKENS + NUM_SLOTS
SLOT = ACTION + 1
LEGAL = ACTION + 2
EVENT = ACTION + 3
PIECES = ACTION + 4
LINES = ACTION + 6
RECORD_SIZE = NUM_TOKENS + NUM_SLOTS + 8

BEGIN_ID = 1
TOPPED_OUT = 1
REACHED_LAST_PIECE = 2

# Each worker gets a range of seeds of its own, far from the seeds that evaluation uses.
SEEDS_PER_WORKER = 10_000_000

MENU_LENGTH = 4 * 11 + 1
"""Characters of one menu line: four rotations of an arrow and ten columns, and the line's end."""


def slot_positions() -> list[int]:
    """Token positions of the menu cells, by slot (packages/strata/src/prompt.ts)."""
    first = NUM_TOKENS - 1 - 2 * MENU_LENGTH
    return [
        first + menu * MENU_LENGTH + rotation * 11 + 1 + column
        for menu in range(2)
        for rotation in range(4)
        for column in range(10)
    ]


@dataclass(frozen=True)
class EndedGame:
    """How one game went."""

    pieces: int
    lines: int
    survived: bool


class RolloutPool:
    """Worker processes with `games` games each, read and written in rounds."""

    def __init__(
        self,
        script: Path,
        workers: int,
        games: int,
        pieces: int,
        first_seeds: list[int],
        once: bool = False,
        timeout_seconds: float = 60.0,
    ) -> None:
        self.games = games
        self.timeout_seconds = timeout_seconds
        command = ["node", str(script), "worker", "--games", str(games), "--pieces", str(pieces)]
        self.processes = [
            subprocess.Popen(
                command + ["--first-seed", str(first_seeds[worker])] + (["--once"] if once else []),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
            for worker in range(workers)
        ]
        self.inputs = [process.stdin.fileno() for process in self.processes]
        self.outputs = [process.stdout.fileno() for process in self.processes]

    @property
    def size(self) -> int:
        """Games of all workers."""
        return self.games * len(self.processes)

    def ready(self) -> bool:
        """Whether every worker has begun to write its round."""
        readable, _, _ = select.select(self.outputs, [], [], 0)
        return len(readable) == len(self.outputs)

    def read(self, records: np.ndarray) -> None:
        """Reads a round into records [size, RECORD_SIZE]. Raises if a worker died or is stuck."""
        rows = self.games
        for worker, descriptor in enumerate(self.outputs):
            view = memoryview(records[worker * rows : (worker + 1) * rows]).cast("B")
            done = 0
            while done < len(view):
                readable, _, _ = select.select([descriptor], [], [], self.timeout_seconds)
                if not readable:
                    raise RuntimeError(f"rollout worker {worker}: nothing written for {self.timeout_seconds} s")
                count = os.readv(descriptor, [view[done:]])
                if count == 0:
                    code = self.processes[worker].wait(timeout=10)
                    raise RuntimeError(f"rollout worker {worker}: ended with code {code}")
                done += count
        if not (records[:, 0] == BEGIN_ID).all():
            raise RuntimeError("rollout records are not where they should be")

    def write(self, actions: np.ndarray) -> None:
        """Sends one action byte [size] to each game."""
        data = np.ascontiguousarray(actions, dtype=np.uint8)
        for worker, descriptor in enumerate(self.inputs):
            part = data[worker * self.games : (worker + 1) * self.games].tobytes()
            if os.write(descriptor, part) != len(part):
                raise RuntimeError(f"rollout worker {worker}: actions not taken whole")

    def close(self) -> None:
        """Ends the workers."""
        for process in self.processes:
            process.stdin.close()
        for process in self.processes:
            process.stdout.close()
            process.terminate()
            process.wait(timeout=10)


def ended_games(records: np.ndarray) -> list[EndedGame]:
    """The games that ended just before this round."""
    ended = records[records[:, EVENT] != 0]
    counts = np.ascontiguousarray(ended[:, PIECES : PIECES + 4]).view("<u2")
    return [
        EndedGame(int(pieces), int(lines), bool(event == REACHED_LAST_PIECE))
        for (pieces, lines), event in zip(counts, ended[:, EVENT])
    ]


def start_baseline(script: Path, policy: str, games: int, pieces: int) -> subprocess.Popen[bytes]:
    """Starts a process that plays a policy without a model, on the evaluation's seeds 1, 2, …"""
    command = ["node", str(script), "play", "--policy", policy, "--games", str(games), "--pieces", str(pieces)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def baseline_result(process: subprocess.Popen[bytes]) -> dict[str, float]:
    """Waits for a process of `start_baseline` and sums up its games."""
    output, _ = process.communicate(timeout=120)
    if process.returncode != 0:
        raise RuntimeError(f"baseline player ended with code {process.returncode}")
    games = [EndedGame(game["pieces"], game["lines"], game["survived"]) for game in json.loads(output)]
    return summary(games, len(games))


def summary(games: list[EndedGame], total: int) -> dict[str, float]:
    """Survival and means of the games that ended; `total` counts those that did not end too."""
    count = max(len(games), 1)
    return {
        "games": total,
        "unfinished": total - len(games),
        "survived": sum(game.survived for game in games),
        "survivalRate": sum(game.survived for game in games) / total,
        "meanPieces": sum(game.pieces for game in games) / count,
        "meanLines": sum(game.lines for game in games) / count,
        "totalLines": sum(game.lines for game in games),
    }
