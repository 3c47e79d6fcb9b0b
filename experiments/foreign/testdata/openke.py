"""Writes checkpoints of OpenKE and scores of all triples. OpenKE itself was not run: the package of that name on PyPI is
another one, for TensorFlow, and OpenKE compiles its sampler from C++. The files follow its source (github.com/thunlp/OpenKE:
BaseModule.save_checkpoint and openke/module/model), and the formulas of its models are written again here. Written with PyTorch
1.13: python3 openke.py"""
import os
from collections import OrderedDict
import numpy as np, torch
import common
from common import DIMENSION, ENTITIES, FOLDER, RELATIONS

n, m, d = len(ENTITIES), len(RELATIONS), DIMENSION
os.makedirs(os.path.join(FOLDER, "openke"), exist_ok=True)


def checkpoint(name, tensors, prefix=""):
    constants = {"zero_const": torch.tensor([0.0]), "pi_const": torch.tensor([np.pi], dtype=torch.float32)}
    state = OrderedDict((prefix + k, v) for k, v in (constants | tensors).items())
    if prefix:  # of NegativeSampling, which has the model and its loss
        state |= constants
    torch.save(state, os.path.join(FOLDER, "openke", name + ".ckpt"))


def rows(seed, n, width):
    return np.random.default_rng(seed).normal(0, 1, (n, width)).astype(np.float32)


def tables(**arrays):
    return {k + "_embeddings.weight": torch.tensor(a) for k, a in arrays.items()}


def unit(rows):  # torch.nn.functional.normalize
    rows = rows.astype(np.float64)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def number(x):
    return torch.tensor([x], dtype=torch.float32)


e, r = rows(21, n, d), rows(22, m, d)
checkpoint("transe", tables(ent=e, rel=r))
common.write_scores("openke/transe-normalized.json", common.transe(unit(e), unit(r)))
common.write_scores("openke/transe-l2.json", common.transe(unit(e), unit(r), 2))
checkpoint("transe-margin", tables(ent=e, rel=r) | {"margin": number(7.0), "embedding_range": number(9.0 / d)}, prefix="model.")
common.write_scores("openke/transe-plain.json", common.transe(e, r))
common.write_scores("openke/transe-l2-plain.json", common.transe(e, r, 2))

e, r = rows(23, n, d), rows(24, m, d)
checkpoint("distmult", tables(ent=e, rel=r))
common.write_scores("openke/distmult.json", common.distmult(e, r))

re, im, rel_re, rel_im = rows(25, n, d), rows(26, n, d), rows(27, m, d), rows(28, m, d)
checkpoint("complex", tables(ent_re=re, ent_im=im, rel_re=rel_re, rel_im=rel_im))
common.write_scores("openke/complex.json", common.complex_(np.hstack([re, im]), np.hstack([rel_re, rel_im])))

margin, epsilon = 4.0, 3.0
e, r = rows(29, n, 2 * d), rows(30, m, d)
reach = number((margin + epsilon) / d)
checkpoint("rotate", tables(ent=e, rel=r) | {"margin": number(margin), "rel_embedding_range": reach,
                                             "ent_embedding_range": number((margin + epsilon) / (2 * d))})
common.write_scores("openke/rotate.json", common.rotate(e, r.astype(np.float64) * np.pi / reach.item()))

checkpoint("transh", tables(ent=e, rel=r) | {"norm_vector.weight": torch.tensor(r)})
for kind, names in (("entity", ENTITIES), ("relation", RELATIONS)):
    common.write_lines(f"openke/{kind}2id.txt", [str(len(names))] + [f"{name}\t{i}" for i, name in enumerate(names)])
