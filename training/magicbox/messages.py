"""Messages with questions and exact answers, drawn from the domain files, with the noise of real typing."""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass, replace
from pathlib import Path

from magicbox.attributes import draw_attributes, read_attributes
from magicbox.grammar import Domain, Field, Group, Piece, expand, questions_of
from magicbox.written import WrittenMessage

MOST_QUESTIONS = 8
"""About a message: as many as share a row at run time."""
QUESTION_COUNTS = (1, 2, 2, 2, 3, 3, 4, 5, 6, MOST_QUESTIONS)
STATED_SHARE = 0.76
OTHER_DOMAIN_SHARE = 0.3
"""Of the questions without an answer, those that belong to another domain."""
ATTRIBUTES = Path(__file__).parent / "attributes.txt"
ATTRIBUTES_SHARE = 0.12
"""Of the messages that training sees, those that say something of several things."""
WRITTEN_SHARE = 0.7
"""Of the other messages, those that were written whole, where there are any."""
KIND_SHARE = 0.25
"""Of the messages, those that are asked about by the kind of a value too."""
WIDEST_JOIN = 6
"""Characters between two fields that a question about both may span: " at ", ", "."""


@dataclass(frozen=True)
class Asked:
    """A question, and where the text answers it: characters [start, end), or None."""

    question: str
    answer: tuple[int, int] | None


@dataclass(frozen=True)
class Message:
    """What a person typed, and what is asked about it."""

    text: str
    asked: list[Asked]


@dataclass(frozen=True)
class Held:
    """Which parts of the domain files a message is drawn from: those kept from training, or those that it sees."""

    templates: bool = False
    questions: bool = False


Drawn = tuple[str, Field | Group | None, str]
"""A field's name, the field where a domain has it, and the question."""


class Messages:
    """An endless source of messages, of templates and of those written whole."""

    def __init__(self, domains: list[Domain], written: list[WrittenMessage], seed: int, held: Held = Held()) -> None:
        self.domains = domains
        self.written = written
        self.rng = random.Random(seed)
        self.held = held
        self.kind_questions = {} if held.templates or held.questions else read_kind_questions()
        self.attributes = read_attributes(ATTRIBUTES) if self.domains and written else None
        self.templates = {domain.name: domain.split(held.templates) for domain in domains}

    def draw(self, noise: bool = True) -> Message:
        rng = self.rng
        domain = None
        if self.attributes and rng.random() < ATTRIBUTES_SHARE:
            pieces, asked = draw_attributes(self.attributes, rng)
        elif self.written and (not self.domains or rng.random() < WRITTEN_SHARE):
            written = rng.choice(self.written)
            pieces = written.draw(rng)
            asked = self.written_questions(written)
        else:
            domain = rng.choice(self.domains)
            pieces, kinds = expand(domain, rng.choice(self.templates[domain.name]), rng)
            stated = {piece.field for piece in pieces if piece.field}
            asked = self.questions(domain, stated, kinds)
        if len(asked) < MOST_QUESTIONS and rng.random() < KIND_SHARE:
            pieces, by_kind = self.kind_question(pieces)
            asked += by_kind
        # Now and then a second message, about something else or just talk, stands before or behind the one that is asked about.
        if domain and rng.random() < 0.12:
            pieces = self.with_neighbour(pieces, domain)
        elif rng.random() < 0.15:
            pieces = with_talk(pieces, rng)
        if noise:
            pieces = noisy(pieces, rng)
        return finish(pieces, asked)

    def written_questions(self, written: WrittenMessage) -> list[Drawn]:
        """One to eight questions of a written message: four of five about what it says."""
        rng = self.rng
        keys = [key for key, questions in written.questions.items() if questions]
        drawn: list[Drawn] = []
        for _ in range(rng.choice(QUESTION_COUNTS)):
            if keys and (not written.silent or rng.random() < STATED_SHARE + 0.05):
                key = rng.choice(keys)
                drawn.append((key, None, rng.choice(written.questions[key])))
            elif written.silent:
                drawn.append(("", None, rng.choice(written.silent)))
        return drawn

    def kind_question(self, pieces: list[Piece]) -> tuple[list[Piece], list[Drawn]]:
        """A question by kind about a value that has no other like it, where there is one; its piece has a field from then on."""
        kinds = [piece.kind for piece in pieces]
        alone = [index for index, kind in enumerate(kinds) if kind in self.kind_questions and kinds.count(kind) == 1]
        if not alone:
            return pieces, []
        index = self.rng.choice(alone)
        piece = pieces[index]
        name = piece.field or "value"
        question = self.rng.choice(self.kind_questions[piece.kind or ""])
        return [*pieces[:index], replace(piece, field=name), *pieces[index + 1 :]], [(name, None, question)]

    def with_neighbour(self, pieces: list[Piece], domain: Domain) -> list[Piece]:
        other = self.rng.choice(self.domains)
        if other is domain or {f.kind for f in other.fields.values()} & {f.kind for f in domain.fields.values()}:
            return pieces
        more, _ = expand(other, self.rng.choice(self.templates[other.name]), self.rng)
        plain = [Piece(piece.text, None, piece.kind) for piece in more]
        gap = [Piece(self.rng.choice([" ", ". ", "\n", " also ", " - "]))]
        return plain + gap + pieces if self.rng.random() < 0.5 else pieces + gap + plain

    def questions(self, domain: Domain, stated: set[str], kinds: set[str]) -> list[Drawn]:
        """One to eight questions of a domain."""
        rng = self.rng
        drawn = []
        for _ in range(rng.choice(QUESTION_COUNTS)):
            choice = self.one_question(domain, stated, kinds)
            if choice is not None:
                drawn.append(choice)
        return drawn

    def one_question(self, domain: Domain, stated: set[str], kinds: set[str]) -> Drawn | None:
        rng = self.rng
        name, asked = "", None
        if rng.random() < STATED_SHARE and stated:
            groups = [group for group, it in domain.groups.items() if stated & set(it.fields)]
            if groups and rng.random() < 0.2:
                name = rng.choice(groups)
                asked = domain.groups[name]
            else:
                name = rng.choice(sorted(stated))
                asked = domain.fields[name]
        elif rng.random() < OTHER_DOMAIN_SHARE:
            domain = rng.choice(self.domains)
            asked = rng.choice(list(domain.fields.values()))
            # A value of this kind stands in the text: the question may well have an answer that nobody marked.
            if asked.kind in kinds:
                return None
        else:
            silent = [field for field in domain.fields if field not in stated]
            silent += [group for group, it in domain.groups.items() if not stated & set(it.fields)]
            if not silent:
                return None
            name = rng.choice(silent)
            asked = domain.fields.get(name) or domain.groups[name]
        questions = questions_of(asked, self.held.questions)
        return (name, asked, rng.choice(questions)) if questions else None


