"""Writes models of PyKEEN and what PyKEEN scores with them. Made with PyKEEN 1.9.0 and PyTorch 1.13."""
import json, os, shutil, numpy as np, torch
from pykeen.models import TransE, DistMult, ComplEx, RotatE, RESCAL, TuckER
from pykeen.triples import TriplesFactory

facts = np.array([["Zoe", "knows", "Ann"], ["Ann", "drinks", "tea"], ["Bob", "drinks", "milk"], ["Bob", "knows", "Zoe"]])
ids = {"tea": 0, "Zoe": 1, "Ann": 2, "milk": 3, "Bob": 4}
factory = TriplesFactory.from_labeled_triples(facts, entity_to_id=ids, relation_to_id={"knows": 0, "drinks": 1})
folder = os.path.dirname(os.path.abspath(__file__))
for name, model, kind in [("transe", TransE, {}), ("distmult", DistMult, {}), ("complex", ComplEx, {}), ("rotate", RotatE, {}),
                          ("transe-l2", TransE, {"scoring_fct_norm": 2}), ("rescal", RESCAL, {}),
                          ("tucker", TuckER, {"relation_dim": 2}),
                          ("tucker-plain", TuckER, {"relation_dim": 2, "apply_batch_normalization": False})]:
    m = model(triples_factory=factory, embedding_dim=3, random_seed=5, **kind)
    if model is TuckER:  # so that a batch normalization is what training leaves
        optimizer = torch.optim.SGD(m.parameters(), lr=0.1)
        for _ in range(30):
            optimizer.zero_grad()
            torch.nn.functional.softplus(-m.score_hrt(torch.as_tensor(factory.mapped_triples))).sum().backward()
            optimizer.step()
        m.eval()
    to = os.path.join(folder, name)
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    torch.save(m, os.path.join(to, "trained_model.pkl"))
    factory.to_path_binary(os.path.join(to, "training_triples"))
    for unused in ("base.pth", "numeric_triples.tsv.gz"):
        os.remove(os.path.join(to, "training_triples", unused))
    scores = m.score_hrt(torch.as_tensor(factory.mapped_triples)).flatten().tolist()
    triples = [[factory.entity_id_to_label[h], factory.relation_id_to_label[r], factory.entity_id_to_label[t]]
               for h, r, t in factory.mapped_triples.tolist()]
    json.dump([{"triple": t, "score": s} for t, s in zip(triples, scores)], open(os.path.join(to, "scores.json"), "w"))
