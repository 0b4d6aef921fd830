"""Messages written whole, with questions about anything that they say. See README.md for the format."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from magicbox.grammar import GrammarError, Piece
from magicbox.values import KINDS, value

MARK = re.compile(r"<([\w-]*)([:+=])([^<>]*)>")


@dataclass(frozen=True)
class Span:
    """A part of a text that varies: a value of a kind, or one of some wordings."""

    key: str
    kind: str | None
    wordings: tuple[str, ...]
    with_preposition: bool

    def draw(self, rng: random.Random) -> list[Piece]:
        if self.kind is None:
            return [Piece(rng.choice(self.wordings), self.key or None)]
        text, prefix = value(self.kind, rng)
        before = [Piece(prefix)] if self.with_preposition and prefix else []
        return [*before, Piece(text, self.key or None, self.kind)]


@dataclass
class WrittenMessage:
    """A text with its spans, the questions of each, and questions that it leaves open."""

    parts: list[str | Span]
    questions: dict[str, list[str]] = field(default_factory=dict)
    silent: list[str] = field(default_factory=list)

    def draw(self, rng: random.Random) -> list[Piece]:
        pieces: list[Piece] = []
        for part in self.parts:
            pieces += [Piece(part)] if isinstance(part, str) else part.draw(rng)
        return pieces


def read_text(line: str) -> list[str | Span]:
    parts: list[str | Span] = []
    place = 0
    for mark in MARK.finditer(line):
        parts.append(line[place : mark.start()])
        key, sign, inside = mark.groups()
        if sign == "=":
            parts.append(Span(key, None, tuple(option.strip() for option in inside.split("|")), False))
        elif inside.strip() in KINDS:
            parts.append(Span(key, inside.strip(), (), sign == "+"))
        else:
            raise GrammarError(f"unknown kind {inside!r}")
        place = mark.end()
    parts.append(line[place:])
    if any(isinstance(part, str) and ("<" in part or ">" in part) for part in parts):
        raise GrammarError("a bracket without its other")
    return [part for part in parts if part != ""]


def read_message(lines: list[str]) -> WrittenMessage:
    message = WrittenMessage(read_text(lines[0]))
    keys = [part.key for part in message.parts if isinstance(part, Span) and part.key]
    if len(keys) != len(set(keys)):
        raise GrammarError("a key that stands twice")
    for line in lines[1:]:
        key, _, questions = line.partition(":")
        asked = [question.strip() for question in questions.split("|") if question.strip()]
        if key.strip() == "-":
            message.silent += asked
        elif key.strip() in keys:
            message.questions[key.strip()] = asked
        else:
            raise GrammarError(f"questions of {key!r}, which the text does not have")
    return message


def read_written(folder: Path) -> list[WrittenMessage]:
    """All messages of a folder's files; what cannot be read is told and left out."""
    messages = []
    for path in sorted(folder.glob("*.txt")):
        for index, block in enumerate(re.split(r"\n\s*\n", path.read_text())):
            lines = [line.strip() for line in block.splitlines() if line.strip() and not line.startswith("#")]
            if not lines:
                continue
            try:
                messages.append(read_message(lines))
            except GrammarError as error:
                print(f"{path.name}, message {index}: {error}: {lines[0][:80]}", flush=True)
    return messages