@functools.cache
def read_kind_questions() -> dict[str, list[str]]:
    """Questions that fit any value of a kind."""
    lines = (Path(__file__).parent / "kind_questions.txt").read_text().splitlines()
    pairs = [line.partition(":") for line in lines if line and not line.startswith("#")]
    return {kind.strip(): [question.strip() for question in questions.split("|")] for kind, _, questions in pairs}


def finish(pieces: list[Piece], asked: list[Drawn]) -> Message:
    """The text, and the answers' places in it."""
    text, places = "", {}
    for piece in pieces:
        if piece.field and piece.text:
            places[piece.field] = (len(text), len(text) + len(piece.text))
        text += piece.text
    strip = len(text) - len(text.lstrip())
    found = []
    for name, field, question in asked:
        answer = place_of(name, field, places)
        if answer is not False:
            found.append(Asked(question, answer and (answer[0] - strip, answer[1] - strip)))
    return Message(text.strip(), found)


def place_of(name: str, field: Field | Group | None, places: dict[str, tuple[int, int]]) -> tuple[int, int] | None | bool:
    """Where the answer is; None where nothing is stated; False where two parts of it stand apart."""
    if not isinstance(field, Group):
        return places.get(name)
    parts = sorted(places[part] for part in field.fields if part in places)
    if not parts:
        return None
    if len(parts) == 2 and parts[1][0] - parts[0][1] > WIDEST_JOIN:
        return False
    return parts[0][0], parts[-1][1]


TALK = """
hope you are well|thanks a lot|thank you so much in advance|sorry for the late message|long day today|the weather is awful|cheers|no rush|it's urgent|as discussed|just a quick one|me again
sorry to bother you|that would be great|let me know if that works|can you do that|please confirm|talk soon|best regards|ok so|hello|hi there|good morning|hey|i think that's all|much appreciated|fingers crossed
i already told you on the phone|not sure if this is the right place to ask|my phone is almost dead|typing this on the train|if possible|whatever works|don't forget|this is important|see you|love you|ok thanks bye
i've been meaning to do this for ages|it's been a mess lately|everyone is excited|the kids are driving me crazy|my boss will kill me otherwise|you're the best|could you help me|i hope this is the last time|asap please
""".replace("\n", "|").strip("|").split("|")


