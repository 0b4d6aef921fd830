"""How often MagicBox is right: exact match, and whether it tells what a text does not state."""

from __future__ import annotations

import json
import string
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

import torch

from magicbox.messages import Held, Messages
from magicbox.model import MagicBox
from magicbox.rows import TokenRow, token_row
from magicbox.sources import held_out_written, normal_question, seen_questions, template_messages
from magicbox.tokens import WordPieces

MOST_ANSWER_TOKENS = 30
BATCH = 64


@dataclass(frozen=True)
class Example:
    """A text, its questions, and of each the answers that count as right: none where the text does not state it."""

    text: str
    questions: list[str]
    answers: list[list[str]]


def generated(count: int, messages: Messages, without: Set[str] = frozenset()) -> list[Example]:
    """Examples of the generator, without these questions (`normal_question`)."""
    examples = []
    while len(examples) < count:
        message = messages.draw()
        asked = [one for one in message.asked if normal_question(one.question) not in without]
        if asked:
            answers = [[message.text[slice(*one.answer)]] if one.answer else [] for one in asked]
            examples.append(Example(message.text, [one.question for one in asked], answers))
    return examples


def written(path: Path) -> list[Example]:
    """Examples written by hand, one JSON object a line."""
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return [Example(line["text"], [q["question"] for q in line["questions"]], [q["answers"] for q in line["questions"]]) for line in lines]


def normal(answer: str) -> str:
    """Lower case, single spaces, no marks around, no article before."""
    answer = " ".join(answer.lower().split()).strip(string.punctuation.replace("$", "").replace("#", "") + " ’‘“”")
    for article in ("a ", "an ", "the "):
        answer = answer.removeprefix(article)
    return answer


@torch.no_grad()
def predictions(model: MagicBox, examples: list[Example], pieces: WordPieces) -> list[list[str | None]]:
    """The answer to each question of each example, None where the model says that there is none."""
    rows = [token_row(example.text, example.questions, pieces) for example in examples]
    device = model.norm.weight.device
    found: list[list[str | None]] = [[] for _ in examples]
    order = sorted(range(len(rows)), key=lambda index: len(rows[index].ids))
    for at in range(0, len(order), BATCH):
        chosen = order[at : at + BATCH]
        length = max(len(rows[index].ids) for index in chosen)
        ids = torch.zeros(len(chosen), length, dtype=torch.long)
        markers = torch.zeros(len(chosen), max(len(rows[index].markers) for index in chosen), dtype=torch.long)
        for slot, index in enumerate(chosen):
            ids[slot, : len(rows[index].ids)] = torch.tensor(rows[index].ids)
            markers[slot, : len(rows[index].markers)] = torch.tensor(rows[index].markers)
        ids, markers = ids.to(device), markers.to(device)
        positions = torch.arange(length, device=device).expand_as(ids)
        states = model.states(ids, positions, (ids != 0)[:, None, None])
        scores = model.scores(states, markers).float()
        spans, nothing = best_spans(scores, [rows[index] for index in chosen])
        for slot, index in enumerate(chosen):
            row, text = rows[index], examples[index].text
            for question in range(len(row.markers)):
                score, first, last = spans[slot][question]
                found[index].append(None if score <= nothing[slot][question] else text_of(text, row, first, last))
    return found


def best_spans(scores: torch.Tensor, rows: list[TokenRow]) -> tuple[list[list[tuple[float, int, int]]], list[list[float]]]:
    """Of scores [rows, questions, tokens, 2] the best span within the text, and the score of no answer."""
    length = scores.shape[2]
    place = torch.arange(length, device=scores.device)
    starts = torch.tensor([row.text_start for row in rows], device=scores.device)[:, None]
    ends = torch.tensor([len(row.ids) - 1 for row in rows], device=scores.device)[:, None]
    outside = ((place < starts) | (place >= ends))[:, None]
    start = scores[..., 0].masked_fill(outside, float("-inf"))
    end = scores[..., 1].masked_fill(outside, float("-inf"))
    both = start[..., :, None] + end[..., None, :]
    span = place[None, :] - place[:, None]
    both = both.masked_fill((span < 0) | (span >= MOST_ANSWER_TOKENS), float("-inf"))
    best, where = both.flatten(-2).max(-1)
    nothing = scores[:, :, 0].sum(-1)
    spans = [[(b, w // length, w % length) for b, w in zip(*pair)] for pair in zip(best.tolist(), where.tolist())]
    return spans, nothing.tolist()


def text_of(text: str, row: TokenRow, first: int, last: int) -> str:
    """The characters from a token's first to another's last."""
    after = last - row.text_start + 1
    end = row.starts[after] if after < len(row.starts) else len(text)
    return text[row.starts[first - row.text_start] : end].strip()


def scored(examples: list[Example], found: list[list[str | None]]) -> dict[str, float | int]:
    """Exact match over all questions and over those with an answer; precision and recall of "not stated"."""
    right = stated = right_stated = said_nothing = nothing = right_nothing = 0
    for example, answers in zip(examples, found):
        for wanted, answer in zip(example.answers, answers):
            said_nothing += answer is None
            if wanted:
                stated += 1
                hit = answer is not None and normal(answer) in {normal(one) for one in wanted}
                right_stated += hit
            else:
                nothing += 1
                hit = answer is None
                right_nothing += hit
            right += hit
    return {
        "examples": len(examples),
        "questions": stated + nothing,
        "exactMatch": right / max(stated + nothing, 1),
        "exactMatchStated": right_stated / max(stated, 1),
        "notStatedPrecision": right_nothing / max(said_nothing, 1),
        "notStatedRecall": right_nothing / max(nothing, 1),
    }


def test_sets(count: int) -> dict[str, list[Example]]:
    """The generated test sets; training sees none of their templates, or none of their questions, from whatever source."""
    seen = seen_questions()
    return {
        "unseenTemplates": generated(count, template_messages(900_001, Held(templates=True))),
        "unseenQuestions": generated(count, template_messages(900_002, Held(questions=True)), seen),
        "bothUnseen": generated(count, template_messages(900_003, Held(templates=True, questions=True)), seen),
        "unseenWritten": generated(count, held_out_written(900_004)),
    }
