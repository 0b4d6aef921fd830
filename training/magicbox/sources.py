"""What messages are drawn from: the domain files and the written messages beside this file."""

from __future__ import annotations

from pathlib import Path

from magicbox.grammar import read_domains
from magicbox.messages import Held, Messages
from magicbox.written import read_written

HERE = Path(__file__).parent
HELD_OUT_WRITTEN = 20
"""Of so many written messages, the last is kept from training."""


def training_messages(seed: int) -> Messages:
    """Everything that training sees."""
    written = read_written(HERE / "written")
    seen = [message for index, message in enumerate(written) if index % HELD_OUT_WRITTEN != HELD_OUT_WRITTEN - 1]
    return Messages(read_domains(HERE / "domains"), seen, seed)


def template_messages(seed: int, held: Held) -> Messages:
    """Messages of the domain files alone, of the parts that training sees or does not."""
    return Messages(read_domains(HERE / "domains"), [], seed, held)


def held_out_written(seed: int) -> Messages:
    """Written messages that training does not see."""
    written = read_written(HERE / "written")
    return Messages([], written[HELD_OUT_WRITTEN - 1 :: HELD_OUT_WRITTEN], seed)
