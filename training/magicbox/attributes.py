"""Messages that say the same kind of thing of several things, so that a question is told by what it names. See README.md for the format."""

from __future__ import annotations

import functools
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from magicbox.grammar import GrammarError, Piece
from magicbox.values import value

QUESTION_COUNTS = (1, 2, 2, 3, 3, 4, 5, 6, 8)
STATED_SHARE = 0.75
OPENERS = ["", "", "", "", "hi, ", "hello! ", "note: ", "update: ", "ok so ", "fyi ", "list: ", "just so you know, ", "for tomorrow: ", "as agreed, ", "please note: ", "- ", "quick one: ", "hey ", "remember, ", "from the office: "]
JOINS = [", ", ", ", "; ", ". ", ". ", "\n", " and ", " / ", " - ", ", then ", ", but ", " while "]
LAST_JOINS = [" and ", ", and ", " but ", " plus ", ", also "]


ALIKE = [{"date", "time"}, {"place", "city", "company"}]
"""Kinds that answer the same questions: when, where from. Of one noun a text states one of them."""


def alike(kind: str, other: str) -> bool:
    return kind == other or any({kind, other} <= kinds for kinds in ALIKE)


@dataclass
class Attribute:
    """Something that can be said of a noun: phrases of <n> the noun and <v> or <+v> the value, and questions of <n>."""

    name: str
    kind: str
    classes: list[str]
    phrases: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)


@dataclass
class Attributes:
    """The nouns by class, the attributes, and values that only they have."""

    nouns: dict[str, list[str]] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    attributes: list[Attribute] = field(default_factory=list)

    def of(self, noun_class: str) -> list[Attribute]:
        return [attribute for attribute in self.attributes if noun_class in attribute.classes]

    def all_questions(self) -> list[str]:
        """Every question of every noun."""
        return [
            question.replace("<n>", noun)
            for attribute in self.attributes
            for question in attribute.questions
            for noun_class in attribute.classes
            for noun in self.nouns[noun_class]
        ]


@functools.cache
def read_attributes(path: Path) -> Attributes:
    """@raises GrammarError naming the line."""
    found = Attributes()
    target: list[str] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if words[0] == "nouns" and len(words) == 2:
            target = found.nouns.setdefault(words[1], [])
        elif words[0] == "list" and len(words) == 2:
            target = found.lists.setdefault(words[1], [])
        elif words[0] == "attribute" and len(words) > 3:
            found.attributes.append(Attribute(words[1], words[2], words[3:]))
        elif line[0] in "=?" and found.attributes:
            last = found.attributes[-1]
            (last.phrases if line[0] == "=" else last.questions).extend(part.strip() for part in line[1:].split(" | "))
        elif "attribute" not in words[0] and not found.attributes:
            target += [part.strip() for part in line.split("|") if part.strip()]
        else:
            raise GrammarError(f"{path.name}:{number}: is not understood: {line[:100]}")
    return found


@dataclass(frozen=True)
class Statement:
    """That a noun has an attribute."""

    noun: str
    noun_class: str
    attribute: Attribute


def draw_attributes(source: Attributes, rng: random.Random) -> tuple[list[Piece], list[tuple[str, None, str]]]:
    """A text as pieces, and its questions with the names of the pieces that answer them ("" where none does)."""
    statements = statements_of(source, rng)
    return pieces_of(statements, source, rng), questions_of(statements, source, rng)


def statements_of(source: Attributes, rng: random.Random) -> list[Statement]:
    """Two to five statements: one attribute of several nouns, each noun with its own, or two of each noun."""
    noun_class = rng.choice(list(source.nouns))
    possible = source.of(noun_class)
    nouns = distinct_nouns(source.nouns[noun_class], rng.choice((2, 2, 3, 3, 4)), rng)
    way = rng.random()
    if way < 0.4:
        attribute = rng.choice(possible)
        return [Statement(noun, noun_class, attribute) for noun in nouns]
    if way < 0.75 or len(possible) < 2:
        return [Statement(noun, noun_class, rng.choice(possible)) for noun in nouns]
    first, second = rng.sample(possible, 2)
    pairs = (first,) if alike(first.kind, second.kind) else (first, second)
    return [Statement(noun, noun_class, attribute) for noun in nouns[:2] for attribute in pairs]


