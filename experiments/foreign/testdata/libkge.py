"""Writes checkpoints of LibKGE and scores of all triples. LibKGE itself was not run: it is not on PyPI. The files follow its
source (github.com/uma-pi1/kge: TrainingJob.save_to, KgeBase.save, package_model), and the scores its scorers (kge/model), whose
formulas are written again here. Written with PyTorch 1.13: python3 libkge.py"""
import os, sys, types
from collections import OrderedDict
import numpy as np, torch
import common
from common import DIMENSION, ENTITIES, FOLDER, RELATIONS

kge, config = types.ModuleType("kge"), types.ModuleType("kge.config")


class Config:  # pickled by its name in LibKGE, kge.config.Config
    def __init__(self, options):
        self.options, self.folder, self.log_folder, self.log_prefix = options, "local/experiments/ten", None, None


Config.__module__, config.Config = "kge.config", Config
sys.modules.update({"kge": kge, "kge.config": config})


def checkpoint(name, model, entity, relation, options, package=False, core=None):
    prefixes = ("", "_base_model.") if model == "reciprocal_relations_model" else ("",)  # a base model has the same tensors
    inner = "" if core is None else "base_embedder."  # of a ProjectionEmbedder
    tensors = {"_entity_embedder._embeddings.weight": torch.tensor(entity),
               f"_relation_embedder.{inner}_embeddings.weight": torch.tensor(relation)}
    if core is not None:
        tensors["_relation_embedder.projection.weight"] = torch.tensor(core)
    state = OrderedDict((prefix + name, t) for prefix in prefixes for name, t in tensors.items())
    all_options = {"job": {"type": "train", "device": "cpu"}, "dataset": {"name": "ten", "num_entities": len(ENTITIES)},
                   "import": [model], "model": model, "train": {"loss_arg": float("nan"), "max_epochs": 2},
                   "lookup_embedder": {"class_name": "LookupEmbedder", "dim": DIMENSION, "+++": "+++"}}
    for key, value in options.items():
        at = all_options
        *path, last = key.split(".")
        for part in path:
            at = at.setdefault(part, {})
        at[last] = value
    content = {"type": "train", "epoch": 2, "model": (state, {}), "config": Config(all_options)}
    if package:
        content["type"] = "package"
        content["dataset"] = {"num_entities": len(ENTITIES), "num_relations": len(RELATIONS),
                              "meta": {"entity_ids": ENTITIES, "relation_ids": RELATIONS}}
    else:
        parameter = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.Adagrad([parameter])
        parameter.sum().backward()
        optimizer.step()
        content |= {"valid_trace": [{"epoch": 1, "mean_reciprocal_rank_filtered": 0.5, "job": "eval"}],
                    "optimizer_state_dict": optimizer.state_dict(), "lr_scheduler_state_dict": {}, "job_id": "1b2c"}
    torch.save(content, os.path.join(FOLDER, "libkge", name + ".pt"))


def rows(seed, n, width):
    return np.random.default_rng(seed).normal(0, 1, (n, width)).astype(np.float32)


os.makedirs(os.path.join(FOLDER, "libkge"), exist_ok=True)
common.write_graph()
common.write_lines("libkge/entity_ids.del", (f"{i}\t{name}" for i, name in enumerate(ENTITIES)))
common.write_lines("libkge/relation_ids.del", (f"{i}\t{name}" for i, name in enumerate(RELATIONS)))
n, m, d = len(ENTITIES), len(RELATIONS), DIMENSION

e, r = rows(1, n, d), rows(2, m, d)
for norm in (1, 2, 3):
    checkpoint(f"transe-l{norm}", "transe", e, r, {"transe.class_name": "TransE", "transe.l_norm": float(norm)})
    if norm < 3:
        common.write_scores(f"libkge/transe-l{norm}.json", common.transe(e, r, norm))

e, r = rows(3, n, d), rows(4, m, d)
checkpoint("distmult", "distmult", e, r, {"distmult.class_name": "DistMult"})
common.write_scores("libkge/distmult.json", common.distmult(e, r))

e, r = rows(5, n, d), rows(6, m, d)
checkpoint("complex", "complex", e, r, {"complex.class_name": "ComplEx"}, package=True)
common.write_scores("libkge/complex.json", common.complex_(e, r))
checkpoint("conve", "conve", e, r, {"conve.class_name": "ConvE"})

e, angle = rows(7, n, d), np.random.default_rng(8).uniform(-np.pi, np.pi, (m, d // 2)).astype(np.float32)
for norm in (1, 2):
    checkpoint(f"rotate-l{norm}", "rotate", e, angle, {"rotate.class_name": "RotatE", "rotate.l_norm": float(norm)})
    common.write_scores(f"libkge/rotate-l{norm}.json", common.rotate(e, angle, norm))
checkpoint("rotate-dist", "rotate", e, angle, {"rotate.l_norm": 1.0, "job.distributed.num_workers": 1})

base = "reciprocal_relations_model.base_model.type"
for name, score, seed in (("distmult", common.distmult, 9), ("complex", common.complex_, 11)):
    e, r = rows(seed, n, d), rows(seed + 1, 2 * m, d)
    checkpoint("reciprocal-" + name, "reciprocal_relations_model", e, r, {base: name})
    reversed_ = score(e, r[m:]).transpose(0, 2, 1)  # the score of (tail, relation + m, head)
    common.write_scores(f"libkge/reciprocal-{name}.json", score(e, r[:m]), reversed_)
e, r, core = rows(40, n, d), rows(41, m, d * d), rows(42, d * d, 3)
checkpoint("rescal", "rescal", e, r, {"rescal.class_name": "Rescal"})
common.write_scores("libkge/rescal.json", common.rescal(e, r))
r = rows(43, 2 * m, 3)
matrix = r.astype(np.float64) @ core.astype(np.float64).T
checkpoint("tucker3", "relational_tucker3", e, r[:m], {"relational_tucker3.class_name": "RelationalTucker3"}, core=core)
common.write_scores("libkge/tucker3.json", common.rescal(e, matrix[:m]))
checkpoint("reciprocal-tucker3", "reciprocal_relations_model", e, r, {base: "relational_tucker3"}, core=core)
common.write_scores("libkge/reciprocal-tucker3.json", common.rescal(e, matrix[:m]),
                    common.rescal(e, matrix[m:]).transpose(0, 2, 1))
checkpoint("tucker3-core", "relational_tucker3", e, r, {}, core=core[1:])

e, r = rows(11, n, d), rows(12, 2 * m, d)
checkpoint("reciprocal-transe", "reciprocal_relations_model", e, r, {base: "transe", "transe.l_norm": 1.0})
checkpoint("reciprocal-odd", "reciprocal_relations_model", e, r[1:], {base: "complex"})
