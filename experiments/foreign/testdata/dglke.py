"""Writes models of DGL-KE, scores of all triples by it, and its filtered MRR. The weights are those that it draws: its sampler,
which training needs, is of DGL before 0.5, which no Python after 3.8 has. The rest of the package runs. Made with dglke 0.1.2,
DGL 1.0.4 and PyTorch 1.13: python3 dglke.py"""
import json, os, shutil, sys
from argparse import Namespace

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != FOLDER]  # this file has the name of the package
os.environ["DGLBACKEND"] = "pytorch"
import numpy as np, torch
from dglke.models.general_models import InferModel, KEModel
from dglke.utils import save_model
sys.path.append(FOLDER)
import common
from common import DIMENSION, ENTITIES, FACTS, RELATIONS

n, m = len(ENTITIES), len(RELATIONS)
for seed, (name, model, double) in enumerate([("transe-l1", "TransE_l1", False), ("transe-l2", "TransE_l2", False),
                                              ("distmult", "DistMult", False), ("complex", "ComplEx", False),
                                              ("rotate", "RotatE", True), ("rescal", "RESCAL", False)]):
    torch.manual_seed(seed)
    gamma = 1.0 if name == "rescal" else 5.0 + seed  # the range of its numbers, of which a score has products of three
    to = os.path.join(FOLDER, "dglke", name)
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    args = Namespace(gpu=[-1], mix_cpu_gpu=False, has_edge_importance=False, strict_rel_part=False, soft_rel_part=False, lr=0.1,
                     save_path=to, dataset="ten", model_name=model, hidden_dim=DIMENSION, max_step=0, batch_size=2,
                     neg_sample_size=2, gamma=gamma, double_ent=double, double_rel=False, neg_adversarial_sampling=False,
                     adversarial_temperature=1.0, regularization_coef=0.0, regularization_norm=3)
    save_model(args, KEModel(args, model, n, m, DIMENSION, gamma, double_entity_emb=double), "entities.tsv", "relations.tsv")
    infer = InferModel("cpu", model, DIMENSION, double_entity_emb=double, gamma=gamma)
    infer.load_emb(to, "ten")
    scores = infer.score(torch.arange(n), torch.arange(m), torch.arange(n)).reshape(n, m, n).numpy().transpose(1, 0, 2)
    known, inverse = set(sum(FACTS.values(), [])), []
    for h, r, t in FACTS["test"]:  # a rank as KEModel.forward_test has it: the scores that are not below, and 1
        inverse += [1 / (1 + sum(scores[r, h, e] >= scores[r, h, t] for e in range(n) if (h, r, e) not in known)),
                    1 / (1 + sum(scores[r, e, t] >= scores[r, h, t] for e in range(n) if (e, r, t) not in known))]
    margin = 0 if name in ("distmult", "complex", "rescal") else gamma
    common.write_scores(f"dglke/{name}.json", scores.astype(np.float64) - margin, mrr=float(np.mean(inverse)))
common.write_lines("dglke/entities.tsv", (f"{i}\t{name}" for i, name in enumerate(ENTITIES)))
common.write_lines("dglke/relations.tsv", (f"{i}\t{name}" for i, name in enumerate(RELATIONS)))