def distinct_nouns(nouns: list[str], count: int, rng: random.Random) -> list[str]:
    """Nouns that share no word."""
    chosen: list[str] = []
    taken: set[str] = set()
    while len(chosen) < count:
        noun = rng.choice(nouns)
        if not taken & set(noun.lower().split()):
            chosen.append(noun)
            taken |= set(noun.lower().split())
    return chosen


def pieces_of(statements: list[Statement], source: Attributes, rng: random.Random) -> list[Piece]:
    join = rng.choice(JOINS)
    repeats = rng.random() < 0.5
    phrases: dict[str, str] = {}
    pieces = [Piece(rng.choice(OPENERS))]
    for index, statement in enumerate(statements):
        name = statement.attribute.name
        phrase = phrases.setdefault(name, rng.choice(statement.attribute.phrases)) if repeats else rng.choice(statement.attribute.phrases)
        if index:
            last = index == len(statements) - 1 and join in (", ", " and ") and rng.random() < 0.6
            pieces.append(Piece(rng.choice(LAST_JOINS) if last else join))
        again = index > 0 and statements[index - 1].noun == statement.noun
        pieces += clause(statement, str(index), said(phrase, statement, again and rng.random() < 0.5), source, rng)
    return [*pieces, Piece(rng.choice(("", "", ".", "!", " thanks", ". thx", " ok?")))]


def said(phrase: str, statement: Statement, by_pronoun: bool) -> str:
    """The phrase with its noun, in the noun's number."""
    plural = statement.noun_class == "plural"
    if plural:
        phrase = re.sub(r"<n> (is|has|comes|goes|arrived)\b", lambda verb: "<n> " + PLURAL_VERBS[verb[1]], phrase)
    if by_pronoun and "the <n>" in phrase:
        return phrase.replace("the <n>", "they" if plural else "she" if statement.noun_class == "role" else "it", 1)
    return phrase.replace("<n>", statement.noun)


PLURAL_VERBS = {"is": "are", "has": "have", "comes": "come", "goes": "go", "arrived": "arrived"}


def clause(statement: Statement, name: str, phrase: str, source: Attributes, rng: random.Random) -> list[Piece]:
    drawn = value(statement.attribute.kind, rng, source.lists)
    before, mark, after = re.split(r"(<\+?v>)", phrase)
    prefix = drawn.prefix if "+" in mark else ""
    return [Piece(before + prefix), Piece(drawn.text, name, statement.attribute.kind), Piece(after)]


def questions_of(statements: list[Statement], source: Attributes, rng: random.Random) -> list[tuple[str, None, str]]:
    """One to eight questions, a quarter of them about what the text does not say of anything or of this noun."""
    drawn: list[tuple[str, None, str]] = []
    for _ in range(rng.choice(QUESTION_COUNTS)):
        if rng.random() < STATED_SHARE:
            index = rng.randrange(len(statements))
            question = stated_question(statements, index, rng)
            name = str(index)
        else:
            question, name = silent_question(statements, source, rng), ""
        if question:
            drawn.append((name, None, question))
    return drawn


def stated_question(statements: list[Statement], index: int, rng: random.Random) -> str | None:
    """A question that this statement answers and no other of its noun."""
    statement = statements[index]
    others = [other.attribute for other in statements if other.noun == statement.noun and other is not statement]
    taken = {question for other in others for question in other.questions}
    fitting = [question for question in statement.attribute.questions if question not in taken and not (others and len(question) < 5)]
    return rng.choice(fitting).replace("<n>", called(statement.noun, rng)) if fitting else None


def silent_question(statements: list[Statement], source: Attributes, rng: random.Random) -> str | None:
    """A question of this attribute and a noun that the text does not name, or of another attribute of a noun that it does."""
    statement = rng.choice(statements)
    if rng.random() < 0.5:
        words = {word for other in statements for word in other.noun.lower().split()}
        noun = rng.choice(source.nouns[statement.noun_class])
        if words & set(noun.lower().split()):
            return None
        return rng.choice(statement.attribute.questions).replace("<n>", noun)
    own = [other.attribute for other in statements if other.noun == statement.noun]
    attribute = rng.choice(source.of(statement.noun_class))
    if any(alike(attribute.kind, other.kind) for other in own):
        return None
    taken = {question for other in own for question in other.questions}
    fitting = [question for question in attribute.questions if question not in taken and len(question) > 4]
    return rng.choice(fitting).replace("<n>", statement.noun) if fitting else None


def called(noun: str, rng: random.Random) -> str:
    """The noun as a question names it: now and then by its last word alone."""
    return noun.split()[-1] if rng.random() < 0.15 else noun
