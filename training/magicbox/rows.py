"""Messages as rows of tokens: several to a row, so that none of it is padding."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from magicbox.messages import noisy_question
from magicbox.sources import training_messages
from magicbox.tokens import CLS, QUESTION, SEP, SPECIAL, UNK, WordPieces

ROW_TOKENS = 256
ROW_QUESTIONS = 24


@dataclass(frozen=True)
class TokenRow:
    """One message with its questions. Answers are tokens [first, last]; both 0, the row's first token, where there is none."""

    ids: list[int]
    text_start: int
    markers: list[int]
    answers: list[tuple[int, int]]
    starts: list[int]
    """The first character of each of the text's tokens."""


def token_row(text: str, questions: list[str], pieces: WordPieces, places: Sequence[tuple[int, int] | None] = ()) -> TokenRow:
    """[CLS] [Q] question [Q] question [SEP] text [SEP], with the answers' places in the text where they are known."""
    ids, markers = [CLS], []
    for question in questions:
        markers.append(len(ids))
        ids += [QUESTION, *pieces.encode(question)[0]]
    ids.append(SEP)
    text_start = len(ids)
    text_ids, starts = pieces.encode(text)
    ids += [*text_ids, SEP]
    answers = []
    for place in places:
        inside = [] if place is None else [i for i, start in enumerate(starts) if place[0] <= start < place[1]]
        answers.append((text_start + inside[0], text_start + inside[-1]) if inside else (0, 0))
    return TokenRow(ids, text_start, markers, answers, starts)


BLURRED_SHARE = 0.5
MOST_BLURRED = 0.1


def blurred(row: TokenRow, rng: random.Random, vocabulary_size: int) -> TokenRow:
    """The row, now and then with some tokens of the text that are unknown or others: what a word is must be told from its place, too."""
    if rng.random() >= BLURRED_SHARE:
        return row
    share = rng.random() * MOST_BLURRED
    ids = list(row.ids)
    for place in range(row.text_start, len(ids) - 1):
        if rng.random() < share:
            ids[place] = UNK if rng.random() < 0.3 else rng.randrange(len(SPECIAL), vocabulary_size)
    return replace(row, ids=ids)


def empty_batch(rows: int) -> dict[str, np.ndarray]:
    """Arrays of packed rows: of each token [rows, tokens], and of each slot for a question [rows, questions]."""
    shape, slots = (rows, ROW_TOKENS), (rows, ROW_QUESTIONS)
    return dict(
        ids=np.zeros(shape, np.int16),
        document=np.zeros(shape, np.uint8),
        position=np.zeros(shape, np.uint8),
        answerable=np.zeros(shape, np.uint8),
        marker=np.zeros(slots, np.uint8),
        first=np.zeros(slots, np.uint8),
        last=np.zeros(slots, np.uint8),
        asked=np.zeros(slots, np.uint8),
    )


class Packer:
    """Fills the rows of a batch, message after message, each into the first row that has room."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.batch = empty_batch(rows)
        self.used = [0] * rows
        self.questions = [0] * rows
        self.documents = [0] * rows
        self.row = 0

    def add(self, row: TokenRow) -> bool:
        """Whether there was room."""
        for index in range(self.row, min(self.row + 6, self.rows)):
            if self.used[index] + len(row.ids) <= ROW_TOKENS and self.questions[index] + len(row.markers) <= ROW_QUESTIONS:
                self.put(row, index)
                return True
        self.row += 1
        return self.row < self.rows and self.add(row)

    def put(self, row: TokenRow, index: int) -> None:
        batch, at, end = self.batch, self.used[index], self.used[index] + len(row.ids)
        self.documents[index] += 1
        batch["ids"][index, at:end] = row.ids
        batch["document"][index, at:end] = self.documents[index]
        batch["position"][index, at:end] = np.arange(len(row.ids))
        batch["answerable"][index, at] = 1
        batch["answerable"][index, at + row.text_start : end - 1] = 1
        for marker, (first, last) in zip(row.markers, row.answers):
            slot = self.questions[index]
            batch["marker"][index, slot] = at + marker
            batch["first"][index, slot] = at + first
            batch["last"][index, slot] = at + last
            batch["asked"][index, slot] = 1
            self.questions[index] += 1
        self.used[index] = end


def batches(seed: int, rows: int, tokenizer: Path, dropout: float = 0.04):
    """An endless stream of packed batches of the training split."""
    rng = random.Random(seed)
    messages = training_messages(seed)
    pieces = WordPieces(tokenizer, dropout, rng)
    exact = WordPieces(tokenizer)
    waiting: TokenRow | None = None
    while True:
        packer = Packer(rows)
        while True:
            if waiting is None:
                message = messages.draw()
                if not message.asked:
                    continue
                cut = pieces if rng.random() < 0.4 else exact
                questions = [noisy_question(asked.question, rng) for asked in message.asked]
                row = token_row(message.text, questions, cut, [asked.answer for asked in message.asked])
                waiting = blurred(row, rng, len(pieces.vocabulary))
                if len(waiting.ids) > ROW_TOKENS:
                    waiting = None
                    continue
            if not packer.add(waiting):
                break
            waiting = None
        yield packer.batch
