"""Questions to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spherelab._frame import read
from spherelab._program import call

if TYPE_CHECKING:
    import pandas


def ask(
    run: str, head: str, relation: str | None = None, tail: str = "?", *, cut: str | None = None, outside: bool = False
) -> pandas.DataFrame:
    """Returns the answers of a question, best first.

    `run` is an id, the beginning of one, a name or "last"; or a graph, which its best run answers for. One of head,
    relation and tail is "?". Without a relation, `head` is an expression, as in "Max Born > advised > advised".

    `entity` and `label` name an answer, `mark` is "known", "held out" or "inferred", `probability` is the one that the
    answer is true, where it was fitted. `cut` chooses the set; `outside` adds near misses and facts that the set lacks,
    with `in_set` false. Relations between two entities are ranked, and all are listed.
    """
    question = [head] if relation is None else [head, relation, tail]
    flags = [f"--cut={cut}"] if cut else []
    frame = read(call("query", "--format=csv", "--limit=0", *flags, "--", run, *question))
    if {"entity", "in_set"} <= {*frame.columns} and not outside:  # relations between two entities are all listed
        frame = frame[frame["in_set"].astype(bool)].reset_index(drop=True)
    return frame
