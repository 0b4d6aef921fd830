"""Domain files: the fields of a form, the questions that ask for them, and templates of what people type. See README.md for the format."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from magicbox.values import Value, value

HELD_OUT_TEMPLATES = 10
"""Of so many templates of a domain, the last is kept from training."""

HELD_OUT_QUESTIONS = 5
"""Of so many questions of a field, the last is kept from training."""


@dataclass(frozen=True)
class Piece:
    """A part of a text: what it says, the field that it answers, if any, and the kind of value that it is."""

    text: str
    field: str | None = None
    kind: str | None = None


class GrammarError(ValueError):
    """A domain file that cannot be read; says which line of which file, and why."""


class Sequence:
    """Parts one after the other."""

    def __init__(self, parts: list) -> None:
        self.parts = parts

    def expand(self, context: Context, out: list[Piece]) -> None:
        for part in self.parts:
            part.expand(context, out)


class Choice:
    """One of several."""

    def __init__(self, options: list[Sequence]) -> None:
        self.options = options

    def expand(self, context: Context, out: list[Piece]) -> None:
        context.rng.choice(self.options).expand(context, out)


class Literal:
    """Words as they stand."""

    def __init__(self, text: str) -> None:
        self.text = text

    def expand(self, context: Context, out: list[Piece]) -> None:
        out.append(Piece(self.text))


class Slot:
    """A value: of a field, or one that answers nothing."""

    def __init__(self, name: str, with_preposition: bool, is_distractor: bool) -> None:
        self.name = name
        self.with_preposition = with_preposition
        self.is_distractor = is_distractor

    def expand(self, context: Context, out: list[Piece]) -> None:
        domain = context.domain
        kind = self.name if self.is_distractor else domain.fields[self.name].kind
        drawn = context.draw(kind)
        if self.with_preposition and drawn.prefix:
            out.append(Piece(drawn.prefix))
        out.append(Piece(drawn.text, None if self.is_distractor else self.name, kind))
        context.kinds.add(kind)


MARKUP = re.compile(r"[()\[\]|]|\{[+!]?\w+\}|[^()\[\]|{}]+|[{}]")


class TemplateParser:
    """From a line to its tree."""

    def __init__(self, line: str) -> None:
        self.tokens = MARKUP.findall(line)
        self.place = 0

    def parse(self) -> Sequence:
        tree = self.sequence("")
        if self.place < len(self.tokens):
            raise GrammarError(f"unexpected {self.tokens[self.place]!r}")
        return tree

    def sequence(self, ends: str) -> Sequence:
        parts: list = []
        while self.place < len(self.tokens) and self.tokens[self.place] not in ends.split():
            token = self.tokens[self.place]
            self.place += 1
            if token == "(":
                parts.append(Choice(self.options(")")))
            elif token == "[":
                parts.append(Choice([*self.options("]"), Sequence([])]))
            elif token in (")", "]", "|", "{", "}"):
                raise GrammarError(f"unexpected {token!r}")
            elif token.startswith("{"):
                parts.append(Slot(token.strip("{}+!"), "+" in token, "!" in token))
            else:
                parts.append(Literal(token))
        return Sequence(parts)

    def options(self, end: str) -> list[Sequence]:
        options = []
        while True:
            options.append(self.sequence(f"| {end}"))
            if self.place >= len(self.tokens):
                raise GrammarError(f"no {end!r} to the end of the line")
            self.place += 1
            if self.tokens[self.place - 1] == end:
                return options


@dataclass
class Field:
    """Something that a form asks for."""

    kind: str
    questions: list[str] = field(default_factory=list)


@dataclass
class Group:
    """Two fields that a question can ask for together."""

    fields: tuple[str, str]
    questions: list[str] = field(default_factory=list)


@dataclass
class Domain:
    """A kind of message."""

    name: str
    fields: dict[str, Field] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    templates: list[Sequence] = field(default_factory=list)

    def split(self, held_out: bool) -> list[Sequence]:
        """The templates that training sees, or those that it does not."""
        return _split(self.templates, HELD_OUT_TEMPLATES, held_out)


def questions_of(asked: Field | Group, held_out: bool) -> list[str]:
    """The questions that training sees, or those that it does not."""
    return _split(asked.questions, HELD_OUT_QUESTIONS, held_out)


def _split(items: list, of: int, held_out: bool) -> list:
    return [item for index, item in enumerate(items) if (index % of == of - 1) == held_out]


@dataclass
class Context:
    """What an expansion needs and gathers."""

    domain: Domain
    rng: random.Random
    kinds: set[str] = field(default_factory=set)

    def draw(self, kind: str) -> Value:
        return value(kind, self.rng, self.domain.lists)


def expand(domain: Domain, template: Sequence, rng: random.Random) -> tuple[list[Piece], set[str]]:
    """A text as pieces, and the kinds of all values in it."""
    context = Context(domain, rng)
    pieces: list[Piece] = []
    template.expand(context, pieces)
    return pieces, context.kinds


def read_domain(path: Path) -> Domain:
    """@raises GrammarError naming file and line."""
    domain = Domain(path.stem)
    section, target = "", None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.rstrip()
        if not line.strip() or line.startswith("#"):
            continue
        try:
            words = line.split()
            if section != "templates" and words[0] == "field" and len(words) == 3:
                section, target = "field", domain.fields.setdefault(words[1], Field(words[2]))
            elif section != "templates" and words[0] == "group" and len(words) == 4:
                section, target = "group", domain.groups.setdefault(words[1], Group((words[2], words[3])))
            elif section != "templates" and words[0] == "list" and len(words) == 2:
                section, target = "list", domain.lists.setdefault(words[1], [])
            elif section != "templates" and words == ["templates"]:
                section = "templates"
            elif section in ("field", "group") and line.startswith("?"):
                # The mark at the line's beginning is the markup's, the others belong to the questions.
                target.questions += [part.strip() for part in line[1:].split(" | ") if part.strip()]
            elif section == "list":
                target += [part.strip() for part in line.split("|") if part.strip()]
            elif section == "templates":
                domain.templates.append(TemplateParser(line).parse())
            else:
                raise GrammarError("is not understood")
        except GrammarError as error:
            raise GrammarError(f"{path.name}:{number}: {error}: {line[:100]}") from error
    return domain


def read_domains(folder: Path) -> list[Domain]:
    """All domain files of a folder, by name."""
    return [read_domain(path) for path in sorted(folder.glob("*.txt"))]
