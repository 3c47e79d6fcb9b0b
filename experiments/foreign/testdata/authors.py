"""Writes models of RotatE's and HousE's authors and scores of all triples. Their code is not on PyPI and was not run: the files
follow its source (github.com/DeepGraphLearning/KnowledgeGraphEmbedding and github.com/rui9812/HousE: save_model in codes/run.py,
the parameters of KGEModel in codes/model.py), and the formulas are written again here. Written with PyTorch 1.13: python3
authors.py"""
import json, os, shutil
from collections import OrderedDict
import numpy as np, torch
import common
from common import ENTITIES, FOLDER, RELATIONS

n, m = len(ENTITIES), len(RELATIONS)
PI = 3.14159262358979323846  # as it stands there
shutil.rmtree(os.path.join(FOLDER, "authors"), ignore_errors=True)


def rows(seed, *shape):
    return np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)


def save(name, model, e, r, hidden, gamma, unit, keeps=("checkpoint",), said=None, **more):
    to = os.path.join(FOLDER, "authors", name)
    os.makedirs(to)
    config = {"cuda": True, "do_train": True, "countries": False, "regions": None, "data_path": "../data/ten", "model": model,
              "double_entity_embedding": e.shape[1] == 2 * hidden, "double_relation_embedding": r.shape[1] == 2 * hidden,
              "hidden_dim": hidden, "gamma": said or gamma, "warm_up_steps": None, "nentity": n, "nrelation": m} | more
    with open(os.path.join(to, "config.json"), "w") as f:
        json.dump(config, f)
    if "checkpoint" in keeps:
        parameter = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.Adam([parameter])
        parameter.sum().backward()
        optimizer.step()
        state = OrderedDict(gamma=torch.tensor([gamma]), embedding_range=torch.tensor([unit], dtype=torch.float32),
                            entity_embedding=torch.tensor(e), relation_embedding=torch.tensor(r))
        torch.save({"step": 40, "current_learning_rate": 0.0001, "warm_up_steps": 50, "model_state_dict": state,
                    "optimizer_state_dict": optimizer.state_dict()}, os.path.join(to, "checkpoint"),
                   _use_new_zipfile_serialization="old" not in keeps)
    if "arrays" in keeps:
        np.save(os.path.join(to, "entity_embedding"), e)
        np.save(os.path.join(to, "relation_embedding"), r)


def plain(gamma, hidden):
    return {"hidden": hidden, "gamma": gamma, "unit": (gamma + 2) / hidden}


e, r = rows(41, n, 4), rows(42, m, 4)
save("transe", "TransE", e, r, **plain(5.0, 4))
common.write_scores("authors/transe.json", common.transe(e, r))

e, r = rows(43, n, 4), rows(44, m, 4)
save("distmult", "DistMult", e, r, **plain(3.0, 4), keeps=("arrays",))
common.write_scores("authors/distmult.json", common.distmult(e, r))

e, r = rows(45, n, 6), rows(46, m, 6)
save("complex", "ComplEx", e, r, **plain(7.0, 3))
common.write_scores("authors/complex.json", common.complex_(e, r))

e, r = rows(47, n, 6), rows(48, m, 3)
save("rotate", "RotatE", e, r, **plain(4.0, 3), said=12.0)  # a margin that the checkpoint has not
common.write_scores("authors/rotate.json", common.rotate(e, r.astype(np.float64) / (plain(4.0, 3)["unit"] / PI)))
save("rotate-old", "RotatE", e, r, **plain(6.0, 3), keeps=("checkpoint", "old", "arrays"))
common.write_scores("authors/rotate-old.json", common.rotate(e, r.astype(np.float64) / (plain(6.0, 3)["unit"] / PI)))
save("protate", "pRotatE", e[:, :3], r, **plain(6.0, 3))


def house(e, r):
    """A tail query reflects heads by the vectors of a block, the last one first; a head query tails, the first one first. Scores
    as [relation, head, tail]."""
    e, k = e.astype(np.float64), e.shape[2]
    v = r.astype(np.float64).reshape(m, e.shape[1], -1, k)
    v /= np.linalg.norm(v, axis=-1, keepdims=True)
    turned, back = (np.broadcast_to(e, (m, *e.shape)) for _ in range(2))
    for i in range(v.shape[2]):
        u, w = v[:, None, :, -1 - i], v[:, None, :, i]
        turned = turned - 2 * (u * turned).sum(-1, keepdims=True) * u
        back = back - 2 * (w * back).sum(-1, keepdims=True) * w
    tail = -np.linalg.norm(turned[:, :, None] - e[None, None], axis=-1).sum(-1)
    head = -np.linalg.norm(back[:, None] - e[None, :, None], axis=-1).sum(-1)
    return tail, head


for name, k, seed, keeps in (("house-5d", 5, 49, ("checkpoint",)), ("house-10d", 10, 51, ("arrays",))):
    e, r = rows(seed, n, 2, k), rows(seed + 1, m, 2, k * (k - k % 2))
    options = {"hidden": 2 * k, "gamma": 9.0, "unit": 11 / (2 * k**0.5), "keeps": keeps, "house_dim": k, "house_num": k - k % 2}
    save(name, "HousE_r", e, r, **options)
    common.write_scores(f"authors/{name}.json", *house(e, r))
options |= {"keeps": ("arrays",), "hidden": 4, "house_dim": 2, "house_num": 2}
save("house-2d", "HousE_r", rows(53, n, 2, 2), rows(54, m, 2, 4), **options)
for name in ("HousE", "HousE_plus", "HousE_r_plus"):
    save(name.lower(), name, rows(55, n, 2, 2), rows(56, m, 2, 4), **options)
common.write_lines("authors/entities.dict", (f"{i}\t{name}" for i, name in enumerate(ENTITIES)))
common.write_lines("authors/relations.dict", (f"{i}\t{name}" for i, name in enumerate(RELATIONS)))
