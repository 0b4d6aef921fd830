"""The tokenizer: made from the generator's own text, and a fast one in Python that agrees with the files that are shipped."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from pathlib import Path

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[Q]"]
PAD, UNK, CLS, SEP, QUESTION = range(len(SPECIAL))
WORD = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")


def plain(text: str) -> str:
    """Lower case without accents, of the same length: what BertNormalizer makes of composed text."""
    if text.isascii():
        return text.lower()
    return "".join(_plain_letter(letter) for letter in text)


def _plain_letter(letter: str) -> str:
    bare = "".join(part for part in unicodedata.normalize("NFD", letter) if unicodedata.category(part) != "Mn").lower()
    return bare if len(bare) == 1 else letter


def train_tokenizer(texts, vocab_size: int, out: Path) -> None:
    """Writes tokenizer.json and tokenizer_config.json: WordPieces of lower-cased words, each digit and each mark by itself."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Digits(individual_digits=True)])
    tokenizer.decoder = decoders.WordPiece()
    alphabet = [chr(code) for code in range(33, 127)] + list("€£¥₹’‘“”–—…°ß")
    trainer = trainers.WordPieceTrainer(vocab_size=vocab_size, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)]
    )
    out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(out / "tokenizer.json"))
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), SPECIAL))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 256, **names, "additional_special_tokens": ["[Q]"]}
    (out / "tokenizer_config.json").write_text(json.dumps(config, indent=1) + "\n")


class WordPieces:
    """Ids of a text with the place of each token; now and then words fall into smaller pieces than they must."""

    def __init__(self, folder: Path, dropout: float = 0.0, rng: random.Random | None = None) -> None:
        self.vocabulary: dict[str, int] = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
        self.dropout = dropout
        self.rng = rng or random.Random(0)
        self.cache: dict[str, tuple[tuple[int, int], ...]] = {}

    def encode(self, text: str) -> tuple[list[int], list[int]]:
        """Ids, and the first character of each."""
        ids, starts = [], []
        lower = plain(text)
        for match in WORD.finditer(lower):
            first = match.start()
            for piece, offset in self.pieces(match.group()):
                ids.append(piece)
                starts.append(first + offset)
        return ids, starts

    def pieces(self, word: str) -> tuple[tuple[int, int], ...]:
        if self.dropout and len(word) > 2 and self.rng.random() < self.dropout:
            return self.cut(word, self.rng.choice((1, 2, 3)))
        found = self.cache.get(word)
        if found is None:
            found = self.cache[word] = self.cut(word, len(word))
        return found

    def cut(self, word: str, longest: int) -> tuple[tuple[int, int], ...]:
        """Greedily the longest piece that the vocabulary has, up to `longest` letters."""
        pieces, place = [], 0
        while place < len(word):
            for end in range(min(len(word), place + longest), place, -1):
                piece = self.vocabulary.get(("##" if place else "") + word[place:end])
                if piece is not None:
                    break
            else:
                return ((UNK, 0),)
            pieces.append((piece, place))
            place = end
        return tuple(pieces)