def with_talk(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    talk = rng.choice(TALK)
    mark = rng.choice([". ", ", ", " ", "! ", "\n", " - "])
    if rng.random() < 0.5:
        return [Piece(talk + mark), *pieces]
    return [*pieces, Piece(rng.choice([". ", " ", ", ", "! "]) + talk)]


SHORT_FORMS = {
    "please": ("pls", "plz"), "you": ("u",), "your": ("ur",), "tomorrow": ("tmrw", "tomorow", "tmr", "2moro"), "thanks": ("thx", "ty"), "and": ("&", "n"), "for": ("4",),
    "because": ("cuz", "cos", "bc"), "about": ("abt",), "appointment": ("appt", "appointmnt"), "are": ("r",), "with": ("w/",), "want": ("wanna",), "tonight": ("2nite", "tonite"),
    "minutes": ("mins",), "hours": ("hrs",), "people": ("ppl",), "number": ("no.", "nr", "num"), "message": ("msg",), "something": ("sth",), "i'm": ("im",), "don't": ("dont",), "can't": ("cant",),
    "it's": ("its",), "i'd": ("id",), "monday": ("mon",), "tuesday": ("tue", "tues"), "wednesday": ("wed",), "thursday": ("thu", "thurs"), "friday": ("fri",), "saturday": ("sat",), "sunday": ("sun",),
    "birthday": ("bday",), "the": ("teh",), "restaurant": ("resto", "restaraunt"), "definitely": ("definately",), "receive": ("recieve",), "address": ("adress",),
}
NEIGHBOURS = {
    letter: others
    for letter, others in zip(
        "qwertyuiopasdfghjklzxcvbnm",
        "wa qse wdr etf ryg tuh yij uok ipl ol qsz awdx sefc drgv fthb gyjn hukm jil kop asx zsdc xdfv cfgb vghn bhjm njk".split(),
    )
}


def noisy(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Short forms, slips of the finger, and marks left out. Numbers stay as they are."""
    if rng.random() < 0.25:
        pieces = [replace(piece, text=short_forms(piece.text, rng)) for piece in pieces]
    if rng.random() < 0.3:
        pieces = slips(pieces, rng)
    if rng.random() < 0.3:
        pieces = [*pieces[:-1], replace(pieces[-1], text=pieces[-1].text.rstrip(".!?"))]
    if rng.random() < 0.12:
        pieces = [piece if piece.field else replace(piece, text=without_marks(piece.text)) for piece in pieces]
    return pieces


def short_forms(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    for index, word in enumerate(words):
        forms = SHORT_FORMS.get(word.lower())
        if forms and rng.random() < 0.5:
            words[index] = rng.choice(forms)
    return " ".join(words)


def slips(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    out = list(pieces)
    for _ in range(rng.choice((1, 1, 2, 3))):
        index = rng.randrange(len(out))
        piece = out[index]
        places = [place for place, letter in enumerate(piece.text) if letter.isalpha()]
        if len(places) > 4:
            out[index] = replace(piece, text=slip(piece.text, rng.choice(places[1:]), rng))
    return out


def slip(text: str, place: int, rng: random.Random) -> str:
    letter = text[place]
    kind = rng.randrange(4)
    if kind == 0:
        return text[:place] + text[place + 1 :]
    if kind == 1:
        return text[:place] + letter + text[place:]
    if kind == 2 and place + 1 < len(text) and text[place + 1].isalpha():
        return text[:place] + text[place + 1] + letter + text[place + 2 :]
    return text[:place] + rng.choice(NEIGHBOURS.get(letter.lower(), letter)) + text[place + 1 :]


def without_marks(text: str) -> str:
    return text.replace(",", "").replace(". ", " ").replace("! ", " ").replace("? ", " ").replace("'", "")


def noisy_question(question: str, rng: random.Random) -> str:
    """A question as people write it: without its mark, with a slip."""
    if rng.random() < 0.35:
        question = question.rstrip("?.! ")
    if rng.random() < 0.04 and len(question) > 8:
        places = [place for place, letter in enumerate(question) if letter.isalpha()]
        question = slip(question, rng.choice(places[1:]), rng)
    return question
