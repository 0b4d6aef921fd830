"""What messages are drawn from: the domain files and the written messages beside this file."""

from __future__ import annotations

from pathlib import Path

from magicbox.attributes import read_attributes
from magicbox.grammar import questions_of, read_domains
from magicbox.messages import ATTRIBUTES, Held, Messages, read_kind_questions
from magicbox.written import WrittenMessage, read_written

HERE = Path(__file__).parent
HELD_OUT_WRITTEN = 20
"""Of so many written messages, the last is kept from training."""


def training_messages(seed: int) -> Messages:
    """Everything that training sees."""
    return Messages(read_domains(HERE / "domains"), seen_written(), seed)


def seen_written() -> list[WrittenMessage]:
    """The written messages that training sees."""
    written = read_written(HERE / "written")
    return [message for index, message in enumerate(written) if index % HELD_OUT_WRITTEN != HELD_OUT_WRITTEN - 1]


def template_messages(seed: int, held: Held) -> Messages:
    """Messages of the domain files alone, of the parts that training sees or does not."""
    return Messages(read_domains(HERE / "domains"), [], seed, held)


def held_out_written(seed: int) -> Messages:
    """Written messages that training does not see."""
    written = read_written(HERE / "written")
    return Messages([], written[HELD_OUT_WRITTEN - 1 :: HELD_OUT_WRITTEN], seed)


def normal_question(question: str) -> str:
    """A question without case and end mark."""
    return question.lower().rstrip("?.! ")


def seen_questions() -> set[str]:
    """All questions that training may ask, of any source: what stands in one field's unseen part may be another's seen question."""
    seen = [question for questions in read_kind_questions().values() for question in questions]
    for domain in read_domains(HERE / "domains"):
        for asked in (*domain.fields.values(), *domain.groups.values()):
            seen += questions_of(asked, held_out=False)
    for message in seen_written():
        seen += [*message.silent, *(question for questions in message.questions.values() for question in questions)]
    seen += read_attributes(ATTRIBUTES).all_questions()
    return {normal_question(question) for question in seen}
