"""Scores and gradients of an inductive network by PyTorch, for the test TestTorch of spherE/inductive.

Standard input is a JSON object: checkpoint (path), entities, relations, facts (triples of ids: head, relation, tail),
meeting (edges of the graph of relations: to, from, kind), queries ([known, asked, of]) and example (known, asked, of,
answer, negatives, positive, temperature). Standard output has scores by query, the loss of the example and its
gradients by the name of the tensor.
"""

import json
import sys

import torch
from torch.nn import functional

given = json.load(sys.stdin)
torch.set_num_threads(1)
state = torch.load(given["checkpoint"], map_location="cpu")
weights = {name: tensor.clone().requires_grad_(True) for name, tensor in state.get("model", state).items()}
width = weights["relation_model.layers.0.linear.bias"].numel()
relations = given["relations"]


def layer(name, rows, edges, node, first, of_kind):
    to, source, kind = edges
    start = torch.zeros(rows.shape[0], 1)
    start[node] = 1
    sums = torch.zeros_like(rows).index_add(0, to, rows[source] * of_kind[kind]) + start * first
    out = functional.linear(torch.cat([rows, sums], 1), weights[name + "linear.weight"], weights[name + "linear.bias"])
    out = functional.layer_norm(out, (width,), weights[name + "layer_norm.weight"], weights[name + "layer_norm.bias"])
    return torch.relu(out) + rows


def layers(prefix):
    count = 0
    while f"{prefix}.layers.{count}.linear.bias" in weights:
        yield f"{prefix}.layers.{count}."
        count += 1


def linear(name, rows):
    return functional.linear(rows, weights[name + ".weight"], weights[name + ".bias"])


def transposed(edges):
    return [torch.tensor(column, dtype=torch.long) for column in zip(*edges)]


def scores(facts, known, asked, of):
    rows = torch.zeros(2 * relations, width)
    rows[of] = 1
    meeting = transposed(given["meeting"])
    for name in layers("relation_model"):
        rows = layer(name, rows, meeting, of, torch.ones(width), weights[name + "relation.weight"])
    query = rows[asked]
    edges = transposed([(h, t, r) for h, r, t in facts] + [(t, h, r + relations) for h, r, t in facts])
    at = torch.zeros(given["entities"], 1)
    at[known] = 1
    x = at * query
    for name in layers("entity_model"):
        hidden = torch.relu(linear(name + "relation_projection.0", rows))
        x = layer(name, x, edges, known, query, linear(name + "relation_projection.2", hidden))
    both = torch.cat([x, query.expand(x.shape[0], width)], 1)
    return linear("entity_model.mlp.2", torch.relu(linear("entity_model.mlp.0", both))).squeeze(1)


answer = {"scores": []}
with torch.no_grad():
    for known, asked, of in given["queries"]:
        answer["scores"].append(scores(given["facts"], known, asked, of).tolist())

one = given["example"]
facts = [fact for fact in given["facts"] if fact != one["positive"]]
result = scores(facts, one["known"], one["asked"], one["of"])
picked = result[[one["answer"]] + one["negatives"]]
target = torch.zeros_like(picked)
target[0] = 1
loss = functional.binary_cross_entropy_with_logits(picked, target, reduction="none")
share = torch.ones_like(picked)
with torch.no_grad():
    share[1:] = torch.softmax(picked[1:] / one["temperature"], 0)
loss = (loss * share).sum() / share.sum()
loss.backward()
answer["loss"] = loss.item()
answer["gradients"] = {name: tensor.grad.flatten().tolist() for name, tensor in weights.items()}
json.dump(answer, sys.stdout)
