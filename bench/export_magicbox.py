"""Exports MagicBox to ONNX twice, with the answers that PyTorch computes from the same weights to one fixed input: 111 tokens, 2 questions.

usage (on a host with torch and onnx): python3 export_magicbox.py FOLDER OUT
FOLDER is the shipped model; where there is none, one with random weights of the same sizes is made, which takes the same time to compute.
Writes to OUT: magicbox/, magicbox.json (ids, what stands where in them, and scores [questions][tokens][2]), magicbox.onnx, which rounds activations to int8
as the model does, and magicbox-plain.onnx, which does not, with magicbox-plain.json.
Both networks take ids [1, tokens] and markers [questions] and give scores [questions, tokens, 2]; their weights are float32.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parent.parent / "training"))

from magicbox.checkpoint import load_packed, write_folder
from magicbox.model import MagicBox, MagicBoxConfig
from magicbox.tokens import CLS, QUESTION, SEP, WordPieces
from quantization import FixedLinear

NUM_TOKENS = 111
MAX_ANSWER_TOKENS = 30
TIMES_FLOAT32 = 4
"""Activations near a tie are rounded another way in float32 than in the float64 of the expected scores: so many times PyTorch's own error is right."""

QUESTIONS = ("Who should be called?", "At what time?")
TEXT = (
    "Hi, it is me again. Before I forget: please remind me tomorrow, on Friday the 14th of March, to call Daniela Petrescu at 4:30 pm about the "
    "invoice for the new kitchen, which should come to 1,250 euros, tax included. She said that the parcel went to 17 Mill Lane by mistake, so "
    "ask her for the tracking number too, and whether two chairs could be delivered before noon on Saturday. If she does not pick up, write to "
    "her office and put the dinner for six people at half past seven in my calendar, under the name of Lee."
)


class PlainLinear(nn.Module):
    """The same matrix without the rounding of activations."""

    def __init__(self, linear: FixedLinear) -> None:
        super().__init__()
        self.register_buffer("weight", linear.codes * linear.row_scale[:, None])

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight.t().to(x.dtype)


class ExportedLinear(nn.Module):
    """FixedLinear in the fewest operators that ONNX Runtime Web has for a GPU.

    It has none for Round, which would send every layer's activations to the CPU and back. Adding 1.5 · 2²³ and taking it off again rounds a
    float32 of this size to the nearest whole number, the even one of two. A product of row maximum and scale needs no clamp.
    """

    ROUNDING = 1.5 * 2**23

    def __init__(self, linear: FixedLinear) -> None:
        super().__init__()
        self.register_buffer("codes", linear.codes.float().t().contiguous())
        self.register_buffer("row_scale", linear.row_scale)

    def forward(self, x: Tensor) -> Tensor:
        scale = 127 / x.abs().amax(-1, keepdim=True).clamp(min=1e-5)
        codes = (x * scale + self.ROUNDING) - self.ROUNDING
        return codes @ self.codes / scale * self.row_scale


class Pointer(nn.Module):
    """One row of fixed length, with what does not depend on its ids computed beforehand."""

    def __init__(self, model: MagicBox) -> None:
        super().__init__()
        self.model = model
        config = model.config
        half = torch.arange(0, config.head_dim, 2, dtype=torch.float64)
        angles = torch.arange(NUM_TOKENS)[:, None] * config.rope_theta ** -(half / config.head_dim)
        for name, table in (("cos", angles.cos()), ("sin", angles.sin())):
            self.register_buffer(name, torch.cat((table, table), -1)[None, None].to(model.norm.weight.dtype))

    def forward(self, ids: Tensor, markers: Tensor) -> Tensor:
        x = self.model.embedding(ids)
        for block in self.model.blocks:
            x = block(x, self.cos, self.sin, None)
        states = self.model.norm(x)[0]
        questions = self.model.question_pointer(states.index_select(0, markers)).chunk(2, dim=-1)
        tokens = self.model.token_pointer(states).chunk(2, dim=-1)
        pairs = [question @ token.t() for question, token in zip(questions, tokens)]
        return torch.stack(pairs, dim=-1) / math.sqrt(self.model.config.pointer_size)


def benchmark_ids(folder: Path) -> list[int]:
    """A row of exactly NUM_TOKENS tokens with two questions; where there is no tokenizer, tokens at random."""
    if (folder / "tokenizer.json").exists():
        pieces = WordPieces(folder)
        questions, text = [pieces.encode(question)[0] for question in QUESTIONS], pieces.encode(TEXT)[0]
    else:
        generator = torch.Generator().manual_seed(0)
        questions = torch.randint(5, 4096, (2, 6), generator=generator).tolist()
        text = torch.randint(5, 4096, (NUM_TOKENS,), generator=generator).tolist()
    head = [CLS, *(token for question in questions for token in (QUESTION, *question)), SEP]
    room = NUM_TOKENS - len(head) - 1
    if len(text) < room:
        raise ValueError(f"the text has {len(text)} tokens, expected {room}")
    return [*head, *text[:room], SEP]


def load(folder: Path, dtype: torch.dtype, linear: type[nn.Module] | None) -> Pointer:
    """The model for one row, with another kind of linear layer if asked for."""
    model = load_packed(folder).compute_in(dtype).eval()
    for block in model.blocks:
        for name, module in list(block.named_children()):
            if isinstance(module, FixedLinear) and linear is not None:
                setattr(block, name, linear(module))
    return Pointer(model).eval()


def main(folder: Path, out: Path) -> None:
    target = out / "magicbox"
    out.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        shutil.copytree(folder, target, dirs_exist_ok=True)
    else:
        torch.manual_seed(0)
        write_folder(MagicBox(MagicBoxConfig()), target)
    ids = benchmark_ids(target)
    markers = [place for place, token in enumerate(ids) if token == QUESTION]
    context = {"start": ids.index(SEP) + 1, "end": NUM_TOKENS - 1}
    inputs = (torch.tensor([ids]), torch.tensor(markers))
    layout = {"markers": markers, "context": context, "maxAnswerTokens": MAX_ANSWER_TOKENS}
    for name, exact, exported in (("magicbox", None, ExportedLinear), ("magicbox-plain", PlainLinear, PlainLinear)):
        network = load(target, torch.float32, exported)
        with torch.no_grad():
            scores = load(target, torch.float64, exact)(*inputs)
            error = ((network(*inputs) - scores).abs().max() / scores.abs().max()).item()
        expected = {"ids": ids, "layout": layout, "scores": scores.tolist(), "tolerance": max(1e-3, TIMES_FLOAT32 * error)}
        (out / f"{name}.json").write_text(json.dumps(expected))
        torch.onnx.export(
            network,
            inputs,
            str(out / f"{name}.onnx"),
            input_names=["ids", "markers"],
            output_names=["scores"],
            dynamo=True,
            external_data=False,
            opset_version=18,
            verbose=False,
        )
        size_bytes = (out / f"{name}.onnx").stat().st_size
        print(json.dumps({"model": name, "onnxBytes": size_bytes, "relativeErrorOfFloat32": error}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
